// The style of Fast Models:
//   53 clk IT (53) 002109f0 f94003e1 O EL3h_s : LDR      x1,[sp,#0]
//   53 clk MR8 000ffb80:0000000ffb80 00000000_000ffbb8
//   53 clk R X1 00000000000FFBB8
// With several cores, the name of the core follows the unit in each line, and each core counts its
// own time, like a model that runs its cores in turns: times go back whenever the core changes.
#include "machine.h"
#include "style.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static void it_prepare(insn_t *in, const char *mnemonic, const char *operands)
{
    char text[INSN_TAIL_MAX - 8];
    disassembly_arm(text, sizeof text, in, mnemonic, operands);
    in->head_bytes = (uint8_t)snprintf(in->head, sizeof in->head, "%08x %0*x %c ", (unsigned)in->pc,
                                       in->size_bytes * 2, in->bits, in->state);
    in->tail_bytes = (uint8_t)snprintf(in->tail, sizeof in->tail, " : %s\n", text);
}

static void it_name_registers(core_t *core)
{
    bool is_a64 = core->machine->cache.is_a64;
    const char *bank = bank_text(is_a64, core->psr);
    reg_name_set(&core->mode, is_a64 ? "%s_s" : "%s_s", mode_text(is_a64, core->psr, true));
    for (unsigned i = 0; i < 32; i++) {
        reg_name_set(&core->name[REG_X0 + i], is_a64 ? "X%u" : "r%u", i);
        reg_name_set(&core->name[REG_V0 + i], is_a64 ? "V%u" : "d%u", i);
        reg_name_set(&core->name[REG_S0 + i], "s%u", i);
        reg_name_set(&core->short_name[REG_V0 + i], "S%u", i);
        reg_name_set(&core->double_name[i], "D%u", i);
    }
    for (unsigned i = 0; i < 16; i++) {
        reg_name_set(&core->name[REG_Q0 + i], "q%u", i);
    }
    reg_name_set(&core->name[REG_SP], is_a64 ? "SP_%s" : "r13_%s", bank);
    if (!is_a64) {
        reg_name_set(&core->name[REG_LR32], "r14_%s", bank);
    }
    if (core->machine->options.is_m_profile) {
        reg_name_set(&core->mode, core->m.depth == 0 ? "thread" : "handler");
        reg_name_set(&core->name[REG_SP], core->uses_psp ? "r13_process" : "r13_main");
        reg_name_set(&core->name[REG_LR32], "r14");
    }
    reg_name_set(&core->name[REG_CPSR], "cpsr");
    reg_name_set(&core->name[REG_FPCR], "FPCR");
    reg_name_set(&core->name[REG_FPSR], is_a64 ? "FPSR" : "fpscr");
}

static unsigned put_time(const core_t *core, uint64_t time, char *text)
{
    char *p = put_decimal(text, time);
    p = PUT_LITERAL(p, " clk ");
    if (core->machine->options.core_count > 1) {
        p = PUT_LITERAL(p, "cpu");
        *p++ = (char)('0' + core->index);
        *p++ = ' ';
    }
    return (unsigned)(p - text);
}

// Writes groups of eight digits, separated by '_'.
static char *put_groups(char *p, const uint64_t value[2], unsigned bytes, const char *pairs)
{
    for (unsigned group = bytes / 4; group-- > 0;) {
        p = put_hex(p, value[group / 2] >> (group % 2 * 32), 8, pairs);
        *p++ = group != 0 ? '_' : '\n';
    }
    return p;
}

static char *put_access(char *p, const access_t *a)
{
    *p++ = 'M';
    *p++ = a->is_write ? 'W' : 'R';
    *p++ = (char)('0' + a->bytes);
    *p++ = ' ';
    p = put_hex(p, a->address, 8, hex_lower_pairs);
    *p++ = ':';
    p = put_hex(p, a->address, 12, hex_lower_pairs);
    *p++ = ' ';
    if (a->bytes >= 4) {
        return put_groups(p, a->value, a->bytes, hex_lower_pairs);
    }
    p = put_hex(p, a->value[0], a->bytes * 2u, hex_lower_pairs);
    *p++ = '\n';
    return p;
}

