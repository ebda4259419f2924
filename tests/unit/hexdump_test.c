// Dumps of memory: rows, unknown bytes, skipped rows; and the same text for any division of the
// bytes.
#include "random.h"
#include "report/value.h"
#include "test.h"

#include <stdlib.h>

// A dump in steps of `step` bytes; to be freed.
static char *dump_text(uint64_t address, const uint8_t *values, const bool *known, size_t count,
                       size_t step, bool collapse)
{
    struct out out;
    struct hexdump dump;
    CHECK(out_open_memory(&out, NULL) == STATUS_OK);
    hexdump_begin(&dump, &out, address, count, collapse);
    for (size_t at = 0; at < count; at += step)
        hexdump_bytes(&dump, values + at, known ? known + at : NULL,
                      (size_t)u64_min(step, count - at));
    hexdump_end(&dump);
    char *text = strdup(out_memory_text(&out));
    CHECK(out_close(&out, NULL) == STATUS_OK);
    return text;
}

// Checks a dump of values 0, 1, 2... from `first` on; those with a '+' are known.
static void check_dump(uint64_t address, uint8_t first, const char *pattern, bool collapse,
                       const char *expected)
{
    uint8_t values[256];
    bool known[256];
    size_t count = strlen(pattern);
    for (size_t i = 0; i < count; i++) {
        values[i] = (uint8_t)(first + i);
        known[i] = pattern[i] == '+';
    }
    char *text = dump_text(address, values, known, count, 256, collapse);
    CHECK_STR(text, expected);
    free(text);
}

#define UNKNOWN_ROW "----------------"
#define DOTS ".. .. .. .. .. .. .. .."

// Instead of missing bytes: some of the first half, and the whole second half.
#define NO_4 "            "
#define NO_5 NO_4 "   "
#define NO_6 NO_5 "   "
#define NO_7 NO_6 "   "
#define NO_HALF "                         "

static void rows_and_their_ends(void)
{
    check_dump(0x8000, 'A', "++++++++++++++++++", false,
               "0x00008000  41 42 43 44 45 46 47 48  49 4a 4b 4c 4d 4e 4f 50  |ABCDEFGHIJKLMNOP|\n"
               "0x00008010  51 52" NO_6 NO_HALF "  |QR|\n");
    check_dump(0x8003, 'A', "+--+", false, "0x00008003  41 .. .. 44" NO_4 NO_HALF "  |A  D|\n");
    check_dump(0, 0, "", false, "");
    check_dump(0, 0, "", true, "");
}

static void only_printable_ascii_is_shown(void)
{
    check_dump(0, 0x1e, "+++", false, "0x00000000  1e 1f 20" NO_5 NO_HALF "  |.. |\n");
    check_dump(0, 0x7d, "++++", false, "0x00000000  7d 7e 7f 80" NO_4 NO_HALF "  |}~..|\n");
}

static void unknown_rows_collapse_when_asked(void)
{
    static const char pattern[] = "+---------------" UNKNOWN_ROW UNKNOWN_ROW "---------------+";
    check_dump(0x100, 0x30, pattern, true,
               "0x00000100  30 .. .. .. .. .. .. ..  " DOTS "  |0               |\n"
               "*\n"
               "0x00000130  " DOTS "  .. .. .. .. .. .. .. 6f  |               o|\n");
    check_dump(0x100, 0x30, UNKNOWN_ROW "---", false,
               "0x00000100  " DOTS "  " DOTS "  |                |\n"
               "0x00000110  .. .. .." NO_5 NO_HALF "  |   |\n");
    check_dump(0x100, 0x30, UNKNOWN_ROW UNKNOWN_ROW "---", true, "*\n0x00000123\n");
    check_dump(0x100, 0x30, UNKNOWN_ROW UNKNOWN_ROW "--+", true,
               "*\n0x00000120  .. .. 52" NO_5 NO_HALF "  |  R|\n");
}

static void addresses_are_as_wide_as_the_last_one(void)
{
    check_dump(0xffffffff, 0x41, "+", false, "0xffffffff  41" NO_7 NO_HALF "  |A|\n");
    check_dump(0xffffffff, 0x41, "+-", false, "0x00000000ffffffff  41 .." NO_6 NO_HALF "  |A |\n");
    check_dump(UINT64_MAX, 0x41, "-", true, "*\n0x0000000000000000\n");
    check_dump(UINT64_MAX, 0x41, "+-", false, "0xffffffffffffffff  41 .." NO_6 NO_HALF "  |A |\n");
}

static void steps_do_not_matter(void)
{
    struct prng prng = {5};
    static uint8_t values[600];
    static bool known[600];
    for (size_t i = 0; i < sizeof values; i++) {
        values[i] = (uint8_t)prng_next(&prng);
        known[i] = i / 40 % 2 && prng_percent(&prng, 80);
    }
    for (size_t count = 0; count < sizeof values; count += 1 + count / 3) {
        char *whole = dump_text(0x1234, values, known, count, 600, true);
        for (size_t step = 1; step < 40; step++) {
            char *text = dump_text(0x1234, values, known, count, step, true);
            CHECK_STR(text, whole);
            free(text);
        }
        free(whole);
    }
}

static void all_is_known_without_a_mask(void)
{
    char *text = dump_text(0, (const uint8_t *)"abc", NULL, 3, 2, true);
    CHECK_STR(text, "0x00000000  61 62 63" NO_5 NO_HALF "  |abc|\n");
    free(text);
}

const struct test_case hexdump_tests[] = {
    {"rows_and_their_ends", rows_and_their_ends},
    {"only_printable_ascii_is_shown", only_printable_ascii_is_shown},
    {"unknown_rows_collapse_when_asked", unknown_rows_collapse_when_asked},
    {"addresses_are_as_wide_as_the_last_one", addresses_are_as_wide_as_the_last_one},
    {"steps_do_not_matter", steps_do_not_matter},
    {"all_is_known_without_a_mask", all_is_known_without_a_mask},
    {NULL, NULL},
};
