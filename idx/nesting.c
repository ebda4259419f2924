#include "idx/nesting.h"

#include <stdlib.h>

// What is kept of segments and blocks, number n in place n % that many.
enum { KEPT_SEGMENTS = 16, KEPT_BLOCKS = 64, GROUP_SEGMENTS = 64 };

struct kept_segment {
    uint64_t number; // UINT64_MAX: none
    size_t block_count;
    uint64_t entry_count;
    uint64_t *entries, *depths, *leasts; // of each block; one allocation, which the first points to
};

struct kept_block {
    uint64_t first; // its first event; UINT64_MAX: none
    size_t count;
    uint64_t segment, number; // its segment, and its number in it
    uint64_t entries;         // of the segment before it
    uint32_t depths[COLUMN_BLOCK];
    uint16_t entered[COLUMN_BLOCK + 1]; // entries of the block before each event
    uint64_t exceptions[COLUMN_BLOCK / 64];
};

struct index_nesting {
    struct kept_segment segments[KEPT_SEGMENTS];
    struct kept_block blocks[KEPT_BLOCKS];
    uint32_t *leasts; // the least depth of each segment, then of each group of them
};

static uint64_t per_segment(const struct trawl_index *index)
{
    return index->identity[IDENTITY_SEGMENT_EVENTS];
}

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "calls", err);
}

// --- Opening -------------------------------------------------------------------------------------

enum status nesting_open(struct trawl_index *index, struct error *err)
{
    enum status status =
        index_open_columns(index, &index->segments_parts, index->segments, PART_SEGMENT_ENTRIES,
                           PART_SEGMENT_LEASTS, index->segment_count, err);
    if (status != STATUS_OK)
        return status;
    const size_t count = (size_t)index->segment_count;
    const size_t groups = (count + GROUP_SEGMENTS - 1) / GROUP_SEGMENTS;
    struct index_nesting *nesting = index->nesting = calloc(1, sizeof *nesting);
    if (!nesting || !(nesting->leasts = calloc(count + groups + 1, sizeof *nesting->leasts)))
        return index_no_memory(index, err);
    for (size_t i = 0; i < KEPT_SEGMENTS; i++)
        nesting->segments[i].number = UINT64_MAX;
    for (size_t i = 0; i < KEPT_BLOCKS; i++)
        nesting->blocks[i].first = UINT64_MAX;
    uint32_t *of_groups = nesting->leasts + count;
    uint64_t leasts[COLUMN_BLOCK];
    for (size_t from = 0; from < count; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(count - from, COLUMN_BLOCK);
        if (!column_read(&index->segments[PART_SEGMENT_LEASTS], from, here, leasts))
            return index_damaged(index, "directory of segments", err);
        for (size_t i = from; i < from + here; i++) {
            uint32_t least = (uint32_t)u64_min(leasts[i - from], UINT32_MAX);
            uint32_t *group = &of_groups[i / GROUP_SEGMENTS];
            nesting->leasts[i] = least;
            *group = i % GROUP_SEGMENTS && *group < least ? *group : least;
        }
    }
    return STATUS_OK;
}

void nesting_free(struct index_nesting *nesting)
{
    for (size_t i = 0; nesting && i < KEPT_SEGMENTS; i++)
        free(nesting->segments[i].entries);
    free(nesting ? nesting->leasts : NULL);
    free(nesting);
}

// --- Segments and blocks -------------------------------------------------------------------------

static enum status find_segment(struct trawl_index *index, uint64_t number,
                                struct kept_segment **found, struct error *err)
{
    struct kept_segment *segment = &index->nesting->segments[number % KEPT_SEGMENTS];
    *found = segment;
    if (LIKELY(segment->number == number))
        return STATUS_OK;
    struct segment_view *view = index_segment(index, number, err);
    if (!view)
        return STATUS_DAMAGED;
    free(segment->entries);
    *segment = (struct kept_segment){.number = UINT64_MAX};
    const size_t count =
        (size_t)((index_segment_events(index, number) + COLUMN_BLOCK - 1) / COLUMN_BLOCK);
    uint64_t *columns = calloc(3 * count + 1, sizeof *columns);
    if (!columns)
        return index_no_memory(index, err);
    segment->entries = columns;
    segment->depths = columns + count;
    segment->leasts = columns + 2 * count;
    segment->block_count = count;
    const struct column *pcs = segment_column(index, view, PART_ENTRY_PCS, err);
    if (!pcs)
        return STATUS_DAMAGED;
    segment->entry_count = pcs->count;
    for (uint32_t i = 0; i < 3; i++) {
        const struct column *column =
            segment_column(index, view, (enum segment_part)(PART_BLOCK_ENTRIES + i), err);
        if (!column)
            return STATUS_DAMAGED;
        if (column->count != count || !column_read(column, 0, count, columns + i * count))
            return damaged(index, err);
    }
    segment->number = number;
    return STATUS_OK;
}

