// A64: floating point and Advanced SIMD.
#include "arch/arm/effects_build.h"

bool effects_of_a64_vector(struct build *b, uint32_t encoding)
{
    (void)b, (void)encoding;
    return false;
}

bool effects_of_sve(struct build *b, uint32_t encoding)
{
    (void)b, (void)encoding;
    return false;
}
