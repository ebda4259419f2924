// How decoders of instructions write flows (flow/effects.h). An output is opened, and inputs are
// added to it.
#ifndef TRAWL_FLOW_EFFECTS_BUILD_H
#define TRAWL_FLOW_EFFECTS_BUILD_H

#include "flow/effects.h"

struct build {
    struct effects *effects;
    struct effect_flow
        *flow; // the open one; `nowhere` if what is written is lost (the zero register)
    struct effect_flow nowhere;
};

static inline void to(struct build *b, enum effect_place_kind kind, uint64_t offset, uint64_t bytes)
{
    struct effects *effects = b->effects;
    if (effects->flow_count == EFFECT_FLOWS) {
        effects->is_known = false;
        b->flow = &b->nowhere;
        return;
    }
    b->flow = &effects->flows[effects->flow_count++];
    b->flow->output = (struct effect_place){
        .kind = (uint8_t)kind, .offset = (uint16_t)offset, .bytes = (uint16_t)bytes};
    b->flow->first = effects->input_count;
    b->flow->count = 0;
}

static inline void from(struct build *b, enum effect_role role, enum effect_place_kind kind,
                        uint64_t offset, uint64_t bytes)
{
    struct effects *effects = b->effects;
    if (b->flow == &b->nowhere)
        return;
    if (effects->input_count == EFFECT_INPUTS) {
        effects->is_known = false;
        return;
    }
    effects->inputs[effects->input_count++] = (struct effect_place){.kind = (uint8_t)kind,
                                                                    .role = (uint8_t)role,
                                                                    .offset = (uint16_t)offset,
                                                                    .bytes = (uint16_t)bytes};
    b->flow->count++;
}

// What follows is lost.
static inline void to_nowhere(struct build *b)
{
    b->flow = &b->nowhere;
}

static inline void to_register(struct build *b, uint64_t offset, uint64_t bytes)
{
    to(b, EFFECT_REGISTER, offset, bytes);
}

static inline void from_register(struct build *b, enum effect_role role, uint64_t offset,
                                 uint64_t bytes)
{
    from(b, role, EFFECT_REGISTER, offset, bytes);
}

static inline void to_flags(struct build *b, unsigned flags)
{
    to(b, EFFECT_FLAGS, flags, 0);
}

static inline void from_flags(struct build *b, enum effect_role role, unsigned flags)
{
    if (flags)
        from(b, role, EFFECT_FLAGS, flags, 0);
}

// Another output with exactly the inputs of the open one.
static inline void also_to(struct build *b, enum effect_place_kind kind, uint64_t offset,
                           uint64_t bytes)
{
    struct effect_flow *same = b->flow;
    to(b, kind, offset, bytes);
    if (b->flow != &b->nowhere) {
        b->flow->first = same->first;
        b->flow->count = same->count;
    }
}

static inline void from_memory(struct build *b, enum effect_role role, unsigned offset,
                               unsigned bytes)
{
    from(b, role, EFFECT_MEMORY, offset, bytes);
}

#endif