// Reads which events of a block are exceptions, and the depths after them.
static enum status read_exceptions(struct trawl_index *index, struct segment_view *view,
                                   struct kept_block *block, uint64_t depths[COLUMN_BLOCK],
                                   struct error *err)
{
    uint64_t rows[COLUMN_BLOCK], first = 0, end, row = block->number * COLUMN_BLOCK;
    memset(block->exceptions, 0, sizeof block->exceptions);
    if (!parts_find(&view->parts, PART_EXCEPTION_EVENTS))
        return STATUS_OK;
    const struct column *events = segment_column(index, view, PART_EXCEPTION_EVENTS, err);
    const struct column *after = segment_column(index, view, PART_EXCEPTION_DEPTHS, err);
    if (!events || !after)
        return STATUS_DAMAGED;
    if ((row && !column_search(events, 0, events->count, row - 1, &first)) ||
        !column_search(events, first, events->count, row + block->count - 1, &end) ||
        end - first > block->count ||
        !column_read_rising(events, first, (size_t)(end - first), rows) ||
        !column_read(after, first, (size_t)(end - first), depths))
        return damaged(index, err);
    for (size_t i = (size_t)(end - first); i-- > 0;) {
        if (rows[i] - row >= block->count)
            return damaged(index, err);
        const size_t at = (size_t)(rows[i] - row);
        depths[at] = depths[i]; // at is not below i
        block->exceptions[at / 64] |= UINT64_C(1) << (at % 64);
    }
    return STATUS_OK;
}

static bool is_exception(const struct kept_block *block, size_t at)
{
    return block->exceptions[at / 64] >> (at % 64) & 1;
}

static bool is_entry(const struct kept_block *block, size_t at)
{
    return block->entered[at + 1] != block->entered[at];
}

// Computes the depths of a block. False: they are not as the index says.
static bool number_block(const struct kept_segment *segment, struct kept_block *block,
                         const uint64_t *flags, const uint64_t *exceptions)
{
    uint64_t depth = segment->depths[block->number], least = UINT64_MAX;
    block->entered[0] = 0;
    for (size_t i = 0; i < block->count; i++) {
        const unsigned entry = flags[i] / EVENT_HAS_INSTRUCTION & 1;
        block->entered[i + 1] = (uint16_t)(block->entered[i] + entry);
        if (UNLIKELY(is_exception(block, i))) {
            // The first event of a lane, or an exit that does not close just the innermost call.
            if (exceptions[i] > (entry ? 1 : depth))
                return false;
            depth = exceptions[i];
        } else {
            depth += entry ? 1 : UINT64_MAX;
        }
        if (depth > UINT32_MAX)
            return false;
        block->depths[i] = (uint32_t)depth;
        least = u64_min(least, depth);
    }
    const size_t next = (size_t)block->number + 1;
    const uint64_t entries = block->entries + block->entered[block->count];
    return least == segment->leasts[block->number] &&
           (next < segment->block_count
                ? depth == segment->depths[next] && entries == segment->entries[next]
                : entries == segment->entry_count);
}

// The block that contains an event. Valid until others are requested.
static enum status find_block(struct trawl_index *index, uint64_t event, struct kept_block **found,
                              struct error *err)
{
    const uint64_t number = event / per_segment(index);
    const uint64_t row = event % per_segment(index) / COLUMN_BLOCK * COLUMN_BLOCK;
    const uint64_t first = number * per_segment(index) + row;
    struct kept_block *block = &index->nesting->blocks[first / COLUMN_BLOCK % KEPT_BLOCKS];
    *found = block;
    if (LIKELY(block->first == first))
        return STATUS_OK;
    uint64_t flags[COLUMN_BLOCK], depths[COLUMN_BLOCK];
    struct kept_segment *segment;
    enum status status = find_segment(index, number, &segment, err);
    struct segment_view *view = status == STATUS_OK ? index_segment(index, number, err) : NULL;
    const struct column *column = view ? segment_column(index, view, PART_FLAGS, err) : NULL;
    if (!column)
        return status == STATUS_OK ? STATUS_DAMAGED : status;
    block->first = UINT64_MAX;
    block->segment = number;
    block->number = row / COLUMN_BLOCK;
    block->entries = segment->entries[block->number];
    block->count = (size_t)u64_min(index_segment_events(index, number) - row, COLUMN_BLOCK);
    if (!column_read(column, row, block->count, flags))
        return index_damaged(index, "events of a segment", err);
    status = read_exceptions(index, view, block, depths, err);
    if (status != STATUS_OK)
        return status;
    if (!number_block(segment, block, flags, depths))
        return damaged(index, err);
    block->first = first;
    return STATUS_OK;
}

