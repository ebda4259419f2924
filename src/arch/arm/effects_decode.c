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
    if (isa == ISA_AARCH64) {
        is_known = effects_of_a64(&b, encoding);
    }
    if (is_known)
        add_condition(&b, condition);
    (void)size_bytes, (void)it_condition;
    if (is_known && effects->is_known)
        return;
    effects->is_known = effects->is_exception = effects->is_conditional = effects->selects = false;
    effects->flow_count = effects->input_count = 0;
}
