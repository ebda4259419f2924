// Fields of the encodings of instructions.
#ifndef TRAWL_ARCH_ENCODING_H
#define TRAWL_ARCH_ENCODING_H

#include "base/base.h"

// `count` bits, at most 31, from bit `low` on.
static inline uint32_t bits(uint32_t code, unsigned low, unsigned count)
{
    return code >> low & ((UINT32_C(1) << count) - 1);
}

// A number of `width` bits in two's complement; `value` has no bits above them.
static inline int64_t sign_extend(uint64_t value, unsigned width)
{
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((value ^ sign) - sign);
}

#endif