static char *put_register(const core_t *core, char *p, const insn_t *in, reg_write_t w,
                          const uint64_t value[2])
{
    p = PUT_LITERAL(p, "R ");
    if (w.reg == REG_SYSTEM) {
        p = put_bytes(p, in->system_name, strlen(in->system_name));
        *p++ = ' ';
        p = put_hex(p, value[0], w.bytes * 2u, hex_upper_pairs);
        *p++ = '\n';
        return p;
    }
    const reg_name_t *name = &core->name[w.reg];
    bool is_a64_vector = core->machine->cache.is_a64 && w.reg >= REG_V0 && w.reg < REG_V0 + 32;
    if (is_a64_vector && w.bytes == 8) {
        name = &core->double_name[w.reg - REG_V0];
    } else if (is_a64_vector && w.bytes == 4) {
        name = &core->short_name[w.reg];
    }
    p = put_bytes(p, name->text, name->length);
    *p++ = ' ';
    if (w.bytes == 16) {
        return put_groups(p, value, 16, hex_upper_pairs);
    }
    // A write to w0 is shown as a write of the whole X0.
    bool is_general = core->machine->cache.is_a64 && w.reg <= REG_SP;
    bool is_upper = is_general || is_a64_vector;
    p = put_hex(p, value[0], is_general ? 16 : w.bytes * 2u,
                is_upper ? hex_upper_pairs : hex_lower_pairs);
    *p++ = '\n';
    return p;
}

// M profile: the stack pointer under its other name.
static char *put_m_pointer(char *p, bool is_process, uint64_t value)
{
    return p + sprintf(p, "R %s %08x\n", is_process ? "PSP" : "MSP", (unsigned)value);
}

static char *it_step(core_t *core, char *p)
{
    const step_t *s = &core->step;
    const insn_t *in = s->insn;
    uint64_t number = core->insn_count + 1;
    char time[32];
    unsigned time_bytes = put_time(core, number, time);
    bool executed = s->passed && (in->kind != KIND_COND_BRANCH || s->taken);
    p = put_bytes(p, time, time_bytes);
    p = put_bytes(p, executed ? "IT (" : "IS (", 4);
    p = put_decimal(p, number);
    p = PUT_LITERAL(p, ") ");
    p = put_bytes(p, in->head, in->head_bytes);
    p = put_bytes(p, core->mode.text, core->mode.length);
    p = put_bytes(p, in->tail, in->tail_bytes);
    for (unsigned i = 0; i < s->access_count; i++) {
        p = put_bytes(p, time, time_bytes);
        p = put_access(p, &s->accesses[i]);
    }
    for (unsigned i = 0; i < shown_writes(core); i++) {
        p = put_bytes(p, time, time_bytes);
        p = put_register(core, p, in, in->writes[i], s->values[i]);
        if (core->machine->options.is_m_profile && in->writes[i].reg == REG_SP) {
            p = put_bytes(p, time, time_bytes);
            p = put_m_pointer(p, core->uses_psp, s->values[i][0]);
        }
    }
    return p;
}

static const char *exception_text(const core_t *core, const exception_t *e)
{
    if (!core->machine->cache.is_a64) {
        return e->kind == EXCEPTION_SVC ? "CoreEvent_SVC" : "CoreEvent_IRQ";
    }
    if (e->from_lower) {
        return e->kind == EXCEPTION_SVC ? "CoreEvent_LOWER_64_SYNC" : "CoreEvent_LOWER_64_IRQ";
    }
    return e->kind == EXCEPTION_SVC ? "CoreEvent_CURRENT_SPx_SYNC" : "CoreEvent_CURRENT_SPx_IRQ";
}

static char *it_exception(core_t *core, const exception_t *e, char *p)
{
    char time[32];
    time[put_time(core, core->insn_count + 1, time)] = '\0';
    p += sprintf(p, "%sE %08x:%012x %08x %s\n", time, (unsigned)e->target, (unsigned)e->target,
                 (unsigned)e->vector_offset, exception_text(core, e));
    p += sprintf(p, "%sR cpsr %08x\n", time, (unsigned)e->psr);
    if (!core->machine->cache.is_a64) {
        const char *bank = bank_text(false, (uint32_t)e->psr);
        p += sprintf(p, "%sR r14_%s %08x\n", time, bank, (unsigned)e->return_address);
        return p + sprintf(p, "%sR spsr_%s %08x\n", time, bank, (unsigned)e->saved_psr);
    }
    p += sprintf(p, "%sR SPSR_EL1 %08x\n", time, (unsigned)e->saved_psr);
    p += sprintf(p, "%sR ELR_EL1 %016llX\n", time, (unsigned long long)e->return_address);
    if (e->kind == EXCEPTION_SVC) {
        p += sprintf(p, "%sR ESR_EL1 %016llX\n", time, (unsigned long long)e->syndrome);
    }
    return p;
}

