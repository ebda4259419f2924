#include "trace/tarmac/tarmac.h"

#include "arch/arm/arm.h"
#include "arch/arm/control.h"
#include "arch/arm/effects.h"
#include "arch/arm/registers.h"
#include "flow/effects.h"
#include "trace/tarmac/event_text.h"

// An IT instruction decides about up to four after it, which no branch enters.
static unsigned before(const struct trace_code *code)
{
    return code->isa == ISA_THUMB ? TRACE_CODES_BEFORE : 0;
}

// The condition that an IT block gives to an instruction.
static unsigned it_condition(const struct trace_code *code, const struct trace_code *before,
                             size_t count)
{
    uint64_t next = code->pc;
    for (size_t i = 0; i < count; i++) {
        uint8_t conditions[4];
        if (before[i].isa != ISA_THUMB || before[i].pc + before[i].size_bytes != next)
            break;
        unsigned inside =
            effects_it_block(before[i].encoding, before[i].size_bytes, ISA_THUMB, conditions);
        if (inside)
            return i < inside ? conditions[i] : OUTSIDE_IT;
        next = before[i].pc;
    }
    return OUTSIDE_IT;
}

static void effects(const struct trace_code *code, const struct trace_code *before, size_t count,
                    struct effects *effects)
{
    effects_decode(code->encoding, code->size_bytes, (enum isa_state)code->isa,
                   code->isa == ISA_THUMB ? it_condition(code, before, count) : OUTSIDE_IT,
                   effects);
}

static bool is_bank(uint64_t cell, unsigned mask)
{
    return arch_is_bank_change(&arch_arm, cell, mask);
}

// Of the M profile, which stack pointer is used does not follow from the mode.
static bool other_bank(uint64_t cell, unsigned before, unsigned now)
{
    const bool is_sp = cell == REGISTER_OFFSET_XSP / 8;
    if (!is_bank(cell, BANK_LOW_MASK) || before >= SP_BANK_NONE || now >= SP_BANK_NONE ||
        mode_is_m(before) || mode_is_m(now) || (is_sp && before > SP_BANK_EL3))
        return false;
    const enum sp_bank was = (enum sp_bank)before;
    return !bank_is_in_use((unsigned)cell, is_sp ? was : bank_of_aarch32(was), (enum sp_bank)now);
}

static const char *stack_name(unsigned mode)
{
    static const char *const names[] = {"SP_EL0", "SP_EL1", "SP_EL2", "SP_EL3"};
    return mode <= SP_BANK_EL3 ? names[mode] : NULL;
}

static bool leads(const struct trace_code *from, bool is_executed, uint64_t to,
                  struct trace_loop *loop)
{
    const uint64_t address = to & ~UINT64_C(1);
    const struct branch branch =
        control_decode(from->pc, from->encoding, from->size_bytes, (enum isa_state)from->isa);
    const uint64_t next = branch.next & ~UINT64_C(1);
    if (branch.ends_loop && branch.target != ADDRESS_UNKNOWN)
        *loop = (struct trace_loop){from->pc & ~UINT64_C(1), branch.target & ~UINT64_C(1)};
    if (address == next || (next == loop->end && address == loop->start && loop->start))
        return true;
    switch (branch.kind) {
    case BRANCH_NONE:
        return false;
    case BRANCH_JUMP:
    case BRANCH_CALL:
        return is_executed &&
               (branch.target == ADDRESS_UNKNOWN || address == (branch.target & ~UINT64_C(1)));
    default:
        return is_executed;
    }
}

const struct trace_dataflow tarmac_dataflow = {
    .read = tarmac_step_text,
    .before = before,
    .effects = effects,
    .flags_offset = REGISTER_OFFSET_PSR,
    .flags = EFFECT_NZCV,
    .is_bank = is_bank,
    .other_bank = other_bank,
    .stack_cell = REGISTER_OFFSET_XSP / 8,
    .stack_isa = ISA_AARCH64,
    .stack_name = stack_name,
    .leads = leads,
};
