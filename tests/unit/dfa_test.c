// The automaton of a pattern is compared with the C library's matcher, line by line.
#include "random.h"
#include "search/dfa.h"
#include "test.h"

#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 60000, PATTERN_BYTES = 200 };

// --- Random patterns and texts -------------------------------------------------------------------

static void add(char *pattern, const char *text)
{
    if (strlen(pattern) + strlen(text) < PATTERN_BYTES)
        memcpy(pattern + strlen(pattern), text, strlen(text) + 1);
}

static void add_pattern(struct prng *random, char *pattern, unsigned depth);

static void add_piece(struct prng *random, char *pattern, unsigned depth)
{
    static const char *const parts[] = {"a",           "b",    "c",    "ab",    "\xc3\xa9",
                                        ".",           "[ab]", "[^a]", "[a-c]", "[]x]",
                                        "[[:digit:]]", "\\.",  "0"};
    static const char *const times[] = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}"};
    if (depth && prng_below(random, 4) == 0) {
        add(pattern, "(");
        add_pattern(random, pattern, depth - 1);
        add(pattern, ")");
    } else {
        add(pattern, parts[prng_below(random, ARRAY_COUNT(parts))]);
    }
    // A repetition applies only to the last of several characters.
    add(pattern, times[prng_below(random, ARRAY_COUNT(times))]);
}

static void add_pattern(struct prng *random, char *pattern, unsigned depth)
{
    if (prng_below(random, 8) == 0)
        add(pattern, "^");
    for (uint32_t n = prng_below(random, 3) + 1; n > 0; n--)
        add_piece(random, pattern, depth);
    if (prng_below(random, 8) == 0)
        add(pattern, "$");
    if (prng_below(random, 5) == 0) {
        add(pattern, "|");
        add_piece(random, pattern, depth);
    }
}

// Whole lines, some of which are long, or end with a carriage return.
static size_t make_text(struct prng *random, char *text)
{
    static const char *const parts[] = {"a", "b", "c", "0", ".", "\xc3\xa9", "]", "x", "\r"};
    size_t size = 0;
    while (size < TEXT_BYTES - 4000) {
        uint32_t length = prng_below(random, 50) == 0 ? 3000 : prng_below(random, 12);
        for (uint32_t n = 0; n < length && size < TEXT_BYTES - 8; n++) {
            const char *part = parts[prng_below(random, ARRAY_COUNT(parts) - (n % 8 != 0))];
            memcpy(text + size, part, strlen(part));
            size += strlen(part);
        }
        if (prng_below(random, 20) == 0)
            text[size++] = '\r';
        text[size++] = '\n';
    }
    return size;
}

// --- Both matchers
// --------------------------------------------------------------------------------

static bool matches(void *self, const char *line, const char *newline)
{
    char copy[TEXT_BYTES];
    size_t length = (size_t)(newline - line);
    memcpy(copy, line, length);
    length -= length && copy[length - 1] == '\r';
    copy[length] = '\0';
    return regexec(self, copy, 0, NULL, 0) == 0;
}

static bool is_returned(const char *line, const char *newline)
{
    return newline > line && newline[-1] == '\r';
}

// Compares each line separately, and all that match.
static void compare(struct dfa *dfa, regex_t *regex, const char *text, size_t size)
{
    const struct dfa_lines lines = {1000, regex, matches};
    const char *end = text + size, *newline;
    uint64_t expected = 0;
    for (const char *at = text; at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        bool is_match = matches(regex, at, newline);
        CHECK(dfa_takes(dfa, at, (size_t)(newline - at) - is_returned(at, newline)) == is_match);
        const char *place = dfa_find(dfa, at, newline + 1);
        expected += is_match;
        CHECK(dfa_is_full(dfa) || (place != NULL) == is_match || is_returned(at, newline));
        CHECK(dfa_is_full(dfa) || place || !is_match);
        CHECK(!place || (place >= at && place <= newline));
    }
    uint64_t count = dfa_count(dfa, text, end, &lines);
    CHECK(dfa_is_full(dfa) || count == expected);
}

static void test_random_patterns(void)
{
    enum { ROUNDS = 400 };
    static const char *const locales[] = {"C", "C.UTF-8"};
    struct prng random = {20};
    char *text = malloc(TEXT_BYTES);
    size_t taken = 0, size = make_text(&random, text);
    for (size_t i = 0; i < ARRAY_COUNT(locales); i++) {
        setlocale(LC_CTYPE, locales[i]);
        for (unsigned round = 0; round < ROUNDS; round++) {
            char pattern[PATTERN_BYTES] = "";
            struct dfa *dfa;
            regex_t regex;
            struct error err;
            add_pattern(&random, pattern, 2);
            if (dfa_open(&dfa, pattern, &err) != STATUS_OK)
                continue;
            CHECK(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) == 0);
            compare(dfa, &regex, text, size);
            taken += !dfa_is_full(dfa);
            regfree(&regex);
            dfa_close(dfa);
        }
    }
    setlocale(LC_CTYPE, "C");
    CHECK(taken > ROUNDS);
    free(text);
}

// --- Patterns that are refused
// --------------------------------------------------------------------

static void test_others(void)
{
    static const char *const others[] = {
        "(",    ")",   "[a",  "a{2",   "a{3,2}",      "\\w",        "(a)\\1",
        "x*",   "a|",  "*a",  "a**",   "[[:alpha:]]", "[\xc3\xa9]", "a\\",
        "\\<a", "a^b", "a$b", "[z-a]", "a{999}",      "",           "(((a{99}){99}){99}){99}",
        "^*",   "$",
    };
    struct dfa *dfa;
    struct error err;
    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        CHECK(dfa_open(&dfa, others[i], &err) == STATUS_INPUT);
        CHECK(!dfa);
    }
    char deep[300] = "";
    memset(deep, '(', 100);
    CHECK(dfa_open(&dfa, deep, &err) == STATUS_INPUT);
    dfa_close(NULL);
}

// More states than fit.
static void test_full(void)
{
    struct prng random = {21};
    struct dfa *dfa;
    struct error err;
    char *text = malloc(TEXT_BYTES);
    const struct dfa_lines lines = {1000, NULL, NULL};
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text[i] = "ab"[prng_below(&random, 2)];
    text[TEXT_BYTES - 1] = '\n';
    CHECK(dfa_open(&dfa, "a.{13}c", &err) == STATUS_OK);
    CHECK(!dfa_is_full(dfa));
    dfa_count(dfa, text, text + TEXT_BYTES, &lines);
    CHECK(dfa_is_full(dfa));
    CHECK(!dfa_find(dfa, text, text + TEXT_BYTES) || dfa_is_full(dfa));
    dfa_close(dfa);
    free(text);
}

const struct test_case dfa_tests[] = {
    {"dfa: random patterns as the C library has them", test_random_patterns},
    {"dfa: patterns that are left to others", test_others},
    {"dfa: more states than there is room for", test_full},
    {NULL, NULL},
};
