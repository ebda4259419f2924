// How the decoders of effects.h write flows. An output is opened, and inputs are added to it.
#ifndef TRAWL_ARCH_ARM_EFFECTS_BUILD_H
#define TRAWL_ARCH_ARM_EFFECTS_BUILD_H

#include "arch/arm/effects.h"
#include "arch/arm/registers.h"

#define VECTOR(n) (REGISTER_OFFSET_VECTORS + REGISTER_BYTES_Z * (uint64_t)(n))
#define FIELD(encoding, low, bits) ((encoding) >> (low) & ((1U << (bits)) - 1))

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

// --- A64 -----------------------------------------------------------------------------------------

static inline void from_x(struct build *b, enum effect_role role, unsigned n, unsigned bytes)
{
    if (n != 31)
        from_register(b, role, REGISTER_OFFSET_X(n), bytes);
}

static inline void from_xsp(struct build *b, enum effect_role role, unsigned n, unsigned bytes)
{
    from_register(b, role, REGISTER_OFFSET_X(n), bytes); // xsp is after x30
}

static inline void to_xsp(struct build *b, unsigned n, unsigned bytes)
{
    if (bytes < 8)
        to_register(b, REGISTER_OFFSET_X(n) + bytes, 8 - bytes);
    to_register(b, REGISTER_OFFSET_X(n), bytes);
}

// The rest of the register is cleared.
static inline void to_x(struct build *b, unsigned n, unsigned bytes)
{
    if (n == 31)
        to_nowhere(b);
    else
        to_xsp(b, n, bytes);
}

// Writing a part of a vector register in AArch64 clears the rest, up to the widest of SVE.
static inline void to_v(struct build *b, unsigned n, unsigned bytes)
{
    to_register(b, VECTOR(n) + bytes, REGISTER_BYTES_Z - bytes);
    to_register(b, VECTOR(n), bytes);
}

static inline void from_v(struct build *b, enum effect_role role, unsigned n, unsigned bytes)
{
    from_register(b, role, VECTOR(n), bytes);
}

// An element is written: the rest of the vector stays, beyond it is cleared.
static inline void keep_rest_of_v(struct build *b, unsigned n, unsigned low, unsigned bytes)
{
    to_register(b, VECTOR(n) + REGISTER_BYTES_V, REGISTER_BYTES_Z - REGISTER_BYTES_V);
    if (low) {
        to_register(b, VECTOR(n), low);
        from_register(b, ROLE_COPY, VECTOR(n), low);
    }
    if (low + bytes < REGISTER_BYTES_V) {
        to_register(b, VECTOR(n) + low + bytes, REGISTER_BYTES_V - low - bytes);
        from_register(b, ROLE_COPY, VECTOR(n) + low + bytes, REGISTER_BYTES_V - low - bytes);
    }
}

static inline void from_memory(struct build *b, enum effect_role role, unsigned offset,
                               unsigned bytes)
{
    from(b, role, EFFECT_MEMORY, offset, bytes);
}

// Each decodes one instruction set. False: there is no such instruction, or it is not known.
bool effects_of_a64(struct build *b, uint32_t encoding);
bool effects_of_a64_access(struct build *b, uint32_t encoding);
bool effects_of_a64_vector(struct build *b, uint32_t encoding);
bool effects_of_sve(struct build *b, uint32_t encoding);
bool effects_of_a32(struct build *b, uint32_t encoding);
bool effects_of_t16(struct build *b, uint32_t encoding, bool sets_flags);
bool effects_of_t32(struct build *b, uint32_t encoding);
// Advanced SIMD and floating point of AArch32, in the encoding of A32.
bool effects_of_vfp(struct build *b, uint32_t encoding);

#endif
