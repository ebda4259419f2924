// Matching lines: those that begin before a limit, in order, with any line end.
#include "base/base.h"
#include "search/line_matcher.h"
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
                                           "(()){32000}"};
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

// POSIX has none in extended expressions, and the C library takes minutes for a line.
static void refuses_back_references(void)
{
    static const char *const refused[] = {"(a|aa)*\\1c", "(a)(\\1){10000}", "^(x)|\\1",
                                          "(((a)))[b]\\9", "\\1"};
    static const char *const sound[] = {"(a)[\\1]", "(a)\\\\1", "(a)1"};
    struct line_matcher *matcher;
    struct error err;
    for (size_t i = 0; i < ARRAY_COUNT(refused); i++) {
        CHECK(line_matcher_open(&matcher, refused[i], SIMD_SCALAR, &err) == STATUS_INPUT);
        CHECK(strstr(err.text, "back-reference"));
    }
    for (size_t i = 0; i < ARRAY_COUNT(sound); i++) {
        CHECK(line_matcher_open(&matcher, sound[i], SIMD_SCALAR, &err) == STATUS_OK);
        line_matcher_close(matcher);
    }
}

static uint64_t count_in(const char *pattern, const char *text, size_t length)
{
    struct line_matcher *matcher;
    CHECK(line_matcher_open(&matcher, pattern, SIMD_SCALAR, NULL) == STATUS_OK);
    line_matcher_begin(matcher, text + length, text + length);
    uint64_t count = line_matcher_count(matcher, text);
    line_matcher_close(matcher);
    return count;
}

// Long lines, with patterns for which the C library alone takes quadratic time (minutes for this
// text), or memory for each byte (gigabytes).
static void long_lines_take_linear_time(void)
{
    enum { LINE_BYTES = 65000, LINES = 8 };
    static const struct {
        const char *pattern;
        uint64_t count;
    } cases[] = {
        {"a.*\\bX", 0},      {"[[:alpha:]]+\\bX", 0},  {"((a?)+)+\\bX", 0},        {"(^|b).*X", 0},
        {"\\ba.*b$", LINES}, {"(a|b)*a(a|b){30}X", 0}, {"(a|b)*a(a|b){12}\\bX", 0}};
    size_t length = (size_t)LINES * (LINE_BYTES + 1);
    char *text = malloc(length);
    uint32_t random = 1;
    for (size_t i = 0; i < length; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = i % (LINE_BYTES + 1) == 0 ? 'a' : random >> 31 ? 'a' : 'b';
    }
    for (size_t i = 1; i <= LINES; i++)
        memcpy(text + i * (LINE_BYTES + 1) - 2, "b\n", 2);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        CHECK(count_in(cases[i].pattern, text, length) == cases[i].count);
    free(text);
}

// Whatever way a line is matched, it matches the same. Patterns that only the C library can match
// are as good as that: musl's finds nothing in lines with ill-formed UTF-8, and takes \b for the
// ends of empty lines.
static void ways_to_match_agree(void)
{
#ifdef __GLIBC__
    const bool is_musl = false;
#else
    const bool is_musl = true;
#endif
    enum { ILL_FORMED = 0x18 };
    static const char *const texts[] = {
        "a\n", "xa)b\n", "caf\xc3\xa9 x\n", "\377ab x\n", "ab\xff x\r\n", "\n", "-x-\n"};
    static const struct {
        const char *pattern;
        unsigned taken; // a bit each
    } cases[] = {{"a)b", 0x02},   {"\\bx\\b", 0x5c}, {"(^|q)a\\b", 0x01},
                 {"\\<x$", 0x1c}, {"x\\>-$", 0x40},  {"^\\b|^$", 0x37}};
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const bool is_of_empty_lines = strcmp(cases[i].pattern, "^\\b|^$") == 0;
        for (size_t t = 0; t < ARRAY_COUNT(texts); t++) {
            if (is_musl && (ILL_FORMED >> t & 1 || is_of_empty_lines))
                continue;
            CHECK(count_in(cases[i].pattern, texts[t], strlen(texts[t])) ==
                  (cases[i].taken >> t & 1));
        }
    }
}

static void a_stopped_search_ends(void)
{
    static const char text[] = "one x\ntwo x\n";
    const _Atomic bool stops = true;
    struct line_matcher *matcher;
    CHECK(line_matcher_open(&matcher, "\\bx", SIMD_SCALAR, NULL) == STATUS_OK);
    line_matcher_stop_at(matcher, &stops);
    line_matcher_begin(matcher, text + sizeof text - 1, text + sizeof text - 1);
    CHECK(line_matcher_next(matcher, text) == NULL);
    CHECK(line_matcher_count(matcher, text) == 0);
    line_matcher_close(matcher);
}

const struct test_case line_matcher_tests[] = {
    {"line_matcher: refuses back-references", refuses_back_references},
    {"line_matcher: long lines take linear time", long_lines_take_linear_time},
    {"line_matcher: ways to match agree", ways_to_match_agree},
    {"line_matcher: a stopped search ends", a_stopped_search_ends},
    {"line_matcher: finds lines", finds_lines},
    {"line_matcher: refuses what is too large", refuses_what_is_too_large},
    {0},
};
