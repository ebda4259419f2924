#include "text.h"

char hex_lower_pairs[512];
char hex_upper_pairs[512];
char decimal_pairs[200];

void text_init(void)
{
    static const char lower[] = "0123456789abcdef";
    static const char upper[] = "0123456789ABCDEF";
    for (unsigned i = 0; i < 256; i++) {
        hex_lower_pairs[2 * i] = lower[i >> 4];
        hex_lower_pairs[2 * i + 1] = lower[i & 15];
        hex_upper_pairs[2 * i] = upper[i >> 4];
        hex_upper_pairs[2 * i + 1] = upper[i & 15];
    }
    for (unsigned i = 0; i < 100; i++) {
        decimal_pairs[2 * i] = lower[i / 10];
        decimal_pairs[2 * i + 1] = lower[i % 10];
    }
}
