// Maps of functions are compared with a list of spans that is searched for each address.
#include "flow/function_map.h"
#include "random.h"
#include "test.h"

#define SPANS 12
#define SPACE 64

// The span that contains an address: the one that begins last; of those with the same start, a
// function before a part, and the shortest one that contains the address.
static const struct function_span *span_of(const struct function_span *spans, size_t count,
                                           uint64_t pc)
{
    const struct function_span *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct function_span *span = &spans[i];
        if (pc < span->start || pc >= span->start + span->size)
            continue;
        if (!found || span->start > found->start ||
            (span->start == found->start && found->is_part && !span->is_part))
            found = span;
    }
    return found;
}

static bool agrees(const struct function_map *map, const struct function_span *spans, size_t count,
                   uint64_t pc)
{
    const struct function_span *span = span_of(spans, count, pc);
    const struct function_range *piece = function_map_find(map, pc);
    uint64_t next = FUNCTION_MAP_NONE, last = FUNCTION_MAP_NONE;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = spans[i].start;
        if (spans[i].is_part)
            continue;
        if (start <= pc && (last == FUNCTION_MAP_NONE || start > last))
            last = start;
        if (start > pc)
            next = u64_min(next, start);
    }
    bool is_right = span ? piece && piece->first <= pc && piece->last >= pc &&
                               piece->entry == (span->is_part ? FUNCTION_MAP_NONE : span->start)
                         : !piece;
    return is_right && function_map_next(map, pc) == next && function_map_last(map, pc) == last &&
           function_map_has_entry(map, pc) == (last == pc);
}

static size_t count_wrong(uint64_t seed)
{
    struct prng prng = {seed};
    struct function_span spans[SPANS];
    struct function_map map;
    size_t wrong = 0, count = 1 + prng_below(&prng, SPANS);
    for (size_t i = 0; i < count; i++)
        spans[i] = (struct function_span){.start = prng_below(&prng, SPACE),
                                          .size = 1 + prng_below(&prng, 20),
                                          .last = UINT64_MAX,
                                          .is_part = prng_percent(&prng, 10)};
    CHECK(function_map_build(&map, spans, count));
    for (uint64_t pc = 0; pc < SPACE + 24; pc++)
        wrong += !agrees(&map, spans, count, pc);
    function_map_free(&map);
    return wrong;
}

static void pieces_are_of_the_span_that_begins_last(void)
{
    size_t wrong = 0;
    for (uint64_t seed = 1; seed <= 5000; seed++)
        wrong += count_wrong(seed);
    CHECK(wrong == 0);
}

// A function without a size ends at the next one, or at the end of its image.
static void functions_without_sizes_end_at_the_next(void)
{
    struct function_span spans[] = {{.start = 0x2000, .last = 0x20ff},
                                    {.start = 0x1000, .last = 0x20ff},
                                    {.start = UINT64_MAX - 3, .last = UINT64_MAX}};
    struct function_map map;
    CHECK(function_map_build(&map, spans, 3));
    CHECK(function_map_find(&map, 0x1fff)->entry == 0x1000);
    CHECK(function_map_find(&map, 0x20ff)->entry == 0x2000);
    CHECK(!function_map_find(&map, 0x2100));
    CHECK(function_map_find(&map, UINT64_MAX)->entry == UINT64_MAX - 3);
    CHECK(map.hash);
    function_map_free(&map);
}

static void without_functions_there_are_none(void)
{
    struct function_map map;
    CHECK(function_map_build(&map, NULL, 0));
    CHECK(!function_map_find(&map, 0) && !function_map_has_entry(&map, 0) && !map.hash);
    CHECK(function_map_next(&map, 0) == FUNCTION_MAP_NONE);
    function_map_free(&map);
}

const struct test_case function_map_tests[] = {
    {"pieces_are_of_the_span_that_begins_last", pieces_are_of_the_span_that_begins_last},
    {"functions_without_sizes_end_at_the_next", functions_without_sizes_end_at_the_next},
    {"without_functions_there_are_none", without_functions_there_are_none},
    {NULL, NULL},
};
