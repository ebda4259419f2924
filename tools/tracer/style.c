#include "style.h"

#include "machine.h"
#include "regs.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reg_name_set(reg_name_t *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    name->length = (uint8_t)vsnprintf(name->text, sizeof name->text, format, arguments);
    va_end(arguments);
}

unsigned shown_writes(const core_t *core)
{
    return core->machine->options.has_no_registers ? 0 : core->step.write_count;
}

// The last operand, if it is the target of a direct branch.
static const char *branch_target(const insn_t *in, const char *operands)
{
    bool is_direct =
        in->kind == KIND_BRANCH || in->kind == KIND_COND_BRANCH || in->kind == KIND_CALL;
    const char *hash = strrchr(operands, '#');
    return is_direct && hash != NULL ? hash : NULL;
}

void disassembly_arm(char *text, size_t text_bytes, const insn_t *in, const char *mnemonic,
                     const char *operands)
{
    char name[32];
    size_t n = 0;
    for (; mnemonic[n] != '\0' && n < sizeof name - 1; n++) {
        name[n] = (char)toupper((unsigned char)mnemonic[n]);
    }
    name[n] = '\0';
    char list[128];
    size_t length = 0;
    const char *target = branch_target(in, operands);
    for (const char *o = operands; *o != '\0' && o != target && length < sizeof list - 1; o++) {
        if (*o != ' ' || o == operands || o[-1] != ',') {
            list[length++] = *o;
        }
    }
    list[length] = '\0';
    if (target == NULL) {
        snprintf(text, text_bytes, "%-8s %s", name, list);
        return;
    }
    uint64_t address = strtoull(target + 1, NULL, 0);
    bool is_back = address < in->pc;
    snprintf(text, text_bytes, "%-8s %s{pc}%c0x%" PRIx64 " ; 0x%" PRIx64, name, list,
             is_back ? '-' : '+', is_back ? in->pc - address : address - in->pc, address);
}

const char *mode_text(bool is_a64, uint32_t psr, bool upper)
{
    if (is_a64) {
        static const char *const lower_names[] = {"el0t", "el1t", "el1h"};
        static const char *const upper_names[] = {"EL0t", "EL1t", "EL1h"};
        unsigned mode = (psr & 0xf) == 0 ? 0 : (psr & 0xf) == 4 ? 1 : 2;
        return upper ? upper_names[mode] : lower_names[mode];
    }
    switch (psr & 0x1f) {
    case MODE_USR:
        return "usr";
    case MODE_IRQ:
        return "irq";
    case MODE_SYS:
        return "sys";
    default:
        return "svc";
    }
}

const char *bank_text(bool is_a64, uint32_t psr)
{
    if (is_a64) {
        return (psr & 0xf) == 5 ? "EL1" : "EL0";
    }
    // System mode uses the registers of user mode.
    return (psr & 0x1f) == MODE_SYS ? "usr" : mode_text(false, psr, false);
}
