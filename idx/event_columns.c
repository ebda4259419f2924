// Events in blocks, in columns supplied by the caller.
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/steps.h"

#include <stdlib.h>

// A run of events of one segment.
struct run {
    struct segment_view *view;
    uint64_t first; // event of the trace
    uint64_t row;   // of the first, in the segment
    size_t count;
};

static enum status read_column(struct trawl_index *index, const struct run *run,
                               enum segment_part part, uint64_t *values, struct error *err)
{
    if (!values)
        return STATUS_OK;
    const struct column *column = segment_column(index, run->view, part, err);
    if (!column)
        return STATUS_DAMAGED;
    return column_read(column, run->row, run->count, values)
               ? STATUS_OK
               : index_damaged(index, "events of a segment", err);
}

// Adds to events what later segments have for them.
static enum status add_late(struct trawl_index *index, const struct run *run, uint64_t *pcs,
                            uint64_t *flags, struct error *err)
{
    const struct column *events = &index->late[PART_LATE_EVENTS];
    uint64_t place = 0, event, pc, added;
    if (!index->has_late || (!pcs && !flags))
        return STATUS_OK;
    if (run->first && !column_search(events, 0, events->count, run->first - 1, &place))
        return index_damaged(index, "late events", err);
    for (; place < events->count; place++) {
        if (!column_get(events, place, &event) || event < run->first)
            return index_damaged(index, "late events", err);
        if (event - run->first >= run->count)
            break;
        if (!column_get(&index->late[PART_LATE_PCS], place, &pc) ||
            !column_get(&index->late[PART_LATE_FLAGS], place, &added))
            return index_damaged(index, "late events", err);
        if (flags)
            flags[event - run->first] |= added;
        if (pcs && added & EVENT_HAS_INSTRUCTION)
            pcs[event - run->first] = pc;
    }
    return STATUS_OK;
}

// The numbers of events in their lanes. `counts` has the number of earlier events of each lane. The
// lanes of the rows [0, end) of the segment are walked, and those from run->row on are written.
static enum status number_in_lanes(struct trawl_index *index, const struct run *run,
                                   uint64_t *counts, uint64_t *lanes_out, uint64_t *in_lane,
                                   struct error *err)
{
    uint64_t lanes[COLUMN_BLOCK], end = run->row + run->count;
    for (uint64_t from = 0; from < end; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(end - from, COLUMN_BLOCK);
        enum status status = index_read_lanes(index, run->view, from, here, lanes, err);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < here; i++) {
            if (lanes[i] >= index->lane_count)
                return index_damaged(index, "lanes of a segment", err);
            uint64_t number = counts[lanes[i]]++;
            if (from + i < run->row)
                continue;
            if (lanes_out)
                lanes_out[from + i - run->row] = lanes[i];
            if (in_lane)
                in_lane[from + i - run->row] = number;
        }
    }
    return STATUS_OK;
}

// For lanes that are one after the other, or a single lane.
static void number_in_order(const struct trawl_index *index, const struct run *run,
                            uint64_t *lanes_out, uint64_t *in_lane)
{
    uint64_t lanes[COLUMN_BLOCK];
    if (!index->lane_firsts) {
        if (lanes_out)
            memset(lanes_out, 0, run->count * sizeof *lanes_out);
        for (size_t i = 0; in_lane && i < run->count; i++)
            in_lane[i] = run->first + i;
        return;
    }
    for (size_t from = 0; from < run->count; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(run->count - from, COLUMN_BLOCK);
        index_lanes_of(index, run->first + from, here, lanes);
        for (size_t i = 0; i < here; i++) {
            uint64_t before = index->lane_firsts[lanes[i]];
            if (lanes_out)
                lanes_out[from + i] = lanes[i];
            if (in_lane)
                in_lane[from + i] = run->first + from + i - before;
        }
    }
}

static enum status read_lanes(struct trawl_index *index, const struct run *run, uint64_t *lanes,
                              uint64_t *in_lane, struct error *err)
{
    if (!lanes && !in_lane)
        return STATUS_OK;
    if (index->lane_firsts || index->lane_count <= 1) {
        number_in_order(index, run, lanes, in_lane);
        return STATUS_OK;
    }
    uint64_t *counts = calloc(index->lane_count, sizeof *counts);
    if (!counts)
        return index_no_memory(index, err);
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; lane < index->lane_count && status == STATUS_OK; lane++) {
        if (!index_lane_events_before(index, lane, run->view->number, &counts[lane]))
            status = index_damaged(index, "lanes", err);
    }
    if (status == STATUS_OK)
        status = number_in_lanes(index, run, counts, lanes, in_lane, err);
    free(counts);
    return status;
}

static uint64_t *behind(uint64_t *column, size_t rows)
{
    return column ? column + rows : NULL;
}

// Reads a run into the rows of the columns from `done` on.
static enum status read_run(struct trawl_index *index, const struct run *run,
                            const struct trawl_event_columns *columns, size_t done,
                            struct error *err)
{
    uint64_t *pcs = behind(columns->pc, done), *flags = behind(columns->flags, done);
    const struct {
        enum segment_part part;
        uint64_t *values;
    } parts[] = {{PART_TIME, behind(columns->time, done)}, {PART_FLAGS, flags}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < ARRAY_COUNT(parts) && status == STATUS_OK; i++)
        status = read_column(index, run, parts[i].part, parts[i].values, err);
    if (status == STATUS_OK)
        status =
            segment_read_text(index, run->view, run->row, run->count, behind(columns->line, done),
                              behind(columns->position, done), err);
    if (status == STATUS_OK && pcs)
        status = index_read_pcs(index, run->view, run->row, run->count, pcs, err);
    if (status == STATUS_OK)
        status = add_late(index, run, pcs, flags, err);
    for (size_t i = 0; flags && i < run->count && status == STATUS_OK; i++)
        flags[i] = index_flags(index, flags[i]);
    return status == STATUS_OK ? read_lanes(index, run, behind(columns->lane, done),
                                            behind(columns->in_lane, done), err)
                               : status;
}

enum trawl_status trawl_events_(struct trawl_index *index, uint64_t first, size_t capacity,
                                const struct trawl_event_columns *theirs, size_t columns_bytes,
                                size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_event_columns columns;
    uint64_t all = index->identity[IDENTITY_EVENTS];
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    uint64_t wanted = first < all ? u64_min(capacity, all - first) : 0;
    caller_take(&columns, sizeof columns, theirs, columns_bytes);
    for (*count = 0; *count < wanted;) {
        struct run run = {.first = first + *count, .row = (first + *count) % per_segment};
        run.view = index_segment(index, run.first / per_segment, err);
        if (!run.view)
            return errors_give(error, &why, STATUS_DAMAGED);
        run.count = (size_t)u64_min(wanted - *count, per_segment - run.row);
        enum status status = read_run(index, &run, &columns, *count, err);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        *count += run.count;
    }
    return TRAWL_OK;
}
