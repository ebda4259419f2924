// The style of RTL simulators ("Tarmac Text Rev 3t"):
//         0 tic ES  (00000000002109f0:f94003e1) O el3h_s:         LDR      x1,[sp,#0]
//                   LD 00000000000ffb80 ........ ........ 00000000 000ffbb8    S:00000ffb80 ...
//                   R X1 00000000000ffbb8
// Memory is shown in rows of 16 aligned bytes. Only instructions have a time, and it is coarse:
// about a hundred instructions share one.
#include "machine.h"
#include "style.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    INSNS_PER_TIME = 100,
    TICKS_PER_TIME = 10100,
};

static void es_prepare(insn_t *in, const char *mnemonic, const char *operands)
{
    char text[INSN_TAIL_MAX - 24];
    disassembly_arm(text, sizeof text, in, mnemonic, operands);
    in->head_bytes = (uint8_t)snprintf(in->head, sizeof in->head, "ES  (%0*x:%0*x) %c ",
                                       in->state == 'O' ? 16 : 8, (unsigned)in->pc,
                                       in->size_bytes * 2, in->bits, in->state);
    in->tail_bytes = (uint8_t)snprintf(in->tail, sizeof in->tail, "_s:         %s\n", text);
    in->failed_tail_bytes =
        (uint8_t)snprintf(in->failed_tail, sizeof in->failed_tail, "_s:   CCFAIL %s\n", text);
}

static void es_name_registers(core_t *core)
{
    bool is_a64 = core->machine->cache.is_a64;
    char bank[8] = "";
    const char *lower = bank_text(is_a64, core->psr);
    for (unsigned i = 0; lower[i] != '\0' && i < sizeof bank - 1; i++) {
        bank[i] = (char)toupper((unsigned char)lower[i]);
    }
    reg_name_set(&core->mode, "%s", mode_text(is_a64, core->psr, false));
    for (unsigned i = 0; i < 32; i++) {
        reg_name_set(&core->name[REG_X0 + i], is_a64 ? "X%u" : "R%u", i);
        reg_name_set(&core->name[REG_V0 + i], is_a64 ? "V%u" : "D%u", i);
        reg_name_set(&core->name[REG_S0 + i], "S%u", i);
    }
    for (unsigned i = 0; i < 16; i++) {
        reg_name_set(&core->name[REG_Q0 + i], "Q%u", i);
    }
    reg_name_set(&core->name[REG_SP], "SP_%s", bank);
    if (!is_a64) {
        reg_name_set(&core->name[REG_LR32], "LR_%s", bank);
    }
    reg_name_set(&core->name[REG_CPSR], "CPSR");
    reg_name_set(&core->name[REG_FPCR], "FPCR");
    reg_name_set(&core->name[REG_FPSR], is_a64 ? "FPSR" : "FPSCR");
}

static char *put_time(char *p, uint64_t insn_count)
{
    char digits[24];
    uint64_t time = insn_count / INSNS_PER_TIME * TICKS_PER_TIME;
    size_t length = (size_t)(put_decimal(digits, time) - digits);
    for (size_t i = length; i < 11; i++) {
        *p++ = ' ';
    }
    p = put_bytes(p, digits, length);
    return PUT_LITERAL(p, " tic ");
}

#define INDENT "                    "

// A 16-byte row with the bytes [from, from + bytes) from data.
static char *put_row(char *p, uint64_t row, unsigned from, unsigned bytes, const uint8_t *data,
                     unsigned address_digits)
{
    p = put_hex(p, row, address_digits, hex_lower_pairs);
    for (unsigned i = 16; i-- > 0;) {
        if (i % 4 == 3) {
            *p++ = ' ';
        }
        bool is_accessed = i - from < bytes;
        memcpy(p, is_accessed ? hex_lower_pairs + 2 * data[i - from] : "..", 2);
        p += 2;
    }
    p = PUT_LITERAL(p, "    S:");
    p = put_hex(p, row, 10, hex_lower_pairs);
    *p++ = ' ';
    return PUT_LITERAL(p, "   nGnRnE OSH\n");
}

// Contiguous bytes that one instruction moved, highest row first. In A64 traces, further rows are
// continuation lines without LD or ST, which begin in the column of the address.
static char *put_block(char *p, bool is_a64, bool is_write, uint64_t address, const uint8_t *data,
                       unsigned bytes)
{
    uint64_t first_row = address & ~15ull;
    bool is_first = true;
    for (uint64_t row = (address + bytes - 1) & ~15ull;; row -= 16) {
        uint64_t low = row > address ? row : address;
        uint64_t high = row + 16 < address + bytes ? row + 16 : address + bytes;
        if (is_first || !is_a64) {
            p = PUT_LITERAL(p, INDENT);
            p = put_bytes(p, is_write ? "ST " : "LD ", 3);
        } else {
            p = PUT_LITERAL(p, INDENT "   ");
        }
        p = put_row(p, row, (unsigned)(low - row), (unsigned)(high - low), data + (low - address),
                    is_a64 ? 16 : 8);
        is_first = false;
        if (row == first_row) {
            return p;
        }
    }
}