// --- Searches ------------------------------------------------------------------------------------

// The first of the events [from, end) after which at most `depth` calls are open; `end`: none.
static enum status find_after(struct trawl_index *index, uint64_t from, uint64_t end,
                              uint64_t depth, uint64_t *found, struct error *err)
{
    const struct index_nesting *nesting = index->nesting;
    const uint32_t *of_groups = nesting->leasts + index->segment_count;
    struct kept_segment *segment;
    struct kept_block *block;
    enum status status = STATUS_OK;
    uint64_t at = from;
    *found = end;
    while (at < end && status == STATUS_OK) {
        const uint64_t number = at / per_segment(index), row = at % per_segment(index);
        if (!row && number % GROUP_SEGMENTS == 0 && of_groups[number / GROUP_SEGMENTS] > depth) {
            at += GROUP_SEGMENTS * per_segment(index);
        } else if (nesting->leasts[number] > depth) {
            at += per_segment(index) - row;
        } else if ((status = find_segment(index, number, &segment, err)) == STATUS_OK) {
            size_t place = (size_t)(row / COLUMN_BLOCK);
            while (place < segment->block_count && segment->leasts[place] > depth)
                place++;
            const uint64_t first = number * per_segment(index) + place * COLUMN_BLOCK;
            if (place == segment->block_count) {
                at += per_segment(index) - row;
                continue;
            }
            at = u64_max(at, first);
            if (at >= end || (status = find_block(index, at, &block, err)) != STATUS_OK)
                break;
            size_t i = (size_t)(at - first);
            const size_t last = (size_t)u64_min(block->count, end - first);
            while (i < last && block->depths[i] > depth)
                i++;
            at = first + i;
            if (i < last) {
                *found = at;
                return STATUS_OK;
            }
        }
    }
    return status;
}

// One more than the last of the events [first, end) after which at most `depth` calls are open;
// `first`: none.
static enum status find_before(struct trawl_index *index, uint64_t first, uint64_t end,
                               uint64_t depth, uint64_t *found, struct error *err)
{
    const struct index_nesting *nesting = index->nesting;
    const uint32_t *of_groups = nesting->leasts + index->segment_count;
    struct kept_segment *segment;
    struct kept_block *block;
    enum status status = STATUS_OK;
    uint64_t at = end; // one more than the next event to look at
    *found = first;
    while (at > first && status == STATUS_OK) {
        const uint64_t number = (at - 1) / per_segment(index), row = (at - 1) % per_segment(index);
        if (row + 1 == per_segment(index) && number % GROUP_SEGMENTS == GROUP_SEGMENTS - 1 &&
            of_groups[number / GROUP_SEGMENTS] > depth) {
            at -= GROUP_SEGMENTS * per_segment(index);
        } else if (nesting->leasts[number] > depth) {
            at -= row + 1;
        } else if ((status = find_segment(index, number, &segment, err)) == STATUS_OK) {
            size_t place = (size_t)(row / COLUMN_BLOCK) + 1;
            while (place > 0 && segment->leasts[place - 1] > depth)
                place--;
            if (!place) {
                at -= row + 1;
                continue;
            }
            const uint64_t start = number * per_segment(index) + (place - 1) * COLUMN_BLOCK;
            at = u64_min(at, start + COLUMN_BLOCK);
            if (at <= first || (status = find_block(index, at - 1, &block, err)) != STATUS_OK)
                break;
            size_t i = (size_t)(at - start);
            const size_t least = (size_t)(u64_max(first, start) - start);
            while (i > least && block->depths[i - 1] > depth)
                i--;
            at = start + i;
            if (i > least) {
                *found = at;
                return STATUS_OK;
            }
        }
    }
    return status;
}

