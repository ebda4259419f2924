#include "trace/tarmac/data_flow.h"

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
    return cell <= UINT32_MAX && bank_is_change((unsigned)cell, mask);
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

const struct trace_dataflow tarmac_dataflow = {
    .read = tarmac_step_text,
    .before = before,
    .effects = effects,
    .flags_offset = REGISTER_OFFSET_PSR,
    .flags = EFFECT_NZCV,
    .is_bank = is_bank,
    .other_bank = other_bank,
};
