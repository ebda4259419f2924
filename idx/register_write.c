// There is a timeline for each lane, cell and set of bytes written together. So timelines need no
// masks, and each search is a search in one sorted column. Of several writes in one event, only the
// final result counts: a byte that the same event writes again is removed from the earlier write.
// So no two timelines of a cell write the same byte in one event, and their order does not matter.
#include "idx/segment_write.h"

#include "idx/segment_format.h"

#include <stdlib.h>

#define NO_TIMELINE UINT32_MAX

// How far ahead writes are prefetched: another processor may have gathered them.
#define PREFETCH_WRITES 64

struct timeline {
    uint64_t key;
    uint32_t count;
    uint32_t next;  // the next timeline of the cell
    size_t start;   // of its rows
    uint64_t bytes; // of the cell
    unsigned shift; // of a value in a row
};

// A cell of a lane, while the writes are walked from the last to the first.
struct cell {
    uint64_t value;         // its final value, as far as `known`
    uint32_t event;         // of the current write
    uint32_t timelines;     // the first of its timelines
    uint8_t known, unknown; // bytes whose final value is known, or not
    uint8_t covered;        // bytes that the current event writes later
};

// Consecutive cells. The numbers of a lane's cells may be high even if it has few.
enum { CELL_PAGE = 16 };

struct cell_page {
    struct cell cells[CELL_PAGE];
};

// The cells of a lane, up to the last page that is written.
struct lane_cells {
    VEC(, struct cell_page *) pages; // NULL: none of its cells is written
};

struct register_build {
    VEC(, struct lane_cells) lanes; // up to the last that is written
    size_t lane_room;               // lanes that are initialized, from this segment or earlier ones
    VEC(, struct cell_page *) pages; // of all lanes; also from earlier segments, for reuse
    size_t used_pages;               // used by this segment
    VEC(, struct timeline) timelines;
    VEC(, uint32_t) order;    // timelines by key
    VEC(, uint32_t) timeline; // of each write; NO_TIMELINE: it was overwritten in its event
    VEC(, uint64_t) events;   // rows of all timelines
    VEC(, uint64_t) values;
    VEC(, uint64_t) starts; // of the events of each timeline in PART_REGISTER_DATA
    VEC(, uint64_t) value_starts;
};

void register_build_free(struct register_build *build)
{
    if (!build)
        return;
    for (size_t i = 0; i < build->lane_room; i++)
        free(build->lanes.items[i].pages.items);
    free(build->lanes.items);
    for (size_t i = 0; i < build->pages.count; i++)
        free(build->pages.items[i]);
    free(build->pages.items);
    free(build->timelines.items);
    free(build->order.items);
    free(build->timeline.items);
    free(build->events.items);
    free(build->values.items);
    free(build->starts.items);
    free(build->value_starts.items);
    free(build);
}

// A page in which nothing is known. NULL: no memory.
static struct cell_page *take_page(struct register_build *build)
{
    if (build->used_pages == build->pages.count) {
        if (!VEC_ROOM(&build->pages, 1) ||
            !(build->pages.items[build->pages.count] = malloc(sizeof(struct cell_page))))
            return NULL;
        build->pages.count++;
    }
    struct cell_page *page = build->pages.items[build->used_pages++];
    for (size_t i = 0; i < CELL_PAGE; i++)
        page->cells[i] = (struct cell){.event = UINT32_MAX, .timelines = NO_TIMELINE};
    return page;
}

// Adds a page of a lane. False: no memory.
static NEVER_INLINE bool add_page(struct register_build *build, size_t lane, size_t page)
{
    // Adds lanes up to number `lane`.
    if (lane >= build->lane_room) {
        if (!VEC_ROOM(&build->lanes, lane + 1 - build->lanes.count))
            return false;
        memset(build->lanes.items + build->lane_room, 0,
               (lane + 1 - build->lane_room) * sizeof *build->lanes.items);
        build->lane_room = lane + 1;
    }
    build->lanes.count = (size_t)u64_max(build->lanes.count, lane + 1);
    struct lane_cells *added = &build->lanes.items[lane];
    if (!VEC_EXTEND(&added->pages, page + 1))
        return false;
    struct cell_page **place = &added->pages.items[page];
    return *place || (*place = take_page(build));
}

// The lane of the current writes.
struct lane_in_hand {
    struct cell_page **pages;
    size_t page_count; // initially 0
    unsigned lane;
};

