// gem5's Tarmac tracer:
//   4750 clk cpu0 IT (15) 00210748 39400008 O EL3h_s :   LDRB   W8, [W0]
//   4750 clk cpu0 MR1 00200167:000000200167 3a
//   4750 clk cpu0 R W8 0000003a
// Its peculiarities: ticks instead of counts; registers with the name in the instruction (W8);
// 16-byte accesses as one word of 32 digits; no lines for the stack pointer; no line for an
// exception.
#include "machine.h"
#include "style.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    TICKS_PER_INSN = 250,
    TICKS_PER_ACCESS = 500,
};

static void gem5_prepare(insn_t *in, const char *mnemonic, const char *operands)
{
    char text[INSN_TAIL_MAX - 8];
    int length = snprintf(text, sizeof text, "  %s   %s", mnemonic, operands);
    for (int i = 0; i < length; i++) {
        text[i] = (char)toupper((unsigned char)text[i]);
    }
    in->head_bytes = (uint8_t)snprintf(in->head, sizeof in->head, "%08x %0*x %c ", (unsigned)in->pc,
                                       in->size_bytes * 2, in->bits, in->state);
    in->tail_bytes = (uint8_t)snprintf(in->tail, sizeof in->tail, " : %s\n", text);
}

static void gem5_name_registers(core_t *core)
{
    bool is_a64 = core->machine->cache.is_a64;
    reg_name_set(&core->mode, is_a64 ? "%s_s" : "%s_s", mode_text(is_a64, core->psr, true));
    for (unsigned i = 0; i < 32; i++) {
        reg_name_set(&core->name[REG_X0 + i], is_a64 ? "X%u" : "r%u", i);
        reg_name_set(&core->name[REG_V0 + i], is_a64 ? "v%u" : "d%u", i);
        reg_name_set(&core->name[REG_S0 + i], "s%u", i);
        reg_name_set(&core->short_name[REG_X0 + i], "W%u", i);
    }
    for (unsigned i = 0; i < 16; i++) {
        reg_name_set(&core->name[REG_Q0 + i], "q%u", i);
    }
    reg_name_set(&core->name[REG_CPSR], "cpsr");
    reg_name_set(&core->name[REG_FPCR], "fpcr");
    reg_name_set(&core->name[REG_FPSR], is_a64 ? "fpsr" : "fpscr");
}

static char *put_prefix(const core_t *core, uint64_t ticks, char *p)
{
    p = put_decimal(p, ticks);
    p = PUT_LITERAL(p, " clk cpu");
    *p++ = (char)('0' + core->index);
    *p++ = ' ';
    return p;
}

static char *put_access(char *p, const access_t *a)
{
    *p++ = 'M';
    *p++ = a->is_write ? 'W' : 'R';
    p = put_decimal(p, a->bytes);
    *p++ = ' ';
    p = put_hex(p, a->address, 8, hex_lower_pairs);
    *p++ = ':';
    p = put_hex(p, a->address, 12, hex_lower_pairs);
    *p++ = ' ';
    if (a->bytes == 16) {
        p = put_hex(p, a->value[1], 16, hex_lower_pairs);
    }
    p = put_hex(p, a->value[0], a->bytes == 16 ? 16 : a->bytes * 2u, hex_lower_pairs);
    *p++ = '\n';
    return p;
}

static char *put_register(const core_t *core, char *p, reg_write_t w, const uint64_t value[2])
{
    bool is_a64 = core->machine->cache.is_a64;
    bool is_w = is_a64 && w.reg < REG_SP && w.bytes == 4;
    const reg_name_t *name = is_w ? &core->short_name[w.reg] : &core->name[w.reg];
    p = PUT_LITERAL(p, "R ");
    p = put_bytes(p, name->text, name->length);
    *p++ = ' ';
    bool is_vector = w.bytes == 16 || (is_a64 && w.reg >= REG_V0 && w.reg < REG_V0 + 32);
    for (unsigned group = 4; is_vector && group-- > 0;) {
        p = put_hex(p, value[group / 2] >> (group % 2 * 32), 8, hex_lower_pairs);
        *p++ = group != 0 ? '_' : '\n';
    }
    if (!is_vector) {
        p = put_hex(p, value[0], w.bytes * 2u, hex_lower_pairs);
        *p++ = '\n';
    }
    return p;
}

static char *gem5_step(core_t *core, char *p)
{
    const step_t *s = &core->step;
    const insn_t *in = s->insn;
    char prefix[40];
    // One clock for all cores, and the time at which the instruction's memory accesses end.
    uint64_t ticks = core->machine->ticks + s->access_count * TICKS_PER_ACCESS;
    size_t prefix_bytes = (size_t)(put_prefix(core, ticks, prefix) - prefix);
    core->machine->ticks = ticks + TICKS_PER_INSN;
    p = put_bytes(p, prefix, prefix_bytes);
    p = put_bytes(p, s->passed ? "IT (" : "IS (", 4);
    p = put_decimal(p, core->insn_count + 1);
    p = PUT_LITERAL(p, ") ");
    p = put_bytes(p, in->head, in->head_bytes);
    p = put_bytes(p, core->mode.text, core->mode.length);
    p = put_bytes(p, in->tail, in->tail_bytes);
    for (unsigned i = 0; i < s->access_count; i++) {
        p = put_bytes(p, prefix, prefix_bytes);
        p = put_access(p, &s->accesses[i]);
    }
    for (unsigned i = 0; i < shown_writes(core); i++) {
        if (in->writes[i].reg != REG_SP && in->writes[i].reg != REG_SYSTEM) {
            p = put_bytes(p, prefix, prefix_bytes);
            p = put_register(core, p, in->writes[i], s->values[i]);
        }
    }
    return p;
}

static char *gem5_exception(core_t *core, const exception_t *e, char *p)
{
    (void)core;
    (void)e;
    return p;
}

static char *gem5_nothing(const core_t *core, char *p)
{
    (void)core;
    return p;
}

const style_t style_gem5 = {
    .name = "gem5",
    .prepare = gem5_prepare,
    .name_registers = gem5_name_registers,
    .header = gem5_nothing,
    .step = gem5_step,
    .exception = gem5_exception,
    .footer = gem5_nothing,
};
