// What programs need of the compiler's runtime: 128-bit division, bit by bit, for a few figures of
// a report, and counting bits, for jemalloc. They are linked without that runtime, since with it
// comes a memset that stores byte by byte, and takes the place of the C library's.
#include "base/base.h"

typedef unsigned __int128 u128;

u128 __udivti3(u128 dividend, u128 divisor);
int __popcountdi2(uint64_t bits);

u128 __udivti3(u128 dividend, u128 divisor)
{
    u128 quotient = 0, rest = 0;
    if (!(dividend >> 64) && divisor && !(divisor >> 64)) // as nearly always
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
