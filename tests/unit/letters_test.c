// Names by some of their letters.
#include "base/letters.h"
#include "test.h"

static int score(const char *letters, const char *name)
{
    struct letters_match match;
    return letters_find(letters, name, &match) ? match.score : INT32_MIN;
}

static void test_found(void)
{
    struct letters_match match;
    CHECK(letters_find("nap", "work::nap(int)", &match) && match.count == 3 && match.at[0] == 6);
    CHECK(letters_find("wni", "work::nap(int)", &match) && match.at[1] == 6 && match.at[2] == 10);
    CHECK(letters_find("", "main", &match) && match.count == 0);
    CHECK(!letters_find("nam", "main", &match) && !letters_find("a", "", &match));
    // The beginning of a word is meant, unless the rest does not follow it.
    CHECK(letters_find("rs", "resorts_slowly", &match) && match.at[1] == 8);
    CHECK(letters_find("rst", "resorts_slowly", &match) && match.at[1] == 2);
    CHECK(letters_find("GN", "getName", &match) && match.at[1] == 3);
    char many[LETTERS_MOST + 2] = {0};
    memset(many, 'a', LETTERS_MOST + 1);
    CHECK(!letters_find(many, many, &match) && letters_find(many + 1, many, &match));
}

static void test_order(void)
{
    static const char *const better[][3] = {
        {"main", "main", "domain"},         // the whole name
        {"sort", "heap_sort", "resorted"},  // the beginning of a word
        {"sort", "resorted", "s_o_r_t"},    // as they are
        {"qs", "quick_sort", "equals"},     // beginnings of words
        {"get", "get", "get_name"},         // the shorter
        {"abc", "xx_abxc", "xx_axbxxxxxc"}, // that follow each other
    };
    for (size_t i = 0; i < ARRAY_COUNT(better); i++)
        CHECK(score(better[i][0], better[i][1]) > score(better[i][0], better[i][2]));
}

const struct test_case letters_tests[] = {
    {"letters: where they are", test_found},
    {"letters: which name is better", test_order},
    {NULL, NULL},
};
