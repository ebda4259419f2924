#include "arch/arm/effects.h"

unsigned effects_condition_flags(unsigned condition)
{
    static const uint8_t flags[] = {EFFECT_Z,
                                    EFFECT_C,
                                    EFFECT_N,
                                    EFFECT_V,
                                    EFFECT_C | EFFECT_Z,
                                    EFFECT_N | EFFECT_V,
                                    EFFECT_N | EFFECT_Z | EFFECT_V,
                                    0};
    return flags[condition >> 1 & 7];
}

bool effects_condition_holds(unsigned condition, uint32_t psr)
{
    bool n = psr >> 31, z = psr >> 30 & 1, c = psr >> 29 & 1, v = psr >> 28 & 1, holds = true;
    switch (condition >> 1 & 7) {
    case 0:
        holds = z;
        break;
    case 1:
        holds = c;
        break;
    case 2:
        holds = n;
        break;
    case 3:
        holds = v;
        break;
    case 4:
        holds = c && !z;
        break;
    case 5:
        holds = n == v;
        break;
    case 6:
        holds = n == v && !z;
        break;
    case 7:
        return true;
    }
    return holds != (condition & 1);
}

unsigned effects_it_block(uint32_t encoding, uint32_t size_bytes, enum isa_state isa,
                          uint8_t conditions[4])
{
    unsigned mask = encoding & 15, condition = encoding >> 4 & 15, count = 4;
    if (isa != ISA_THUMB || size_bytes != 2 || encoding >> 8 != 0xbf || !mask)
        return 0;
    while (!(mask & 1))
        mask >>= 1, count--;
    for (unsigned i = 0; i < count; i++) // the lowest bit of each is in the mask, after the first
        conditions[i] = (uint8_t)(i ? (condition & 14) | (encoding >> (4 - i) & 1) : condition);
    return count;
}
