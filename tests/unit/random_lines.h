// Lines of random traces of several cores, which access little memory. To be included once.
#ifndef TRAWL_TESTS_UNIT_RANDOM_LINES_H
#define TRAWL_TESTS_UNIT_RANDOM_LINES_H

#include "random.h"

#include <inttypes.h>
#include <stdio.h>

#define LANES 3
#define MEMORY_FIRST 0x1ff0
#define MEMORY_BYTES 112

static void add_line(struct prng *prng, char *text, unsigned lanes, uint64_t *time)
{
    char *at = text + strlen(text);
    unsigned pick = prng_below(prng, 100);
    if (prng_percent(prng, 70)) {
        if (prng_percent(prng, 3)) // a clock that was reset
            *time -= u64_min(*time, prng_below(prng, 9));
        *time += prng_percent(prng, 60) ? prng_below(prng, 3) : 0;
        at += sprintf(at, "%" PRIu64 " ", *time);
    }
    if (lanes > 1)
        at += sprintf(at, "cpu%u ", prng_below(prng, lanes));
    unsigned pc = 0x1000 + 64 * prng_below(prng, 12);
    if (pick < 25)
        sprintf(at, "IT %x d503201f O : x\n", pc + (pick < 8 ? 4 : 0));
    else if (pick < 33)
        sprintf(at, "IT %x d503201f O : x\nR x30 %016x\n", pc, pc + 4); // possibly a call
    else if (pick < 35)
        sprintf(at, "R sp %016x\n", 0x8000 + 16 * prng_below(prng, 3));
    else if (pick < 40)
        sprintf(at, "IS %x e1a00000 A : x\n", 0x1000 + 4 * prng_below(prng, 8));
    else if (pick < 52)
        sprintf(at, "R %c%u %0*x\n", "xw"[pick & 1], prng_below(prng, 4), pick & 1 ? 8 : 16,
                prng_below(prng, 1000));
    else if (pick < 60)
        sprintf(at, "R %c%u %0*x\n", "sd"[pick & 1], prng_below(prng, 6), pick & 1 ? 16 : 8, pick);
    else if (pick < 92)
        sprintf(at, "M%c%u %x %0*x\n", "RW"[prng_percent(prng, 50)], 1u << (pick % 4),
                MEMORY_FIRST + prng_below(prng, MEMORY_BYTES - 8), 2 << (pick % 4),
                prng_below(prng, 1 << 30) & ((1u << ((8 << (pick % 4)) & 31)) - 1));
    else if (pick < 95)
        sprintf(at, "MW4 %x xxxxxxxx\n", MEMORY_FIRST + prng_below(prng, MEMORY_BYTES - 8));
    else if (pick < 98)
        sprintf(at, "ST %016x ........ 000ffbb8 ....#### ........\n",
                MEMORY_FIRST + 16 * prng_below(prng, MEMORY_BYTES / 16));
    else
        sprintf(at, "EXC\n");
}

#endif
