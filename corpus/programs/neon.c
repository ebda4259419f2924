// NEON loads and stores of whole structures; see neon_a64.S.
#include "lib.h"

uint32_t neon_shuffle(const uint8_t *from, uint8_t *to);

static uint8_t source[64] __attribute__((aligned(16)));
static uint8_t target[160] __attribute__((aligned(16)));

int main(void)
{
    uint64_t seed = 77;
    uint32_t sum = 0;
    for (int round = 0; round < 2; round++) {
        for (unsigned i = 0; i < sizeof source; i++) {
            source[i] = (uint8_t)random_next(&seed);
        }
        sum += neon_shuffle(source, target + round);
    }
    for (unsigned i = 0; i < sizeof target; i++) {
        sum += target[i];
    }
    print_number("sum ", sum);
    return 0;
}
