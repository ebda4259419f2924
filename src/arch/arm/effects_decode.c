// From an encoding to the decoder of its instruction set, and what conditions add.
#include "arch/arm/effects_build.h"

// What a condition decides is also in the inputs of each flow, so that who only follows inputs
// misses nothing.
static void add_condition(struct build *b, unsigned condition)
{
    struct effects *effects = b->effects;
    unsigned flags = effects_condition_flags(condition);
    if (condition >= CONDITION_ALWAYS)
        return;
    effects->is_conditional = true;
    effects->condition = (uint8_t)condition;
    for (unsigned i = 0; i < effects->flow_count; i++) {
        struct effect_flow *flow = &effects->flows[i];
        unsigned first = effects->input_count;
        if (first + flow->count + 1U > EFFECT_INPUTS) {
            effects->is_known = false;
            return;
        }
        for (unsigned k = 0; k < flow->count; k++)
            effects->inputs[first + k] = effects->inputs[flow->first + k];
        effects->inputs[first + flow->count] = (struct effect_place){
            .kind = EFFECT_FLAGS, .role = ROLE_CONDITION, .offset = (uint16_t)flags};
        flow->first = (uint16_t)first;
        flow->count++;
        effects->input_count = (uint16_t)(first + flow->count);
    }
}

// Whether two flows write a byte of a general register: then the architecture does not say which of
// them counts (LDR X0, [X0], #8). Those of vectors are found
// where they are decoded.
static bool writes_twice(const struct effects *effects)
{
    uint64_t written[REGISTER_OFFSET_VECTORS / 64] = {0};
    for (unsigned i = 0; i < effects->flow_count; i++) {
        const struct effect_place *output = &effects->flows[i].output;
        if (output->kind != EFFECT_REGISTER || output->offset >= REGISTER_OFFSET_VECTORS)
            continue;
        uint64_t mask = ((UINT64_C(1) << output->bytes) - 1) << output->offset % 64;
        if (written[output->offset / 64] & mask) // of eight bytes at most, within a register
            return true;
        written[output->offset / 64] |= mask;
    }
    return false;
}

// Branches of T32 have a condition of their own.
static unsigned condition_of_branch(uint32_t encoding, uint32_t size_bytes)
{
    unsigned condition = size_bytes == 2 ? encoding >> 8 & 15 : encoding >> 22 & 15;
    bool is_branch = size_bytes == 2 ? encoding >> 12 == 13 : (encoding & 0xf800d000) == 0xf0008000;
    return is_branch && condition < CONDITION_ALWAYS ? condition : CONDITION_ALWAYS;
}

void effects_decode(uint32_t encoding, uint32_t size_bytes, enum isa_state isa,
                    unsigned it_condition, struct effects *effects)
{
    struct build b = {.effects = effects};
    unsigned condition = CONDITION_ALWAYS;
    b.flow = &b.nowhere;
    effects->is_known = true;
    effects->is_exception = effects->is_conditional = effects->selects = false;
    effects->condition = CONDITION_ALWAYS;
    effects->flow_count = effects->input_count = 0;
    bool is_known = false;
    switch (isa) {
    case ISA_AARCH64:
        is_known = effects_of_a64(&b, encoding);
        break;
    case ISA_ARM:
        condition = encoding >> 28 == 15 ? CONDITION_ALWAYS : encoding >> 28;
        is_known = effects_of_a32(&b, encoding);
        break;
    case ISA_THUMB:
        if (it_condition < OUTSIDE_IT)
            condition = it_condition;
        else
            condition = condition_of_branch(encoding, size_bytes);
        is_known = size_bytes == 2 ? effects_of_t16(&b, encoding, it_condition >= OUTSIDE_IT)
                                   : effects_of_t32(&b, encoding);
    }
    is_known = is_known && (effects->flow_count < 2 || !writes_twice(effects));
    if (is_known)
        add_condition(&b, condition);
    if (is_known && effects->is_known)
        return;
    effects->is_known = effects->is_exception = effects->is_conditional = effects->selects = false;
    effects->flow_count = effects->input_count = 0;
}
