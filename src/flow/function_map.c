// A sweep upwards over the starts, with a stack of open functions: where functions overlap, an
// address belongs to the one that begins last, and the rest of the others continues after it.
#include "flow/function_map.h"

#include "base/fingerprint.h"

#include <stdlib.h>

struct sweep {
    struct function_map *map;
    struct function_range *open; // `first` is the function's
    size_t depth;
    uint64_t at; // where the next range begins
};

// Of a part and a function at one place, the function comes last, and so gets it.
static int compare_spans(const void *a_item, const void *b_item)
{
    const struct function_span *a = a_item, *b = b_item;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->is_part != b->is_part)
        return a->is_part ? -1 : 1;
    return (a->size < b->size) - (a->size > b->size);
}

static void emit(struct sweep *sweep, uint64_t last, uint64_t entry)
{
    struct function_map *map = sweep->map;
    struct function_range *before = map->range_count ? &map->ranges[map->range_count - 1] : NULL;
    if (before && before->entry == entry && before->last + 1 == sweep->at)
        before->last = last;
    else
        map->ranges[map->range_count++] = (struct function_range){sweep->at, last, entry};
    sweep->at = last + 1;
}

// Ends the ranges that end before `start`, and cuts the one around `start` there.
static void advance(struct sweep *sweep, uint64_t start)
{
    while (sweep->depth && sweep->open[sweep->depth - 1].last < start) {
        const struct function_range top = sweep->open[--sweep->depth];
        if (top.last >= sweep->at)
            emit(sweep, top.last, top.entry);
    }
    if (sweep->depth && sweep->at < start)
        emit(sweep, start - 1, sweep->open[sweep->depth - 1].entry);
    sweep->at = start;
}

static uint64_t last_of(const struct function_span *span, const struct function_span *next)
{
    uint64_t last = span->start + (span->size - 1);
    if (span->size)
        return last < span->start ? UINT64_MAX : last;
    last = next ? u64_min(span->last, next->start - 1) : span->last;
    return u64_max(last, span->start);
}

static void sweep_spans(struct sweep *sweep, const struct function_span *spans, size_t count)
{
    struct function_map *map = sweep->map;
    for (size_t i = 0, end = 0; i < count; i++) {
        const struct function_span *span = &spans[i];
        for (end = u64_max(end, i + 1); end < count && spans[end].start == span->start;)
            end++;
        bool is_new = !map->entry_count || map->entries[map->entry_count - 1] != span->start;
        if (is_new && !span->is_part)
            map->entries[map->entry_count++] = span->start;
        advance(sweep, span->start);
        sweep->open[sweep->depth++] =
            (struct function_range){span->start, last_of(span, end < count ? &spans[end] : NULL),
                                    span->is_part ? FUNCTION_MAP_NONE : span->start};
    }
    while (sweep->depth) {
        const struct function_range top = sweep->open[--sweep->depth];
        if (top.last >= sweep->at)
            emit(sweep, top.last, top.entry);
        if (sweep->at == 0) // the end of the address space
            break;
    }
}

static uint64_t hash_of(const struct function_map *map)
{
    uint64_t words[2] = {
        fingerprint_block(map->ranges, map->range_count * sizeof *map->ranges),
        fingerprint_block(map->entries, map->entry_count * sizeof *map->entries),
    };
    uint64_t hash = fingerprint_block(words, sizeof words);
    return hash ? hash : 1;
}

bool function_map_build(struct function_map *map, struct function_span *spans, size_t count)
{
    *map = (struct function_map){0};
    if (!count)
        return true;
    struct sweep sweep = {.map = map, .open = calloc(count, sizeof *sweep.open)};
    map->ranges = calloc(count, 2 * sizeof *map->ranges); // each start and each end begins a range
    map->entries = calloc(count, sizeof *map->entries);
    bool is_built = sweep.open && map->ranges && map->entries;
    if (is_built) {
        qsort(spans, count, sizeof *spans, compare_spans);
        sweep_spans(&sweep, spans, count);
        map->hash = hash_of(map);
    } else {
        function_map_free(map);
    }
    free(sweep.open);
    return is_built;
}

void function_map_free(struct function_map *map)
{
    free(map->ranges);
    free(map->entries);
    *map = (struct function_map){0};
}

// --- Questions -----------------------------------------------------------------------------------

const struct function_range *function_map_find(const struct function_map *map, uint64_t pc)
{
    size_t low;
    PARTITION_POINT(low, map->range_count, map->ranges[middle].first <= pc);
    return low && pc <= map->ranges[low - 1].last ? &map->ranges[low - 1] : NULL;
}

const struct function_range *function_map_reach(const struct function_map *map, uint64_t pc,
                                                uint64_t *last)
{
    size_t low;
    PARTITION_POINT(low, map->range_count, map->ranges[middle].first <= pc);
    const struct function_range *range =
        low && pc <= map->ranges[low - 1].last ? &map->ranges[low - 1] : NULL;
    *last = range ? range->last : low < map->range_count ? map->ranges[low].first - 1 : UINT64_MAX;
    return range;
}

bool function_map_has_entry(const struct function_map *map, uint64_t pc)
{
    return function_map_last(map, pc) == pc;
}

uint64_t function_map_next(const struct function_map *map, uint64_t pc)
{
    size_t count = u64_count_up_to(map->entries, map->entry_count, pc);
    return count < map->entry_count ? map->entries[count] : FUNCTION_MAP_NONE;
}

uint64_t function_map_last(const struct function_map *map, uint64_t pc)
{
    size_t count = u64_count_up_to(map->entries, map->entry_count, pc);
    return count ? map->entries[count - 1] : FUNCTION_MAP_NONE;
}