// The cell of a write. NULL: no memory.
static ALWAYS_INLINE struct cell *cell_of(struct register_build *build, struct lane_in_hand *hand,
                                          const struct segment_register *write)
{
    const uint32_t number = register_cell(write->cell);
    size_t page = number / CELL_PAGE;
    if (UNLIKELY(write->lane != hand->lane) || UNLIKELY(page >= hand->page_count) ||
        UNLIKELY(!hand->pages[page])) {
        if (!add_page(build, write->lane, page))
            return NULL;
        const struct lane_cells *lane = &build->lanes.items[write->lane];
        *hand = (struct lane_in_hand){lane->pages.items, lane->pages.count, write->lane};
    }
    return &hand->pages[page]->cells[number % CELL_PAGE];
}

// The cell's timeline for these bytes, created if necessary. NO_TIMELINE: no memory.
static uint32_t timeline_of(struct register_build *build, struct cell *cell, uint64_t key)
{
    uint32_t at = cell->timelines;
    while (at != NO_TIMELINE && build->timelines.items[at].key != key)
        at = build->timelines.items[at].next;
    if (LIKELY(at != NO_TIMELINE))
        return at;
    if (!VEC_ROOM(&build->timelines, 1))
        return NO_TIMELINE;
    at = (uint32_t)build->timelines.count++;
    uint8_t mask = register_key_mask(key);
    build->timelines.items[at] =
        (struct timeline){key, 0, cell->timelines, 0, bytes_of_mask(mask), mask_shift(mask)};
    cell->timelines = at;
    return at;
}

// Processes a write after all later ones.
static ALWAYS_INLINE bool take(struct register_build *build, struct lane_in_hand *hand,
                               const struct segment_register *write, size_t index)
{
    struct cell *cell = cell_of(build, hand, write);
    if (UNLIKELY(!cell))
        return false;
    if (cell->event != write->event) {
        cell->event = write->event;
        cell->covered = 0;
    }
    uint8_t mask = write->mask & (uint8_t)~cell->covered;
    cell->covered |= write->mask;
    build->timeline.items[index] = NO_TIMELINE;
    if (!mask)
        return true;
    uint32_t timeline = timeline_of(build, cell, register_key(write->lane, write->cell, mask));
    if (timeline == NO_TIMELINE)
        return false;
    build->timelines.items[timeline].count++;
    build->timeline.items[index] = timeline;
    uint8_t added = mask & (uint8_t) ~(cell->known | cell->unknown);
    if (UNLIKELY(added && write->cell & REGISTER_VALUE_UNKNOWN)) {
        cell->unknown |= added;
    } else if (UNLIKELY(added)) {
        cell->value |= write->value & bytes_of_mask(added);
        cell->known |= added;
    }
    return true;
}

static int compare_keys(const void *a, const void *b, void *timelines)
{
    uint64_t first = ((const struct timeline *)timelines)[*(const uint32_t *)a].key;
    uint64_t second = ((const struct timeline *)timelines)[*(const uint32_t *)b].key;
    return (first > second) - (first < second);
}

// Whether a timeline has the same numbers as the one before it, as halves of a vector often have;
// `sharers` counts the timelines that have them.
static bool is_shared(const struct timeline *timeline, const struct timeline *before,
                      const uint64_t *numbers, unsigned *sharers)
{
    const bool are_same = before && *sharers < TIMELINE_SHARERS &&
                          timeline->count == before->count &&
                          memcmp(numbers + timeline->start, numbers + before->start,
                                 timeline->count * sizeof *numbers) == 0;
    *sharers = are_same ? *sharers + 1 : 1;
    return are_same;
}