// The event of an entry, by its number in the log.
static enum status find_entry(struct trawl_index *index, uint64_t number, uint64_t *event,
                              struct error *err)
{
    uint64_t place, before;
    struct kept_segment *segment;
    struct kept_block *block;
    if (!column_find(&index->segments[PART_SEGMENT_ENTRIES], 0, index->segment_count, number,
                     &place, &before) ||
        !place)
        return index_damaged(index, "directory of segments", err);
    enum status status = find_segment(index, place - 1, &segment, err);
    if (status != STATUS_OK)
        return status;
    const uint64_t wanted = number - before;
    size_t behind, row;
    PARTITION_POINT(behind, segment->block_count, segment->entries[middle] <= wanted);
    if (!behind || wanted >= segment->entry_count)
        return damaged(index, err);
    const uint64_t first = (place - 1) * per_segment(index) + (behind - 1) * COLUMN_BLOCK;
    status = find_block(index, first, &block, err);
    if (status != STATUS_OK)
        return status;
    PARTITION_POINT(row, block->count, block->entries + block->entered[middle + 1] <= wanted);
    *event = first + row;
    return row < block->count ? STATUS_OK : damaged(index, err);
}

// The number of an entry in the log: that of the entries before an event.
static enum status count_before(struct trawl_index *index, uint64_t event, bool is_inclusive,
                                uint64_t *count, struct error *err)
{
    struct kept_block *block;
    uint64_t before;
    enum status status = find_block(index, event, &block, err);
    if (status != STATUS_OK)
        return status;
    if (!column_get(&index->segments[PART_SEGMENT_ENTRIES], block->segment, &before))
        return index_damaged(index, "directory of segments", err);
    *count = before + block->entries + block->entered[event - block->first + is_inclusive];
    return STATUS_OK;
}

// The PC of an entry.
static enum status entry_pc(struct trawl_index *index, uint64_t event, uint64_t *pc,
                            struct error *err)
{
    struct kept_block *block;
    enum status status = find_block(index, event, &block, err);
    if (status != STATUS_OK)
        return status;
    struct segment_view *view = index_segment(index, block->segment, err);
    const struct column *pcs = view ? segment_column(index, view, PART_ENTRY_PCS, err) : NULL;
    if (!pcs)
        return STATUS_DAMAGED;
    const size_t at = (size_t)(event - block->first);
    return is_entry(block, at) && column_get(pcs, block->entries + block->entered[at], pc)
               ? STATUS_OK
               : damaged(index, err);
}

// --- Calls ---------------------------------------------------------------------------------------

enum status nesting_call(struct trawl_index *index, uint64_t lane, uint64_t number,
                         struct trawl_call *about, struct error *err)
{
    const uint64_t first = index->lane_firsts[lane], end = index->lane_firsts[lane + 1];
    const uint64_t first_call = index->lanes[lane].figures[LANE_FIRST_CALL];
    struct kept_block *block;
    uint64_t entry, after, around, parent = 0;
    *about = (struct trawl_call){.call = number, .parent = TRAWL_NONE};
    enum status status = find_entry(index, first_call + number, &entry, err);
    if (status == STATUS_OK && (entry < first || entry >= end))
        return damaged(index, err);
    if (status == STATUS_OK)
        status = find_block(index, entry, &block, err);
    if (status != STATUS_OK)
        return status;
    const uint64_t depth = block->depths[entry - block->first];
    if (!depth || depth - 1 > entry - first)
        return damaged(index, err);
    status = find_after(index, entry + 1, end, depth - 1, &after, err);
    if (status == STATUS_OK && depth > 1)
        status = find_before(index, first, entry, depth - 2, &around, err);
    if (status == STATUS_OK && depth > 1)
        status = count_before(index, around, false, &parent, err);
    if (status == STATUS_OK)
        status = entry_pc(index, entry, &about->pc, err);
    if (status != STATUS_OK)
        return status;
    if (depth > 1 && parent - first_call >= number)
        return damaged(index, err);
    about->entry = about->began = entry - first;
    about->exit = after - 1 - first;
    about->is_open = after == end;
    about->depth = depth;
    about->parent = depth > 1 ? parent - first_call : TRAWL_NONE;
    return STATUS_OK;
}

