// Values of which not all is known, and the registers that a list of names stands for.
#include "analysis/register_set.h"
#include "report/value.h"
#include "test.h"

static void unknown_bytes_are_dots(void)
{
    static const uint8_t values[] = {0x0d, 0xf0, 0xad, 0xde}, known[] = {1, 1, 0, 1};
    char text[VALUE_TEXT_MAX];
    CHECK(value_number(text, values, known, 4) == 10);
    CHECK(strcmp(text, "0xde..f00d") == 0);
    value_bytes(text, values, known, 4);
    CHECK(strcmp(text, "0df0..de") == 0);
    CHECK(value_number(text, values, known, 0) == 2);
    value_bytes(text, values, known, 0);
    CHECK(*text == '\0');
}

static void the_largest_value_fits(void)
{
    uint8_t values[VALUE_BYTES_MAX] = {0}, known[VALUE_BYTES_MAX] = {0};
    char text[VALUE_TEXT_MAX];
    CHECK(value_number(text, values, known, VALUE_BYTES_MAX) == VALUE_TEXT_MAX - 1);
}

static bool is_listed(const char *text, bool aarch64, size_t count, const char *first,
                      const char *last)
{
    struct register_set set;
    return register_set_parse(&set, text, aarch64, NULL) == STATUS_OK && set.count == count &&
           strcmp(set.items[0].name, first) == 0 && strcmp(set.items[count - 1].name, last) == 0;
}

static void words_stand_for_groups(void)
{
    CHECK(is_listed("general", true, 33, "x0", "psr"));
    CHECK(is_listed("vector", true, 34, "v0", "fpsr"));
    CHECK(is_listed(NULL, true, 67, "x0", "fpsr"));
    CHECK(is_listed("all", true, 115, "x0", "fpsr"));
    CHECK(is_listed("general", false, 16, "r0", "psr"));
    CHECK(is_listed("x3,general,W0", true, 35, "x3", "W0"));
}

static void faulty_lists(void)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } known[] = {{"", 0},    {"x0,", 3}, {"x0,,x1", 3},
                 {"x31", 0}, {"pc", 0},  {"x0,reallylongname", 3}};
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct register_set set;
        struct error err;
        CHECK(register_set_parse(&set, known[i].text, true, &err) == STATUS_INPUT);
        CHECK(err.offset == known[i].offset);
    }
}

static void lists_have_a_limit(void)
{
    struct register_set set;
    struct error err;
    CHECK(register_set_parse(&set, "all,all,x0", true, &err) == STATUS_OK);
    CHECK(register_set_parse(&set, "all,all,all", true, &err) == STATUS_LIMIT && err.offset == 8);
}

const struct test_case value_tests[] = {
    {"unknown_bytes_are_dots", unknown_bytes_are_dots},
    {"the_largest_value_fits", the_largest_value_fits},
    {"words_stand_for_groups", words_stand_for_groups},
    {"faulty_lists", faulty_lists},
    {"lists_have_a_limit", lists_have_a_limit},
    {NULL, NULL},
};