static bool write_timelines(struct segment_writer *writer, struct register_build *build)
{
    struct bytes *body = &writer->parts.body;
    size_t count = build->timelines.count;
    writer->register_keys.count = build->value_starts.count = 0;
    writer->has_forms = false;
    if (!VEC_ROOM(&writer->register_keys, count) || !VEC_ROOM(&build->starts, count) ||
        !VEC_ROOM(&build->value_starts, count))
        return false;
    // The starts are known only after the columns are written, but keys and starts come before them
    // in the segment. So the columns are first written to another buffer.
    struct bytes *side = &writer->bytes;
    side->count = 0;
    const struct timeline *before = NULL;
    unsigned event_sharers = 0, value_sharers = 0;
    for (size_t i = 0; i < count; i++) {
        const struct timeline *timeline = &build->timelines.items[build->order.items[i]];
        const uint64_t *events = build->events.items, *values = build->values.items;
        const bool has_events = is_shared(timeline, before, events, &event_sharers);
        const bool has_values = is_shared(timeline, before, values, &value_sharers);
        writer->register_keys.items[i] = timeline->key;
        build->starts.items[i] = has_events ? build->starts.items[i - 1] : side->count;
        if (!has_events &&
            !column_write(side, writer->parts.simd, events + timeline->start, timeline->count))
            return false;
        build->value_starts.items[i] = has_values ? build->value_starts.items[i - 1] : side->count;
        if (!has_values &&
            !column_write(side, writer->parts.simd, values + timeline->start, timeline->count))
            return false;
        writer->has_forms |= has_events || has_values;
        before = timeline;
    }
    writer->register_keys.count = build->starts.count = build->value_starts.count = count;
    if (!parts_add_column(&writer->parts, PART_REGISTER_KEYS, writer->register_keys.items, count) ||
        !parts_add_column(&writer->parts, PART_REGISTER_STARTS, build->starts.items, count) ||
        !bytes_append(body, side->items, side->count))
        return false;
    parts_add(&writer->parts, PART_REGISTER_DATA);
    return true;
}

bool register_write_shared(struct segment_writer *writer)
{
    const struct register_build *build = writer->registers;
    return !writer->has_forms ||
           parts_add_column(&writer->parts, PART_REGISTER_VALUE_STARTS, build->value_starts.items,
                            build->value_starts.count);
}

bool register_write(struct segment_writer *writer, const struct segment_input *input)
{
    if (!writer->registers && !(writer->registers = calloc(1, sizeof *writer->registers)))
        return false;
    struct register_build *build = writer->registers;
    struct lane_in_hand hand = {0};
    for (size_t i = 0; i < build->lanes.count; i++)
        build->lanes.items[i].pages.count = 0;
    build->lanes.count = build->used_pages = 0;
    build->timelines.count = build->timeline.count = build->events.count = 0;
    build->values.count = build->starts.count = build->order.count = 0;
    if (!VEC_ROOM(&build->timeline, input->register_count) ||
        !VEC_ROOM(&build->events, input->register_count) ||
        !VEC_ROOM(&build->values, input->register_count))
        return false;
    for (size_t i = input->register_count; i-- > 0;) {
        __builtin_prefetch(&input->registers[i < PREFETCH_WRITES ? 0 : i - PREFETCH_WRITES]);
        if (!take(build, &hand, &input->registers[i], i))
            return false;
    }
    size_t count = build->timelines.count, start = 0;
    if (!VEC_ROOM(&build->order, count))
        return false;
    for (size_t i = 0; i < count; i++)
        build->order.items[i] = (uint32_t)i;
    if (count)
        qsort_r(build->order.items, count, sizeof(uint32_t), compare_keys, build->timelines.items);
    for (size_t i = 0; i < count; i++) {
        struct timeline *timeline = &build->timelines.items[build->order.items[i]];
        timeline->start = start;
        start += timeline->count;
        timeline->count = 0; // counts again while rows are placed
    }
    for (size_t i = 0; i < input->register_count; i++) {
        __builtin_prefetch(&input->registers[i + PREFETCH_WRITES]);
        if (build->timeline.items[i] == NO_TIMELINE)
            continue;
        const struct segment_register *write = &input->registers[i];
        struct timeline *timeline = &build->timelines.items[build->timeline.items[i]];
        size_t row = timeline->start + timeline->count++;
        build->events.items[row] = write->event;
        build->values.items[row] = (write->value & timeline->bytes) >> timeline->shift;
    }
    if (!write_timelines(writer, build))
        return false;
    writer->cells.count = 0;
    for (size_t lane = 0; lane < build->lanes.count; lane++) {
        const struct lane_cells *listed = &build->lanes.items[lane];
        for (size_t i = 0; i < listed->pages.count * CELL_PAGE; i++) {
            const struct cell_page *page = listed->pages.items[i / CELL_PAGE];
            if (!page) {
                i += CELL_PAGE - 1;
                continue;
            }
            const struct cell *cell = &page->cells[i % CELL_PAGE];
            if (!cell->known && !cell->unknown)
                continue;
            if (!VEC_ROOM(&writer->cells, 1))
                return false;
            writer->cells.items[writer->cells.count++] = (struct cell_state){
                (uint32_t)(lane << 16 | i), cell->known, cell->unknown, cell->value};
        }
    }
    return true;
}