// A walk over the entries and exits of a lane, for consecutive calls.
struct call_walk {
    uint64_t first, end;                                // events of the lane
    uint64_t first_call;                                // of the lane
    uint64_t event;                                     // the next one
    uint64_t depths[COLUMN_BLOCK], exits[COLUMN_BLOCK]; // of the calls; exits: event of the log
    uint16_t open[COLUMN_BLOCK];                        // calls that are open, outermost first
    size_t open_count;
    // The call around them: its depth and number. UINT64_MAX: it was not looked for.
    uint64_t outer_depth, outer;
};

// The call around one that no other call of the walk is around.
static enum status find_outer(struct trawl_index *index, struct call_walk *walk, uint64_t entry,
                              uint64_t depth, struct error *err)
{
    uint64_t event;
    if (walk->outer_depth == depth - 1)
        return STATUS_OK;
    enum status status = find_before(index, walk->first, entry, depth - 2, &event, err);
    if (status == STATUS_OK)
        status = count_before(index, event, false, &walk->outer, err);
    walk->outer -= walk->first_call;
    walk->outer_depth = depth - 1;
    return status;
}

// Ends the open calls that are deeper than `depth`, with the event before `event`.
static void end_calls(struct call_walk *walk, uint64_t depth, uint64_t event)
{
    while (walk->open_count && walk->depths[walk->open[walk->open_count - 1]] > depth)
        walk->exits[walk->open[--walk->open_count]] = event - 1;
}

// Reads entries up to the last of `count` calls.
static enum status walk_entries(struct trawl_index *index, struct call_walk *walk, uint64_t number,
                                size_t count, const struct nested_calls *calls, struct error *err)
{
    enum status status = STATUS_OK;
    struct kept_block *block = NULL;
    for (size_t made = 0; made < count; walk->event++) {
        if (walk->event >= walk->end)
            return damaged(index, err);
        if (!block || walk->event - block->first >= block->count)
            status = find_block(index, walk->event, &block, err);
        if (status != STATUS_OK)
            return status;
        const size_t at = (size_t)(walk->event - block->first);
        const uint64_t depth = block->depths[at];
        if (!is_entry(block, at)) {
            end_calls(walk, depth, walk->event);
            walk->outer_depth = depth < walk->outer_depth ? UINT64_MAX : walk->outer_depth;
            continue;
        }
        uint64_t parent = TRAWL_NONE;
        if (walk->open_count) {
            parent = number + walk->open[walk->open_count - 1];
        } else if (depth > 1) {
            status = find_outer(index, walk, walk->event, depth, err);
            parent = walk->outer;
            if (status == STATUS_OK && parent >= number)
                status = damaged(index, err);
            block = NULL; // may have been replaced
        }
        if (calls->entries)
            calls->entries[made] = walk->event - walk->first;
        if (calls->depths)
            calls->depths[made] = depth;
        if (calls->parents)
            calls->parents[made] = parent;
        walk->depths[made] = depth;
        walk->open[walk->open_count++] = (uint16_t)made++;
    }
    return status;
}

enum status nesting_calls(struct trawl_index *index, uint64_t lane, uint64_t first, size_t count,
                          const struct nested_calls *calls, struct error *err)
{
    struct call_walk walk = {.first = index->lane_firsts[lane],
                             .end = index->lane_firsts[lane + 1],
                             .first_call = index->lanes[lane].figures[LANE_FIRST_CALL],
                             .outer_depth = UINT64_MAX};
    enum status status = find_entry(index, walk.first_call + first, &walk.event, err);
    if (status == STATUS_OK && walk.event < walk.first)
        return damaged(index, err);
    if (status == STATUS_OK)
        status = walk_entries(index, &walk, first, count, calls, err);
    while (status == STATUS_OK && walk.open_count) {
        const uint64_t depth = walk.depths[walk.open[walk.open_count - 1]] - 1;
        status = find_after(index, walk.event, walk.end, depth, &walk.event, err);
        end_calls(&walk, depth, walk.event);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (calls->exits)
            calls->exits[i] = walk.exits[i] - walk.first;
        if (calls->open)
            calls->open[i] = walk.exits[i] + 1 == walk.end;
    }
    for (size_t done = 0, here; status == STATUS_OK && calls->pcs && done < count; done += here) {
        uint64_t pcs[COLUMN_BLOCK];
        status = nesting_entry_pcs(index, walk.first_call + first + done, pcs, &here, err);
        here = (size_t)u64_min(here, count - done);
        if (status == STATUS_OK)
            memcpy(calls->pcs + done, pcs, here * sizeof *pcs);
    }
    return status;
}

