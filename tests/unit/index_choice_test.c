// What is done about an index, depending on the options and on whether it fits.
#include "session/index_file.h"
#include "test.h"

static void reports_read_what_fits_and_build_what_is_named(void)
{
    const struct index_wish plain = {0}, named = {.is_named = true};
    CHECK(index_choose(&plain, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&plain, INDEX_MISSING) == INDEX_READ_TRACE);
    CHECK(index_choose(&plain, INDEX_DAMAGED) == INDEX_READ_TRACE);
    CHECK(index_choose(&named, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&named, INDEX_OTHER_OPTIONS) == INDEX_BUILD_IT);
}

static void options_are_followed(void)
{
    const struct index_wish force = {.use = INDEX_FORCE}, only = {.use = INDEX_ONLY};
    const struct index_wish no_build = {.use = INDEX_NO_BUILD}, memory = {.is_in_memory = true};
    CHECK(index_choose(&force, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&no_build, INDEX_OLDER) == INDEX_READ_AS_IT_IS);
    CHECK(index_choose(&memory, INDEX_FITS) == INDEX_READ_TRACE);
}

static void indexing_builds_what_does_not_fit(void)
{
    const struct index_wish index = {.is_indexing = true};
    const struct index_wish only = {.is_indexing = true, .use = INDEX_ONLY};
    CHECK(index_choose(&index, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_READ_IT);
    CHECK(index_choose(&index, INDEX_MISSING) == INDEX_BUILD_IT);
}

static void questions_always_get_an_index(void)
{
    const struct index_wish plain = {.is_question = true};
    const struct index_wish spoiled = {.is_question = true, .is_spoiled = true};
    const struct index_wish memory = {.is_question = true, .is_in_memory = true};
    const struct index_wish no_build = {.is_question = true, .use = INDEX_NO_BUILD};
    const struct index_wish verify = {.is_question = true, .is_verified = true};
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
    const struct index_wish plain = {.needs_trace = true};
    const struct index_wish named = {.needs_trace = true, .is_named = true};
    const struct index_wish force = {.needs_trace = true, .use = INDEX_FORCE};
    const struct index_wish only = {.needs_trace = true, .use = INDEX_ONLY};
    const struct index_wish no_build = {.needs_trace = true, .use = INDEX_NO_BUILD};
    CHECK(index_choose(&plain, INDEX_FITS) == INDEX_READ_TRACE);
    CHECK(index_choose(&named, INDEX_FITS) == INDEX_READ_TRACE);
    CHECK(index_choose(&named, INDEX_MISSING) == INDEX_BUILD_AND_FORGET);
    CHECK(index_choose(&force, INDEX_FITS) == INDEX_BUILD_AND_FORGET);
    CHECK(index_choose(&only, INDEX_FITS) == INDEX_BUILD_IT);
    CHECK(index_choose(&no_build, INDEX_MISSING) == INDEX_READ_TRACE);
}

const struct test_case index_choice_tests[] = {
    {"reports read what fits and build what is named",
     reports_read_what_fits_and_build_what_is_named},
    {"options are followed", options_are_followed},
    {"indexing builds what does not fit", indexing_builds_what_does_not_fit},
    {"questions always get an index", questions_always_get_an_index},
    {"who needs the trace builds beside it", who_needs_the_trace_builds_beside_it},
    {0},
};