// Stores the bytes of an access in memory order.
static void lay_out(uint8_t *data, const access_t *a, bool is_big_endian)
{
    uint64_t value[2] = {a->value[0], a->value[1]};
    if (is_big_endian) { // 32-bit programs have no accesses of 16 bytes
        value[0] = __builtin_bswap64(value[0]) >> (64 - 8 * a->bytes);
    }
    memcpy(data, value, a->bytes);
}

static char *put_accesses(char *p, bool is_a64, const step_t *s, bool is_big_endian)
{
    uint8_t data[STEP_ACCESSES_MAX * 16];
    for (unsigned i = 0; i < s->access_count;) {
        const access_t *first = &s->accesses[i];
        unsigned bytes = 0;
        do {
            lay_out(data + bytes, &s->accesses[i], is_big_endian);
            bytes += s->accesses[i].bytes;
            i++;
        } while (i < s->access_count && s->accesses[i].address == first->address + bytes &&
                 s->accesses[i].is_write == first->is_write);
        p = put_block(p, is_a64, first->is_write, first->address, data, bytes);
    }
    return p;
}

static char *put_register(const core_t *core, char *p, const insn_t *in, reg_write_t w,
                          const uint64_t value[2])
{
    bool is_a64 = core->machine->cache.is_a64;
    p = PUT_LITERAL(p, INDENT "R ");
    if (w.reg == REG_SYSTEM) {
        p = put_bytes(p, in->system_name, strlen(in->system_name));
    } else {
        p = put_bytes(p, core->name[w.reg].text, core->name[w.reg].length);
    }
    *p++ = ' ';
    bool is_vector = w.bytes == 16 || (is_a64 && w.reg >= REG_V0 && w.reg < REG_V0 + 32);
    if (is_vector) { // always the whole register: a scalar write clears the rest
        p = put_hex(p, value[1], 16, hex_lower_pairs);
        *p++ = '_';
        p = put_hex(p, value[0], 16, hex_lower_pairs);
    } else {
        bool is_wide = is_a64 && (w.reg <= REG_SP || w.reg == REG_SYSTEM);
        p = put_hex(p, value[0], is_wide ? 16 : w.bytes * 2u, hex_lower_pairs);
    }
    *p++ = '\n';
    return p;
}

static char *put_branch(char *p, uint64_t target, bool is_a64, char state)
{
    p = PUT_LITERAL(p, INDENT "BR (");
    p = put_hex(p, target, is_a64 ? 16 : 8, hex_lower_pairs);
    *p++ = ')';
    *p++ = ' ';
    *p++ = state;
    *p++ = '\n';
    return p;
}

static char *es_step(core_t *core, char *p)
{
    const step_t *s = &core->step;
    const insn_t *in = s->insn;
    bool is_a64 = in->state == 'O';
    p = put_time(p, core->insn_count);
    p = put_bytes(p, in->head, in->head_bytes);
    p = put_bytes(p, core->mode.text, core->mode.length);
    // Only AArch32 has CCFAIL: in A64, a conditional branch that is not taken was executed.
    p = s->passed ? put_bytes(p, in->tail, in->tail_bytes)
                  : put_bytes(p, in->failed_tail, in->failed_tail_bytes);
    p = put_accesses(p, is_a64, s, core->machine->image.is_big_endian);
    for (unsigned i = 0; i < shown_writes(core); i++) {
        p = put_register(core, p, in, in->writes[i], s->values[i]);
    }
    if (s->taken) {
        p = put_branch(p, s->next_pc, is_a64, in->state);
    }
    return p;
}

static char *es_exception(core_t *core, const exception_t *e, char *p)
{
    bool is_a64 = core->machine->cache.is_a64;
    p = put_time(p, core->insn_count);
    p += sprintf(p, "ES  EXC [0x%02x] %s\n", (unsigned)e->vector_offset,
                 e->kind == EXCEPTION_SVC ? "Supervisor Call" : "IRQ");
    p += sprintf(p, INDENT "R CPSR %08x\n", (unsigned)e->psr);
    if (is_a64) {
        p += sprintf(p, INDENT "R SPSR_EL1 %08x\n", (unsigned)e->saved_psr);
        p += sprintf(p, INDENT "R ELR_EL1 %016llx\n", (unsigned long long)e->return_address);
    } else {
        const char *bank = (e->psr & 0x1f) == MODE_IRQ ? "IRQ" : "SVC";
        p += sprintf(p, INDENT "R LR_%s %08x\n", bank, (unsigned)e->return_address);
        p += sprintf(p, INDENT "R SPSR_%s %08x\n", bank, (unsigned)e->saved_psr);
    }
    return put_branch(p, e->target, is_a64, is_a64 ? 'O' : 'A');
}

static char *es_header(const core_t *core, char *p)
{
    bool is_a64 = core->machine->cache.is_a64;
    p += sprintf(p, "Tarmac Text Rev 3t\n");
    p = put_time(p, 0);
    p += sprintf(p, is_a64 ? "ES  EXC Reset\n" : "ES  EXC [0x00] Reset\n");
    return put_branch(p, core->pc & ~1ull, is_a64, is_a64 ? 'O' : core->pc & 1 ? 'T' : 'A');
}

static char *es_footer(const core_t *core, char *p)
{
    (void)core;
    return p;
}

const style_t style_es = {
    .name = "es",
    .prepare = es_prepare,
    .name_registers = es_name_registers,
    .header = es_header,
    .step = es_step,
    .exception = es_exception,
    .footer = es_footer,
};