enum status nesting_entered(struct trawl_index *index, uint64_t lane, uint64_t event,
                            uint64_t *count, struct error *err)
{
    const uint64_t *figures = index->lanes[lane].figures;
    const uint64_t last = u64_min(event, figures[LANE_EVENTS] - 1);
    enum status status = count_before(index, index->lane_firsts[lane] + last, true, count, err);
    if (status != STATUS_OK)
        return status;
    *count -= figures[LANE_FIRST_CALL];
    return *count <= figures[LANE_CALLS] ? STATUS_OK : damaged(index, err);
}

enum status nesting_entry_pcs(struct trawl_index *index, uint64_t first, uint64_t *pcs,
                              size_t *count, struct error *err)
{
    uint64_t event, before;
    enum status status = find_entry(index, first, &event, err);
    if (status != STATUS_OK)
        return status;
    const uint64_t segment = event / per_segment(index);
    struct segment_view *view = index_segment(index, segment, err);
    const struct column *column = view ? segment_column(index, view, PART_ENTRY_PCS, err) : NULL;
    if (!column)
        return STATUS_DAMAGED;
    if (!column_get(&index->segments[PART_SEGMENT_ENTRIES], segment, &before) ||
        first - before >= column->count)
        return damaged(index, err);
    const uint64_t row = first - before;
    *count = (size_t)u64_min(COLUMN_BLOCK - row % COLUMN_BLOCK, column->count - row);
    return column_read(column, row, *count, pcs) ? STATUS_OK : damaged(index, err);
}

// --- PCs of events -------------------------------------------------------------------------------

// The PCs of the exceptions among events of a block, in order.
static enum status exception_pcs(struct trawl_index *index, const struct kept_block *block,
                                 uint64_t pcs[COLUMN_BLOCK], struct error *err)
{
    uint64_t first = 0, row = block->number * COLUMN_BLOCK;
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_COUNT(block->exceptions); i++)
        count += (size_t)__builtin_popcountll(block->exceptions[i]);
    if (!count)
        return STATUS_OK;
    struct segment_view *view = index_segment(index, block->segment, err);
    const struct column *events =
        view ? segment_column(index, view, PART_EXCEPTION_EVENTS, err) : NULL;
    const struct column *column =
        events ? segment_column(index, view, PART_EXCEPTION_PCS, err) : NULL;
    if (!column)
        return STATUS_DAMAGED;
    return (!row || column_search(events, 0, events->count, row - 1, &first)) &&
                   column_read(column, first, count, pcs)
               ? STATUS_OK
               : damaged(index, err);
}

// The PCs of the events [from, end) of a block.
static enum status block_pcs(struct trawl_index *index, const struct kept_block *block, size_t from,
                             size_t end, bool only_entries, uint64_t *pcs, struct error *err)
{
    uint64_t entered[COLUMN_BLOCK], exceptional[COLUMN_BLOCK], open[COLUMN_BLOCK];
    struct segment_view *view = index_segment(index, block->segment, err);
    const struct column *column = view ? segment_column(index, view, PART_ENTRY_PCS, err) : NULL;
    const size_t entries = (size_t)(block->entered[end] - block->entered[from]);
    if (!column)
        return STATUS_DAMAGED;
    if (entries && !column_read(column, block->entries + block->entered[from], entries, entered))
        return damaged(index, err);
    enum status status = only_entries ? STATUS_OK : exception_pcs(index, block, exceptional, err);
    const uint64_t lane_first = index->lane_firsts[index_lane_of(index, block->first + from)];
    uint64_t outer = block->first + from; // the calls that were open here, up to the next found
    size_t depth = 0, exceptions = 0;     // `depth` of the calls opened from there on
    for (size_t i = 0; i < from; i++)
        exceptions += is_exception(block, i);
    for (size_t i = from, next = 0; i < end && status == STATUS_OK; i++) {
        const bool is_exceptional = is_exception(block, i);
        if (is_entry(block, i)) {
            depth = is_exceptional ? 0 : depth; // a lane begins
            pcs[i - from] = open[depth++] = entered[next++];
        } else if (only_entries) {
            pcs[i - from] = EVENT_WITHOUT_PC;
        } else if (is_exceptional) {
            const uint64_t before = i ? block->depths[i - 1] : block->depths[i];
            pcs[i - from] = exceptional[exceptions];
            depth -= (size_t)u64_min(depth, before - block->depths[i]);
        } else if (depth) {
            pcs[i - from] = open[--depth];
        } else {
            status = find_before(index, lane_first, outer, block->depths[i], &outer, err);
            if (status == STATUS_OK)
                status = entry_pc(index, outer, &pcs[i - from], err);
        }
        exceptions += is_exceptional;
    }
    return status;
}

