// What the decoders of effects.h share.
#ifndef TRAWL_ARCH_ARM_EFFECTS_BUILD_H
#define TRAWL_ARCH_ARM_EFFECTS_BUILD_H

#include "arch/arm/effects.h"
#include "arch/arm/registers.h"
#include "flow/effects_build.h"

#define VECTOR(n) (REGISTER_OFFSET_VECTORS + REGISTER_BYTES_Z * (uint64_t)(n))
#define FIELD(encoding, low, bits) ((encoding) >> (low) & ((1U << (bits)) - 1))

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
