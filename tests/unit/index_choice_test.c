// What is done about an index, depending on the options and on whether it fits.
#include "session/session_index.h"
#include "test.h"

static void reports_read_what_fits_and_build_what_is_named(void)
{
    const struct index_wish plain = {.need = INDEX_FOR_PASS},
                            named = {.need = INDEX_FOR_PASS, .is_named = true};
    CHECK(index_choose(&plain, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&plain, INDEX_MISSING) == INDEX_USE_NONE);
    CHECK(index_choose(&plain, INDEX_DAMAGED) == INDEX_USE_NONE);
    CHECK(index_choose(&named, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&named, INDEX_OTHER_OPTIONS) == INDEX_BUILD_IT);
}

static void options_are_followed(void)
{
    const struct index_wish force = {.need = INDEX_FOR_PASS, .use = INDEX_FORCE},
                            only = {.need = INDEX_FOR_PASS, .use = INDEX_ONLY};
    const struct index_wish no_build = {.need = INDEX_FOR_PASS, .use = INDEX_NO_BUILD},
                            memory = {.need = INDEX_FOR_PASS, .is_in_memory = true};
    CHECK(index_choose(&force, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&no_build, INDEX_OLDER) == INDEX_READ_AS_IT_IS);
    CHECK(index_choose(&memory, INDEX_FITS) == INDEX_USE_NONE);
}

static void indexing_builds_what_does_not_fit(void)
{
    const struct index_wish index = {.need = INDEX_FOR_PASS, .is_indexing = true};
    const struct index_wish only = {.need = INDEX_FOR_PASS, .is_indexing = true, .use = INDEX_ONLY};
    CHECK(index_choose(&index, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&index, INDEX_MISSING) == INDEX_BUILD_IT);
}

static void questions_always_get_an_index(void)
{
    const struct index_wish plain = {.need = INDEX_FOR_ANSWERS};
    const struct index_wish spoiled = {.need = INDEX_FOR_ANSWERS, .is_spoiled = true};
    const struct index_wish memory = {.need = INDEX_FOR_ANSWERS, .is_in_memory = true};
    const struct index_wish no_build = {.need = INDEX_FOR_ANSWERS, .use = INDEX_NO_BUILD};
    const struct index_wish verify = {.need = INDEX_FOR_ANSWERS, .is_verified = true};
    CHECK(index_choose(&plain, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&plain, INDEX_MISSING) == INDEX_BUILD_IT);
    CHECK(index_choose(&spoiled, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&memory, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&no_build, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&no_build, INDEX_OLDER) == INDEX_READ_AS_IT_IS);
    CHECK(index_choose(&verify, INDEX_FITS) == INDEX_READ_AS_IT_IS);
}

static void who_needs_the_trace_builds_beside_it(void)
{
    const struct index_wish plain = {.need = INDEX_FOR_PASS, .needs_trace = true};
    const struct index_wish named = {.need = INDEX_FOR_PASS, .needs_trace = true, .is_named = true};
    const struct index_wish force = {
        .need = INDEX_FOR_PASS, .needs_trace = true, .use = INDEX_FORCE};
    const struct index_wish only = {.need = INDEX_FOR_PASS, .needs_trace = true, .use = INDEX_ONLY};
    const struct index_wish no_build = {
        .need = INDEX_FOR_PASS, .needs_trace = true, .use = INDEX_NO_BUILD};
    CHECK(index_choose(&plain, INDEX_FITS) == INDEX_USE_NONE);
    CHECK(index_choose(&named, INDEX_FITS) == INDEX_USE_NONE);
    CHECK(index_choose(&named, INDEX_MISSING) == INDEX_BUILD_AND_FORGET);
    CHECK(index_choose(&force, INDEX_FITS) == INDEX_BUILD_AND_FORGET);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&no_build, INDEX_MISSING) == INDEX_USE_NONE);
}

static void what_is_only_useful_is_never_built(void)
{
    static const enum index_need needs[] = {INDEX_FOR_TEXT, INDEX_FOR_NAMES, INDEX_FOR_DESCRIPTION};
    for (size_t i = 0; i < ARRAY_COUNT(needs); i++) {
        const struct index_wish plain = {.need = needs[i]};
        const struct index_wish named = {.need = needs[i], .is_named = true};
        const struct index_wish memory = {.need = needs[i], .is_in_memory = true};
        CHECK(index_choose(&plain, INDEX_FITS) != INDEX_USE_NONE);
        CHECK(index_choose(&named, INDEX_MISSING) == INDEX_USE_NONE);
        CHECK(index_choose(&plain, INDEX_OF_BEGINNING) == INDEX_USE_NONE);
        CHECK(index_choose(&memory, INDEX_FITS) == INDEX_USE_NONE);
    }
    const struct index_wish describe = {.need = INDEX_FOR_DESCRIPTION};
    const struct index_wish text = {.need = INDEX_FOR_TEXT, .use = INDEX_FORCE};
    CHECK(index_choose(&describe, INDEX_OTHER_OPTIONS) == INDEX_READ_AS_IT_IS);
    CHECK(index_choose(&text, INDEX_FITS) == INDEX_USE_NONE);
}

const struct test_case index_choice_tests[] = {
    {"reports read what fits and build what is named",
     reports_read_what_fits_and_build_what_is_named},
    {"options are followed", options_are_followed},
    {"indexing builds what does not fit", indexing_builds_what_does_not_fit},
    {"questions always get an index", questions_always_get_an_index},
    {"what is only useful is never built", what_is_only_useful_is_never_built},
    {"who needs the trace builds beside it", who_needs_the_trace_builds_beside_it},
    {0},
};
