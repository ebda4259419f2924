// Matching lines: those that begin before a limit, in order, with any line end.
#include "analysis/line_matcher.h"
#include "base/base.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

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

// Patterns for which the C library would take all memory, all time or the whole stack.
static void refuses_what_is_too_large(void)
{
    static const char *const repeated[] = {"((((a{255}){255}){255}){255}){255}",
                                           "((((b|){255}){255}){255}){255}",
                                           "(a{300}){300}",
                                           "((((a{0}){255}){255}){255}){255}",
                                           "[](]{32767}{3}",
                                           "a{0,30000}",
                                           "(()*){900}",
                                           "(()?){30,}",
                                           "(a*|b*){30,}",
                                           "([[:alpha:]]?)+{600}",
                                           "(\xc3\xa9?)+{600}",
                                           "(b||^){80}",
                                           "((b|\\<)c?){80}",
                                           "(()){32000}",
                                           "(a)(\\1){10000}"};
    static const char *const sound[] = {"a{1000}",
                                        "(ab{20}){20}",
                                        "[^]({]{300}x{300,}",
                                        "a++?*",
                                        "(a?|b){200}",
                                        "(^|[^a-z])(foo|bar|)($|,)",
                                        "(a*b?)*([[:space:]]*,[[:space:]]*)*",
                                        "((a*)*)+",
                                        "(foo(^|,|$)){100}"};
    static const char one_of_many[] = "(*+?a|";
    struct line_matcher *matcher;
    struct error err;
    char *many = malloc(100001);
    for (size_t i = 0; i < ARRAY_COUNT(repeated); i++) {
        CHECK(line_matcher_open(&matcher, repeated[i], SIMD_SCALAR, &err) == STATUS_INPUT);
        CHECK(strcmp(err.text, "the regular expression is too large") == 0);
    }
    for (size_t i = 0; i < ARRAY_COUNT(sound); i++) {
        CHECK(line_matcher_open(&matcher, sound[i], SIMD_SCALAR, &err) == STATUS_OK);
        line_matcher_close(matcher);
    }
    for (const char *byte = one_of_many; *byte; byte++) {
        memset(many, *byte, 100000);
        many[0] = *byte == '(' ? '(' : 'a';
        many[100000] = '\0';
        CHECK(line_matcher_open(&matcher, many, SIMD_SCALAR, &err) == STATUS_INPUT);
    }
    free(many);
}

const struct test_case line_matcher_tests[] = {
    {"line_matcher: finds lines", finds_lines},
    {"line_matcher: refuses what is too large", refuses_what_is_too_large},
    {0},
};
