// The functions that programs need from the compiler's runtime: 128-bit division, bit by bit, for a
// few figures of reports, and counting bits, for jemalloc. Programs are linked without that
// runtime, because it contains a slow memset that replaces the one of the C library.
#include "base/base.h"

typedef unsigned __int128 u128;

u128 __udivti3(u128 dividend, u128 divisor);
int __popcountdi2(uint64_t bits);

u128 __udivti3(u128 dividend, u128 divisor)
{
    u128 quotient = 0, rest = 0;
    if (!(dividend >> 64) && divisor && !(divisor >> 64)) // by far the most common case
        return (uint64_t)dividend / (uint64_t)divisor;
    for (int bit = 127; bit >= 0; bit--) {
        bool carry = rest >> 127;
        rest = rest << 1 | (dividend >> bit & 1);
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= (u128)1 << bit;
        }
    }
    return quotient;
}

int __popcountdi2(uint64_t bits)
{
    return (int)u64_ones(bits);
}