enum status nesting_pcs(struct trawl_index *index, uint64_t segment, uint64_t row, size_t count,
                        bool only_entries, uint64_t *pcs, struct error *err)
{
    const uint64_t first = segment * per_segment(index) + row;
    enum status status = STATUS_OK;
    for (size_t done = 0; done < count && status == STATUS_OK;) {
        struct kept_block *found, block;
        status = find_block(index, first + done, &found, err);
        if (status != STATUS_OK)
            break;
        block = *found; // searches may replace it
        const size_t from = (size_t)(first + done - block.first);
        const size_t end = (size_t)u64_min(block.count, from + (count - done));
        status = block_pcs(index, &block, from, end, only_entries, pcs + done, err);
        done += end - from;
    }
    return status;
}

enum status index_read_pcs(struct trawl_index *index, struct segment_view *view, uint64_t from,
                           size_t count, uint64_t *pcs, struct error *err)
{
    if (index->is_nested)
        return nesting_pcs(index, view->number, from, count, false, pcs, err);
    const struct column *column = segment_column(index, view, PART_PC, err);
    if (!column)
        return STATUS_DAMAGED;
    return column_read(column, from, count, pcs) ? STATUS_OK
                                                 : index_damaged(index, "events of a segment", err);
}

enum status nesting_may_visit(struct trawl_index *index, uint64_t segment, uint64_t block,
                              uint64_t pc, bool *may, struct error *err)
{
    uint64_t pcs[COLUMN_BLOCK];
    struct kept_segment *kept;
    enum status status = find_segment(index, segment, &kept, err);
    if (status != STATUS_OK)
        return status;
    struct segment_view *view = index_segment(index, segment, err);
    const struct column *column = view ? segment_column(index, view, PART_ENTRY_PCS, err) : NULL;
    if (!column)
        return STATUS_DAMAGED;
    const uint64_t first = kept->entries[block];
    const uint64_t end =
        block + 1 < kept->block_count ? kept->entries[block + 1] : kept->entry_count;
    if (end < first || end - first > COLUMN_BLOCK ||
        !column_read(column, first, (size_t)(end - first), pcs))
        return damaged(index, err);
    *may = end > first &&
           column->kernels->contain(pcs, (size_t)(end - first), ~UINT64_C(1), pc & ~UINT64_C(1));
    return STATUS_OK;
}

// --- Verifying -----------------------------------------------------------------------------------

enum status nesting_verify(struct trawl_index *index, struct error *err)
{
    const uint64_t events = index->identity[IDENTITY_EVENTS];
    uint64_t entries = 0, depth = 0, before;
    for (uint64_t number = 0; number < index->segment_count; number++) {
        struct kept_segment *segment;
        struct kept_block *block;
        enum status status = find_segment(index, number, &segment, err);
        if (status != STATUS_OK)
            return status;
        uint64_t least = UINT64_MAX;
        if (segment->depths[0] != depth || segment->entries[0] ||
            !column_get(&index->segments[PART_SEGMENT_ENTRIES], number, &before) ||
            before != entries)
            return damaged(index, err);
        for (size_t i = 0; i < segment->block_count; i++) {
            status = find_block(index, number * per_segment(index) + i * COLUMN_BLOCK, &block, err);
            if (status != STATUS_OK)
                return status;
            depth = block->depths[block->count - 1];
            least = u64_min(least, segment->leasts[i]);
        }
        entries += segment->entry_count;
        if (least != index->nesting->leasts[number])
            return damaged(index, err);
    }
    for (size_t i = 0; i < index->lane_count; i++) {
        struct kept_block *block;
        const uint64_t first = index->lane_firsts[i];
        if (first == index->lane_firsts[i + 1] || !first || first >= events)
            continue;
        enum status status = find_block(index, first, &block, err);
        if (status != STATUS_OK)
            return status;
        if (!is_exception(block, (size_t)(first - block->first)))
            return damaged(index, err);
    }
    return entries == index->call_count ? STATUS_OK : damaged(index, err);
}
