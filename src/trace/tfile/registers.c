#include "trace/tfile/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- Finding -------------------------------------------------------------------------------------

static uint32_t find(const struct tfile_registers *registers, const char *name, size_t length)
{
    for (uint32_t i = 0; i < registers->items.count; i++) {
        const char *have = registers->items.items[i].name;
        if (strncmp(have, name, length) == 0 && !have[length])
            return i;
    }
    return TFILE_NO_REGISTER;
}

static uint32_t find_first(const struct tfile_registers *registers, const char *const *names)
{
    uint32_t found = TFILE_NO_REGISTER;
    for (; *names && found == TFILE_NO_REGISTER; names++)
        found = find(registers, *names, strlen(*names));
    return found;
}

// Names of the same register on different machines. A name that means this register only if the
// others do not exist is last: r11 is the frame pointer of Arm.
static const char *const pc_names[] = {"pc", "rip", "eip", "pswa", "nip", "pcoqh", "ip", NULL};
static const char *const sp_names[] = {"sp", "rsp", "esp", NULL};
static const char *const fp_names[] = {"fp", "rbp", "ebp", "x29", "r11", NULL};
static const char *const lr_names[] = {"lr", "x30", "ra", "pr", "rp", NULL};

void tfile_registers_finish(struct tfile_registers *registers, uint32_t register_bytes)
{
    const struct tfile_register *items = registers->items.items;
    size_t count = registers->items.count;
    while (count &&
           (uint64_t)items[count - 1].offset + items[count - 1].size_bytes > register_bytes)
        count--;
    registers->items.count = count;
    registers->pc = find_first(registers, pc_names);
    registers->sp = find_first(registers, sp_names);
    // Of these, the stack pointer is a general register.
    static const struct {
        const char *known_by, *sp;
    } others[] = {
        {"pswa", "r15"}, // S/390
        {"msr", "r1"},   // POWER
        {"macl", "r15"}, // SH
        {"bsp", "r12"},  // IA-64
    };
    for (size_t i = 0; i < ARRAY_COUNT(others) && registers->sp == TFILE_NO_REGISTER; i++) {
        if (find(registers, others[i].known_by, strlen(others[i].known_by)) != TFILE_NO_REGISTER)
            registers->sp = find(registers, others[i].sp, strlen(others[i].sp));
    }
    uint32_t pc = registers->pc;
    if (!registers->address_bytes)
        registers->address_bytes = pc != TFILE_NO_REGISTER && items[pc].size_bytes == 4 ? 4 : 8;
}

uint32_t tfile_register_named(const struct tfile_registers *registers, const char *name,
                              size_t length)
{
    static const struct {
        const char *name;
        const char *const *names;
    } aliases[] = {{"pc", pc_names}, {"sp", sp_names}, {"fp", fp_names}, {"lr", lr_names}};
    uint32_t found = find(registers, name, length);
    if (found == TFILE_NO_REGISTER && length == 2 && memcmp(name, "sp", 2) == 0)
        return registers->sp;
    for (size_t i = 0; i < ARRAY_COUNT(aliases) && found == TFILE_NO_REGISTER; i++) {
        if (length == 2 && memcmp(name, aliases[i].name, 2) == 0)
            found = find_first(registers, aliases[i].names);
    }
    return found;
}

bool tfile_register_is_general(const struct tfile_register *item)
{
    return item->size_bytes <= 8 && item->type != TFILE_FLOAT;
}

uint32_t tfile_register_dwarf(const struct tfile_registers *registers, uint32_t dwarf)
{
    static const char *const x86_64_names[] = {
        "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
        "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
    };
    static const char *const i386_names[] = {
        "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip",
    };
    char name[16];
    switch (registers->machine) {
    case TFILE_X86_64:
        if (dwarf >= ARRAY_COUNT(x86_64_names))
            return TFILE_NO_REGISTER;
        return find(registers, x86_64_names[dwarf], strlen(x86_64_names[dwarf]));
    case TFILE_I386:
        if (dwarf >= ARRAY_COUNT(i386_names))
            return TFILE_NO_REGISTER;
        return find(registers, i386_names[dwarf], strlen(i386_names[dwarf]));
    case TFILE_AARCH64:
        if (dwarf == 31)
            return registers->sp;
        snprintf(name, sizeof name, "x%" PRIu32, dwarf);
        return find(registers, name, strlen(name));
    case TFILE_ARM:
        if (dwarf >= 13 && dwarf <= 15)
            return dwarf == 13   ? registers->sp
                   : dwarf == 15 ? registers->pc
                                 : tfile_register_named(registers, "lr", 2);
        snprintf(name, sizeof name, "r%" PRIu32, dwarf);
        return find(registers, name, strlen(name));
    default: // for machines where DWARF numbers are those of the names, for example s390
        for (uint32_t i = 0; i < registers->items.count && registers->has_dwarf_numbers; i++) {
            if (dwarf < 32 && registers->items.items[i].number == dwarf)
                return i;
        }
        snprintf(name, sizeof name, "r%" PRIu32, dwarf);
        return find(registers, name, strlen(name));
    }
}

void tfile_registers_free(struct tfile_registers *registers)
{
    free(registers->items.items);
    *registers = (struct tfile_registers){0};
}

const char *tfile_machine_name(enum tfile_machine machine)
{
    static const char *const names[] = {
        [TFILE_MACHINE_UNKNOWN] = "unknown", [TFILE_X86_64] = "x86-64", [TFILE_I386] = "i386",
        [TFILE_AARCH64] = "AArch64",         [TFILE_ARM] = "Arm",       [TFILE_OTHER] = "other",
    };
    return names[machine];
}
