#include "trace/tfile/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- What GDB has built in -----------------------------------------------------------------------

// Consecutive registers of one type. A '*' in a name stands for numbers from 0 on.
struct run {
    const char *names;
    unsigned count; // of a name with '*'
    unsigned size_bytes;
    enum tfile_register_type type;
};

static const struct run x86_64[] = {
    {"rax rbx rcx rdx rsi rdi", 0, 8, TFILE_INTEGER},
    {"rbp rsp", 0, 8, TFILE_DATA},
    {"r8 r9 r10 r11 r12 r13 r14 r15", 0, 8, TFILE_INTEGER},
    {"rip", 0, 8, TFILE_CODE},
    {"eflags", 0, 4, TFILE_VECTOR},
    {"cs ss ds es fs gs", 0, 4, TFILE_INTEGER},
    {"st*", 8, 10, TFILE_FLOAT},
    {"fctrl fstat ftag fiseg fioff foseg fooff fop", 0, 4, TFILE_INTEGER},
    {"xmm*", 16, 16, TFILE_VECTOR},
    {"mxcsr", 0, 4, TFILE_VECTOR},
    {"orig_rax", 0, 8, TFILE_INTEGER},
    {"fs_base gs_base", 0, 8, TFILE_INTEGER},
    {0},
};

static const struct run i386[] = {
    {"eax ecx edx ebx", 0, 4, TFILE_INTEGER},
    {"esp ebp", 0, 4, TFILE_DATA},
    {"esi edi", 0, 4, TFILE_INTEGER},
    {"eip", 0, 4, TFILE_CODE},
    {"eflags", 0, 4, TFILE_VECTOR},
    {"cs ss ds es fs gs", 0, 4, TFILE_INTEGER},
    {"st*", 8, 10, TFILE_FLOAT},
    {"fctrl fstat ftag fiseg fioff foseg fooff fop", 0, 4, TFILE_INTEGER},
    {"xmm*", 8, 16, TFILE_VECTOR},
    {"mxcsr", 0, 4, TFILE_VECTOR},
    {"orig_eax", 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run aarch64[] = {
    {"x*", 31, 8, TFILE_INTEGER},
    {"sp", 0, 8, TFILE_DATA},
    {"pc", 0, 8, TFILE_CODE},
    {"cpsr", 0, 4, TFILE_VECTOR},
    {"v*", 32, 16, TFILE_VECTOR},
    {"fpsr fpcr", 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run arm[] = {
    {"r*", 13, 4, TFILE_INTEGER},
    {"sp", 0, 4, TFILE_DATA},
    {"lr", 0, 4, TFILE_INTEGER},
    {"pc", 0, 4, TFILE_CODE},
    {"f*", 8, 12, TFILE_FLOAT},
    {"fps cpsr", 0, 4, TFILE_INTEGER},
    {0},
};

static bool add(struct tfile_registers *registers, struct arena *arena, const struct run *run,
                const char *name, size_t length)
{
    size_t count = registers->items.count;
    const struct tfile_register *last = count ? &registers->items.items[count - 1] : NULL;
    struct tfile_register item = {.name = arena_copy_string(arena, name, length),
                                  .type = run->type,
                                  .offset = last ? last->offset + last->size_bytes : 0,
                                  .size_bytes = run->size_bytes,
                                  .number = (uint32_t)count};
    if (!item.name || !VEC_ROOM(&registers->items, 1))
        return false;
    registers->items.items[registers->items.count++] = item;
    return true;
}

// KGTP's blocks end before the floating-point registers.
static enum tfile_machine usual_machine(uint32_t register_bytes)
{
    switch (register_bytes) {
    case 148:
    case 536:
    case 544:
    case 552:
    case 560:
        return TFILE_X86_64;
    case 64:
    case 308:
    case 312:
        return TFILE_I386;
    case 268:
    case 788:
        return TFILE_AARCH64;
    case 168:
        return TFILE_ARM;
    default:
        return TFILE_MACHINE_UNKNOWN;
    }
}

bool tfile_registers_default(struct tfile_registers *registers, enum tfile_machine machine,
                             uint32_t register_bytes, struct arena *arena)
{
    enum { X86_64_WITHOUT_LINUX = 552 }; // without Linux, orig_rax is missing
    static const struct {
        const struct run *runs;
        uint32_t address_bytes;
        enum tfile_byte_order byte_order;
    } machines[] = {
        [TFILE_X86_64] = {x86_64, 8, TFILE_LITTLE_ENDIAN},
        [TFILE_I386] = {i386, 4, TFILE_LITTLE_ENDIAN},
        [TFILE_AARCH64] = {aarch64, 8, TFILE_ORDER_UNKNOWN},
        [TFILE_ARM] = {arm, 4, TFILE_ORDER_UNKNOWN},
        [TFILE_OTHER] = {NULL, 8, TFILE_ORDER_UNKNOWN},
    };
    if (machine == TFILE_MACHINE_UNKNOWN)
        machine = usual_machine(register_bytes);
    registers->machine = machine;
    registers->address_bytes = machines[machine].address_bytes;
    registers->byte_order = machines[machine].byte_order;
    for (const struct run *run = machines[machine].runs; run && run->names; run++) {
        if (register_bytes == X86_64_WITHOUT_LINUX && strcmp(run->names, "orig_rax") == 0)
            continue;
        bool is_added = true;
        for (unsigned i = 0; i < run->count; i++) {
            char name[16];
            int length =
                snprintf(name, sizeof name, "%.*s%u", (int)strcspn(run->names, "*"), run->names, i);
            is_added = is_added && add(registers, arena, run, name, (size_t)length);
        }
        for (const char *at = run->count ? "" : run->names; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            is_added = is_added && add(registers, arena, run, at, length);
            at += length;
        }
        if (!is_added)
            return false;
    }
    return true;
}

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
static const char *const pc_names[] = {"pc", "rip", "eip", "pswa", "nip", NULL};
static const char *const sp_names[] = {"sp", "rsp", "esp", NULL};
static const char *const fp_names[] = {"fp", "rbp", "ebp", "x29", "r11", NULL};
static const char *const lr_names[] = {"lr", "x30", "ra", NULL};

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
    // Of S/390 and POWER, the stack pointer is a general register.
    if (registers->sp == TFILE_NO_REGISTER && find(registers, "pswa", 4) != TFILE_NO_REGISTER)
        registers->sp = find(registers, "r15", 3);
    else if (registers->sp == TFILE_NO_REGISTER && find(registers, "msr", 3) != TFILE_NO_REGISTER)
        registers->sp = find(registers, "r1", 2);
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