static char *put_m_sp(const core_t *core, char *p, const char *time, bool is_process,
                      uint64_t value)
{
    (void)core;
    p += sprintf(p, "%sR r13_%s %08x\n%s", time, is_process ? "process" : "main", (unsigned)value,
                 time);
    return put_m_pointer(p, is_process, value);
}

char *style_it_enter_m(const core_t *core, const exception_m_t *e, char *p)
{
    static const char *const names[] = {
        [11] = "SVC", [14] = "PendSV", [15] = "SysTick", [16] = "IRQ0"};
    char time[32];
    time[put_time(core, core->insn_count + 1, time)] = '\0';
    p += sprintf(p, "%sE %08x %08x CoreEvent_%s\n", time, (unsigned)e->target, e->number,
                 names[e->number]);
    for (unsigned i = 0; i < 8 && !e->is_chained; i++) {
        unsigned at = e->frame_at + 4 * i;
        p += sprintf(p, "%sMW4 %08x:%012x %08x\n", time, at, at, e->frame[i]);
    }
    if (!e->is_chained) {
        p = put_m_sp(core, p, time, e->from_psp, e->frame_at);
    }
    if (e->from_psp) {
        p = put_m_sp(core, p, time, false, core_sp(core));
    }
    p += sprintf(p, "%sR r14 %08x\n", time, e->exc_return);
    return p + sprintf(p, "%sR cpsr %08x\n", time, profile_m_psr(core));
}

char *style_it_return_m(const core_t *core, const exception_m_t *e, char *p)
{
    static const char *const names[] = {"r0", "r1", "r2", "r3", "r12", "r14"};
    char time[32];
    time[put_time(core, core->insn_count, time)] = '\0';
    for (unsigned i = 0; i < 8; i++) {
        unsigned at = e->frame_at + 4 * i;
        p += sprintf(p, "%sMR4 %08x:%012x %08x\n", time, at, at, e->frame[i]);
        if (i < 6) {
            p += sprintf(p, "%sR %s %08x\n", time, names[i], e->frame[i]);
        }
    }
    p += sprintf(p, "%sR cpsr %08x\n", time, profile_m_psr(core));
    return put_m_sp(core, p, time, e->from_psp, core_sp(core));
}

// The registers at reset.
static char *it_header(const core_t *core, char *p)
{
    bool is_a64 = core->machine->cache.is_a64;
    char time[32];
    time[put_time(core, 0, time)] = '\0';
    p += sprintf(p, "%sR cpsr %08x\n", time, (unsigned)core->psr);
    for (unsigned i = 0; i < (is_a64 ? 31u : 13u); i++) {
        p += sprintf(p, "%sR %s %0*x\n", time, core->name[i].text, is_a64 ? 16 : 8, 0);
    }
    for (unsigned i = 0; i < 32; i++) {
        p += sprintf(p, is_a64 ? "%sR q%u %032x\n" : "%sR d%u %016x\n", time, i, 0);
    }
    p += sprintf(p, "%sSIGNAL: SIGNAL=DebugReset STATE=N\n", time);
    return p + sprintf(p, "%sE %08x:%012x 00000000 CoreEvent_Reset\n", time,
                       (unsigned)core->pc & ~1u, (unsigned)core->pc & ~1u);
}

static char *it_footer(const core_t *core, char *p)
{
    char time[32];
    time[put_time(core, core->insn_count, time)] = '\0';
    return p + sprintf(p, "%sCADI E simulation_stopped\n", time);
}

const style_t style_it = {
    .name = "it",
    .prepare = it_prepare,
    .name_registers = it_name_registers,
    .header = it_header,
    .step = it_step,
    .exception = it_exception,
    .footer = it_footer,
};
