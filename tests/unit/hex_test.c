#include "simd/text.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static void hex_of_every_length_matches_strtoull(void)
{
    uint64_t value = UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; round < 20000; round++) {
        char text[17];
        value = value * UINT64_C(6364136223846793005) + 1442695040888963407u;
        snprintf(text, sizeof text, round % 2 ? "%016llx" : "%016llX", (unsigned long long)value);
        size_t length = 1 + (size_t)(round % 16);
        text[length] = 0;
        CHECK(hex_sixteen(text, length) == strtoull(text, NULL, 16));
    }
    CHECK(hex_sixteen("", 0) == 0);
    CHECK(hex_eight("fFaA90bC") == 0xffaa90bc);
}

const struct test_case hex_tests[] = {
    {"hex_of_every_length_matches_strtoull", hex_of_every_length_matches_strtoull},
    {NULL, NULL},
};
