// Lines that match: those that begin before a limit, in order, whatever ends them.
#include "analysis/line_matcher.h"
#include "test.h"

static void finds_lines(void)
{
    static const char text[] = "one two\r\ntwo\n\nthree\ntwo three";
    const char *end = text + sizeof text - 1, *limit = text + 14;
    struct line_matcher *matcher;
    CHECK(line_matcher_open(&matcher, "two$", SIMD_SCALAR, NULL) == STATUS_OK);
    line_matcher_begin(matcher, limit, end);
    CHECK(line_matcher_next(matcher, text) == text);
    CHECK(line_matcher_next(matcher, text + 9) == text + 9);
    CHECK(line_matcher_next(matcher, text + 13) == NULL);
    line_matcher_close(matcher);
    CHECK(line_matcher_open(&matcher, "three|^$", SIMD_SCALAR, NULL) == STATUS_OK);
    line_matcher_begin(matcher, end, end);
    CHECK(line_matcher_next(matcher, text) == text + 13);
    CHECK(line_matcher_next(matcher, text + 14) == text + 14);
    CHECK(line_matcher_next(matcher, text + 20) == text + 20);
    line_matcher_close(matcher);
    CHECK(line_matcher_open(&matcher, "(", SIMD_SCALAR, NULL) == STATUS_INPUT);
}

const struct test_case line_matcher_tests[] = {
    {"line_matcher: finds lines", finds_lines},
    {0},
};
