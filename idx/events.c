// Queries of events: their contents, and the event to which something belongs.
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/nesting.h"
#include "idx/rows.h"
#include "idx/steps.h"

#include <stdlib.h>

static uint64_t per_segment(const struct trawl_index *index)
{
    return index->identity[IDENTITY_SEGMENT_EVENTS];
}

static enum trawl_status not_found(const struct trawl_index *index, const char *what,
                                   struct trawl_error *err)
{
    struct error why;
    return errors_give(err, &why,
                       error_set(&why, STATUS_NOT_FOUND, "%s: no such %s", index->path, what));
}

// --- Numbers of lanes ----------------------------------------------------------------------------

bool index_lane_events_before(const struct trawl_index *index, uint64_t lane, uint64_t segment,
                              uint64_t *count)
{
    if (index->lane_count <= 1) {
        *count = segment * per_segment(index);
        return true;
    }
    return column_get(&index->segments[PART_SEGMENT_LANE_EVENTS],
                      lane * index->segment_count + segment, count);
}

enum status index_read_lanes(struct trawl_index *index, struct segment_view *view, uint64_t from,
                             size_t count, uint64_t *lanes, struct error *err)
{
    if (index->lane_firsts) {
        index_lanes_of(index, view->number * per_segment(index) + from, count, lanes);
        return STATUS_OK;
    }
    if (!parts_find(&view->parts, PART_LANE)) {
        memset(lanes, 0, count * sizeof *lanes);
        return STATUS_OK;
    }
    const struct column *column = segment_column(index, view, PART_LANE, err);
    if (!column)
        return STATUS_DAMAGED;
    return column_read(column, from, count, lanes)
               ? STATUS_OK
               : index_damaged(index, "lanes of a segment", err);
}

// After this many requests for lanes of one segment, its rows are sorted by lane.
#define LANE_ORDER_AFTER 32

void lane_order_free(struct lane_order *order)
{
    free(order->starts);
    free(order->rows);
    *order = (struct lane_order){.segment = UINT64_MAX};
}

// Sorts by counting. `next` has room for one more than the number of lanes.
static enum status order_rows(struct trawl_index *index, struct segment_view *view,
                              struct lane_order *order, uint32_t *next, struct error *err)
{
    uint64_t lanes[COLUMN_BLOCK], rows = index_segment_events(index, view->number);
    for (int is_second = 0; is_second < 2; is_second++) {
        for (uint64_t from = 0; from < rows; from += COLUMN_BLOCK) {
            size_t here = (size_t)u64_min(rows - from, COLUMN_BLOCK);
            enum status status = index_read_lanes(index, view, from, here, lanes, err);
            if (status != STATUS_OK)
                return status;
            for (size_t i = 0; i < here; i++) {
                if (lanes[i] >= index->lane_count)
                    return index_damaged(index, "lanes", err);
                if (is_second)
                    order->rows[next[lanes[i]]++] = (uint32_t)(from + i);
                else
                    order->starts[lanes[i] + 1]++;
            }
        }
        for (size_t i = 0; i < index->lane_count && !is_second; i++)
            next[i + 1] = order->starts[i + 1] += order->starts[i];
    }
    return STATUS_OK;
}

// The order of a segment. If there is none, it replaces the one that was used least recently.
static struct lane_order *lane_order_of(struct trawl_index *index, uint64_t segment)
{
    struct lane_order *order = &index->lane_orders[0];
    for (size_t i = 0; i < LANE_ORDERS && order->segment != segment; i++) {
        struct lane_order *other = &index->lane_orders[i];
        if (other->segment == segment || other->latest < order->latest)
            order = other;
    }
    if (order->segment != segment) {
        lane_order_free(order);
        order->segment = segment;
    }
    order->latest = ++index->lane_questions;
    return order;
}

// Sorts the rows of the segment by lane after many requests. Without memory, requests continue to
// walk the rows.
static enum status find_lane_order(struct trawl_index *index, struct segment_view *view,
                                   struct lane_order *order, struct error *err)
{
    uint64_t rows = index_segment_events(index, view->number);
    if (order->rows || ++order->asked < LANE_ORDER_AFTER)
        return STATUS_OK;
    uint32_t *next = calloc(index->lane_count + 1, sizeof *next);
    order->starts = calloc(index->lane_count + 1, sizeof *order->starts);
    order->rows = malloc((size_t)(rows + 1) * sizeof *order->rows);
    enum status status = STATUS_OK;
    bool has_memory = next && order->starts && order->rows;
    if (has_memory)
        status = order_rows(index, view, order, next, err);
    free(next);
    if (!has_memory || status != STATUS_OK)
        lane_order_free(order);
    return status;
}

// Walks a segment's events in blocks: counts those of a lane up to row `end`, or finds the one with
// number `wanted` among them.
static enum status count_lane(struct trawl_index *index, struct segment_view *view, uint64_t lane,
                              uint64_t end, uint64_t wanted, uint64_t *count, uint64_t *row,
                              struct error *err)
{
    uint64_t lanes[COLUMN_BLOCK];
    *count = 0;
    *row = UINT64_MAX;
    struct lane_order *order = lane_order_of(index, view->number);
    enum status found = find_lane_order(index, view, order, err);
    if (found != STATUS_OK)
        return found;
    if (order->rows && lane < index->lane_count) {
        // Does the work of count_lane with an order that exists.
        const uint32_t *rows = order->rows + order->starts[lane];
        size_t of_lane = order->starts[lane + 1] - order->starts[lane], before;
        PARTITION_POINT(before, of_lane, rows[middle] < end);
        *row = wanted < before ? rows[wanted] : UINT64_MAX;
        *count = wanted < before ? wanted + 1 : before;
        return STATUS_OK;
    }
    for (uint64_t from = 0; from < end; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(end - from, COLUMN_BLOCK);
        enum status status = index_read_lanes(index, view, from, here, lanes, err);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < here; i++) {
            if (lanes[i] != lane)
                continue;
            if ((*count)++ == wanted) {
                *row = from + i;
                return STATUS_OK;
            }
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_event_of_lane(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                      uint64_t *event, struct trawl_error *err)
{
    struct error why;
    if (lane >= index->lane_count || in_lane >= index->lanes[lane].figures[LANE_EVENTS])
        return not_found(index, "event", err);
    if (index->lane_count == 1 || index->lane_firsts) {
        *event = in_lane + (index->lane_firsts ? index->lane_firsts[lane] : 0);
        return TRAWL_OK;
    }
    uint64_t low = 0, high = index->segment_count, before = 0, count, row;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (!index_lane_events_before(index, lane, middle, &before))
            return errors_give(err, &why, index_damaged(index, "lanes", &why));
        *(before <= in_lane ? &low : &high) = middle;
    }
    struct segment_view *view = index_segment(index, low, &why);
    if (!view)
        return errors_give(err, &why, STATUS_DAMAGED);
    if (!index_lane_events_before(index, lane, low, &before))
        return errors_give(err, &why, index_damaged(index, "lanes", &why));
    enum status status = count_lane(index, view, lane, index_segment_events(index, low),
                                    in_lane - before, &count, &row, &why);
    if (status == STATUS_OK && row == UINT64_MAX)
        status = index_damaged(index, "lanes", &why);
    *event = low * per_segment(index) + row;
    return errors_give(err, &why, status);
}

// --- One event -----------------------------------------------------------------------------------

// Adds to the event what later segments have for it.
static enum status add_late(struct trawl_index *index, struct trawl_event *about, struct error *err)
{
    const struct column *events = &index->late[PART_LATE_EVENTS];
    uint64_t place, event, pc, flags;
    if (!column_search(events, 0, events->count, about->event, &place))
        return index_damaged(index, "late events", err);
    while (place-- > 0) {
        if (!column_get(events, place, &event))
            return index_damaged(index, "late events", err);
        if (event != about->event)
            break;
        if (!column_get(&index->late[PART_LATE_PCS], place, &pc) ||
            !column_get(&index->late[PART_LATE_FLAGS], place, &flags))
            return index_damaged(index, "late events", err);
        about->flags |= index_flags(index, flags);
        if (flags & EVENT_HAS_INSTRUCTION)
            about->pc = pc;
    }
    return STATUS_OK;
}

static enum status read_event(struct trawl_index *index, struct segment_view *view, uint64_t row,
                              struct trawl_event *about, struct error *err)
{
    uint64_t flags = 0;
    const struct {
        enum segment_part part;
        uint64_t *value;
    } fields[] = {{PART_TIME, &about->time}, {PART_FLAGS, &flags}, {PART_PC, &about->pc}};
    // Without a column of PCs, they come last, as a search for one may close the segment.
    const size_t count = ARRAY_COUNT(fields) - index->is_nested;
    for (size_t i = 0; i < count; i++) {
        const struct column *column = segment_column(index, view, fields[i].part, err);
        if (!column)
            return STATUS_DAMAGED;
        if (!column_get(column, row, fields[i].value))
            return index_damaged(index, "events of a segment", err);
    }
    about->flags = index_flags(index, flags);
    enum status status =
        segment_read_text(index, view, row, 1, &about->line, &about->position, err);
    if (status != STATUS_OK)
        return status;
    if (index->is_nested)
        return nesting_pcs(index, view->number, row, 1, false, &about->pc, err);
    return index->has_late ? add_late(index, about, err) : STATUS_OK;
}

enum status index_event(struct trawl_index *index, uint64_t event, struct trawl_event *about,
                        struct error *err)
{
    if (event >= index->identity[IDENTITY_EVENTS])
        return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
    uint64_t segment = event / per_segment(index), row = event % per_segment(index), count, ignored;
    struct segment_view *view = index_segment(index, segment, err);
    *about = (struct trawl_event){.event = event, .in_lane = event};
    if (!view)
        return STATUS_DAMAGED;
    enum status status = read_event(index, view, row, about, err);
    if (status != STATUS_OK || index->lane_count <= 1)
        return status;
    if (index->lane_firsts) {
        about->lane = index_lane_of(index, event);
        about->in_lane = event - index->lane_firsts[about->lane];
        return STATUS_OK;
    }
    if ((status = index_read_lanes(index, view, row, 1, &about->lane, err)) ||
        (status = count_lane(index, view, about->lane, row, UINT64_MAX, &count, &ignored, err)))
        return status;
    if (about->lane >= index->lane_count ||
        !index_lane_events_before(index, about->lane, segment, &about->in_lane))
        return index_damaged(index, "lanes", err);
    about->in_lane += count;
    return STATUS_OK;
}

enum trawl_status trawl_event_(struct trawl_index *index, uint64_t event, struct trawl_event *about,
                               size_t about_bytes, struct trawl_error *err)
{
    struct error why;
    struct trawl_event found;
    enum status status = index_event(index, event, &found, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(err, &why, status);
}

// --- The instruction of an event -----------------------------------------------------------------

// The last event of the lane up to number `in_lane` that has an instruction.
static enum status find_instruction(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                    struct trawl_event *about, struct error *err)
{
    uint64_t root = index->lanes[lane].figures[LANE_ROOT], event;
    struct trawl_error from;
    enum status status = STATUS_OK;
    for (uint64_t at = in_lane; status == STATUS_OK && at >= root; at--) {
        // Otherwise a walk over all rows of a table would take the square of the time.
        if (index->pause.lane == lane && index->pause.first <= at && at <= index->pause.last)
            at = index->pause.first;
        if (trawl_event_of_lane(index, lane, at, &event, &from) != TRAWL_OK)
            return index_damaged(index, "lanes", err);
        status = index_event(index, event, about, err);
        if (status == STATUS_OK && about->flags & TRAWL_HAS_INSTRUCTION) {
            index->pause.lane = lane;
            index->pause.first = at;
            index->pause.last = in_lane;
            return STATUS_OK;
        }
        if (at == 0)
            break;
    }
    return status == STATUS_OK ? error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path)
                               : status;
}

// The instruction that the line of an event names.
static enum status named_instruction(struct trawl_index *index, uint64_t event, uint64_t *pc,
                                     struct error *err)
{
    uint64_t row = event % per_segment(index), place, found;
    struct segment_view *view = index_segment(index, event / per_segment(index), err);
    if (!view)
        return STATUS_DAMAGED;
    const struct column *events = segment_column(index, view, PART_ORIGIN_EVENTS, err);
    if (!events)
        return err->status;
    const struct column *pcs = segment_column(index, view, PART_ORIGIN_PCS, err);
    if (!pcs || !column_search(events, 0, events->count, row, &place) ||
        (place && !column_get(events, place - 1, &found)) ||
        (place && found == row && !column_get(pcs, place - 1, pc)))
        return index_damaged(index, "events of a segment", err);
    return place && found == row ? STATUS_OK : STATUS_NOT_FOUND;
}

enum trawl_status trawl_instruction_before(struct trawl_index *index, uint64_t lane,
                                           uint64_t in_lane, uint64_t *event,
                                           struct trawl_error *err)
{
    struct error why;
    struct trawl_event about;
    if (lane >= index->lane_count || in_lane >= index->lanes[lane].figures[LANE_EVENTS])
        return not_found(index, "event", err);
    enum status status = find_instruction(index, lane, in_lane, &about, &why);
    if (status == STATUS_OK)
        *event = about.event;
    return errors_give(err, &why, status);
}

enum trawl_status trawl_instruction_of(struct trawl_index *index, uint64_t event, uint64_t *pc,
                                       struct trawl_error *err)
{
    struct error why;
    struct trawl_event about;
    enum status status = index_event(index, event, &about, &why);
    if (status == STATUS_OK && !(about.flags & TRAWL_HAS_INSTRUCTION)) {
        status = named_instruction(index, event, &about.pc, &why);
        if (status == STATUS_NOT_FOUND)
            status = find_instruction(index, about.lane, about.in_lane, &about, &why);
    }
    if (status == STATUS_OK)
        *pc = about.pc;
    return errors_give(err, &why, status);
}

// --- Which event something belongs to ------------------------------------------------------------

// The last event whose line, or position, is not above `wanted`; both ascend.
static enum status find_rising(struct trawl_index *index, enum segments_part directory,
                               enum segment_part part, uint64_t wanted, uint64_t *event,
                               struct error *err)
{
    const struct column *firsts = &index->segments[directory];
    uint64_t place;
    if (!column_search(firsts, 0, index->segment_count, wanted, &place))
        return index_damaged(index, "directory of segments", err);
    if (!place) {
        *event = TRAWL_START;
        return STATUS_OK;
    }
    uint64_t segment = place - 1, row = 0;
    struct segment_view *view = index_segment(index, segment, err);
    enum status status =
        view ? segment_find_text(index, view, part, wanted, &row, err) : STATUS_DAMAGED;
    *event = segment * per_segment(index) + row;
    return status;
}

enum trawl_status trawl_event_at_line(struct trawl_index *index, uint64_t line, uint64_t *event,
                                      struct trawl_error *err)
{
    struct error why;
    if (index->lane_firsts || index_has_section(index, SECTION_TFILE)) // these have no lines
        return not_found(index, "line", err);
    return errors_give(err, &why,
                       find_rising(index, PART_SEGMENT_LINES, PART_LINE, line, event, &why));
}

// --- In an XRay log ------------------------------------------------------------------------------

// The number of events in [first, end) whose value in a column is not above `wanted`; values
// ascend.
static enum status count_rising(struct trawl_index *index, enum segment_part part, uint64_t first,
                                uint64_t end, uint64_t wanted, uint64_t *count, struct error *err)
{
    uint64_t low = first, value;
    while (low < end) {
        uint64_t middle = low + (end - low) / 2;
        struct segment_view *view = index_segment(index, middle / per_segment(index), err);
        const struct column *column = view ? segment_column(index, view, part, err) : NULL;
        if (!column)
            return STATUS_DAMAGED;
        if (!column_get(column, middle % per_segment(index), &value))
            return index_damaged(index, "events of a segment", err);
        *(value <= wanted ? &low : &end) = middle + (value <= wanted);
    }
    *count = low - first;
    return STATUS_OK;
}

// The row of the buffer that contains the byte; UINT64_MAX: none.
static enum status find_buffer(const struct trawl_index *index, uint64_t position, uint64_t *buffer,
                               struct error *err)
{
    uint64_t offsets[COLUMN_BLOCK], sizes[COLUMN_BLOCK];
    const struct column *columns = index->xray_buffers;
    uint64_t count = columns[PART_XRAY_BUFFER_OFFSETS].count;
    *buffer = UINT64_MAX;
    for (uint64_t from = 0; from < count; from += COLUMN_BLOCK) {
        size_t here = (size_t)u64_min(count - from, COLUMN_BLOCK);
        if (!column_read(&columns[PART_XRAY_BUFFER_OFFSETS], from, here, offsets) ||
            !column_read(&columns[PART_XRAY_BUFFER_BYTES], from, here, sizes))
            return index_damaged(index, "buffers", err);
        for (size_t i = 0; i < here && *buffer == UINT64_MAX; i++) {
            if (position - offsets[i] < sizes[i])
                *buffer = from + i;
        }
    }
    return STATUS_OK;
}

// The last event at or before the byte, in the lane of the byte's buffer.
static enum status find_in_buffer(struct trawl_index *index, uint64_t position, uint64_t *event,
                                  struct error *err)
{
    const struct column *firsts = &index->xray_buffers[PART_XRAY_BUFFER_EVENTS];
    uint64_t buffer, lane, first, end = index->identity[IDENTITY_EVENTS], count;
    enum status status = find_buffer(index, position, &buffer, err);
    *event = TRAWL_START;
    if (status != STATUS_OK || buffer == UINT64_MAX)
        return status;
    if (!column_get(firsts, buffer, &first) ||
        (buffer + 1 < firsts->count && !column_get(firsts, buffer + 1, &end)) || first > end ||
        end > index->identity[IDENTITY_EVENTS] ||
        !column_get(&index->xray_buffers[PART_XRAY_BUFFER_LANES], buffer, &lane) ||
        lane >= index->lane_count)
        return index_damaged(index, "buffers", err);
    status = count_rising(index, PART_POSITION, first, end, position, &count, err);
    if (status == STATUS_OK && first + count > index->lane_firsts[lane])
        *event = first + count - 1;
    return status;
}

// The last event of a lane whose time is not above `time`.
static enum status find_in_lane(struct trawl_index *index, uint64_t lane, uint64_t time,
                                uint64_t *event, struct error *err)
{
    uint64_t count, first = index->lane_firsts[lane];
    enum status status =
        count_rising(index, PART_TIME, first, index->lane_firsts[lane + 1], time, &count, err);
    *event = status == STATUS_OK && count ? first + count - 1 : TRAWL_START;
    return status;
}

// The same for all lanes: the last event by number.
static enum status find_in_lanes(struct trawl_index *index, uint64_t lane, uint64_t time,
                                 uint64_t *event, struct error *err)
{
    enum status status = STATUS_OK;
    *event = TRAWL_START;
    if (lane != TRAWL_ANY_LANE)
        return lane < index->lane_count ? find_in_lane(index, lane, time, event, err) : STATUS_OK;
    for (lane = index->lane_count; lane-- > 0 && *event == TRAWL_START && status == STATUS_OK;)
        status = find_in_lane(index, lane, time, event, err);
    return status;
}

// --- By time and position ------------------------------------------------------------------------

enum trawl_status trawl_event_at_position(struct trawl_index *index, uint64_t position,
                                          uint64_t *event, struct trawl_error *err)
{
    struct error why;
    if (index->lane_firsts)
        return errors_give(err, &why, find_in_buffer(index, position, event, &why));
    return errors_give(
        err, &why,
        find_rising(index, PART_SEGMENT_POSITIONS, PART_POSITION, position, event, &why));
}

// The last row below `end` of the lane (or of any) whose time is not above `time`; UINT64_MAX:
// none.
static enum status find_time_before(struct trawl_index *index, struct segment_view *view,
                                    uint64_t lane, uint64_t time, uint64_t *row, struct error *err)
{
    uint64_t times[COLUMN_BLOCK], lanes[COLUMN_BLOCK], min, max;
    const struct column *column = segment_column(index, view, PART_TIME, err);
    *row = UINT64_MAX;
    if (!column)
        return STATUS_DAMAGED;
    for (uint64_t block = column->block_count; block-- > 0;) {
        uint64_t from = block * COLUMN_BLOCK;
        size_t here = (size_t)u64_min(column->count - from, COLUMN_BLOCK);
        if (!column_block_range(column, block, &min, &max))
            return index_damaged(index, "times of a segment", err);
        if (min > time)
            continue;
        if (!column_read(column, from, here, times))
            return index_damaged(index, "times of a segment", err);
        enum status status = index_read_lanes(index, view, from, here, lanes, err);
        if (status != STATUS_OK)
            return status;
        for (size_t i = here; i-- > 0;) {
            if (times[i] > time || (lane != TRAWL_ANY_LANE && lanes[i] != lane))
                continue;
            *row = from + i;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_event_at_time(struct trawl_index *index, uint64_t lane, uint64_t time,
                                      uint64_t *event, struct trawl_error *error)
{
    struct error why, *err = &why;
    uint64_t place = index->segment_count, row;
    if (index->lane_firsts)
        return errors_give(error, &why, find_in_lanes(index, lane, time, event, err));
    *event = TRAWL_START;
    // With one lane, the times of segments ascend. With several they ascend only nearly, so all
    // segments are considered.
    if (index->lane_count <= 1 &&
        !column_search(&index->segments[PART_SEGMENT_TIMES], 0, index->segment_count, time, &place))
        return errors_give(error, &why, index_damaged(index, "directory of segments", err));
    while (place-- > 0) {
        struct segment_view *view = index_segment(index, place, err);
        if (!view)
            return errors_give(error, &why, STATUS_DAMAGED);
        enum status status = find_time_before(index, view, lane, time, &row, err);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        if (row != UINT64_MAX) {
            *event = place * per_segment(index) + row;
            return TRAWL_OK;
        }
    }
    return TRAWL_OK;
}

// --- Visits --------------------------------------------------------------------------------------

struct visit_search {
    uint64_t lane, pc;
    bool back;
    uint64_t first, last; // rows of the segment to search
};

static bool is_visit(const struct visit_search *search, uint64_t pc, uint64_t flags, uint64_t lane)
{
    if (search->lane != TRAWL_ANY_LANE && lane != search->lane)
        return false;
    if (search->pc == TRAWL_EXCEPTIONS && (flags & EVENT_EXCEPTION))
        return true;
    return (flags & EVENT_HAS_INSTRUCTION) && ((pc ^ search->pc) & ~UINT64_C(1)) == 0;
}

// Whether the filter of the block allows that it contains a visit.
static enum status may_visit(struct trawl_index *index, struct segment_view *view, uint64_t block,
                             uint64_t pc, bool *may, struct error *err)
{
    const struct column *filters = segment_column(index, view, PART_PC_FILTER, err);
    unsigned bit = pc_filter_bit(pc);
    uint64_t word;
    if (!filters)
        return STATUS_DAMAGED;
    if (!column_get(filters, block * PC_FILTER_WORDS + bit / 64, &word))
        return index_damaged(index, "filter of a segment", err);
    *may = word >> (bit % 64) & 1;
    return *may && index->is_nested && pc != TRAWL_EXCEPTIONS
               ? nesting_may_visit(index, view->number, block, pc, may, err)
               : STATUS_OK;
}

// A block of events, as far as it was read. The last one stays: the next visit is often in it.
struct visit_block {
    uint64_t segment, first; // row; segment TRAWL_NONE: nothing was read
    size_t count;
    bool has_flags; // and lanes
    const struct kernels *kernels;
    uint64_t pcs[COLUMN_BLOCK], flags[COLUMN_BLOCK], lanes[COLUMN_BLOCK];
};

static bool is_at_hand(const struct visit_block *block, uint64_t segment, uint64_t number)
{
    return block && block->segment == segment && block->first == number * COLUMN_BLOCK;
}

// Reads the PCs of a block, unless they are at hand.
static enum status read_pcs(struct trawl_index *index, struct segment_view *view, uint64_t number,
                            struct error *err)
{
    if (is_at_hand(index->visited, view->number, number))
        return STATUS_OK;
    const struct column *times = segment_column(index, view, PART_TIME, err);
    if (!times)
        return STATUS_DAMAGED;
    if (!index->visited && !(index->visited = malloc(sizeof *index->visited)))
        return error_set(err, STATUS_MEMORY, "no memory");
    struct visit_block *block = index->visited;
    block->segment = TRAWL_NONE;
    block->first = number * COLUMN_BLOCK;
    block->count = (size_t)u64_min(times->count - block->first, COLUMN_BLOCK);
    block->has_flags = false;
    block->kernels = times->kernels;
    const enum status status =
        index->is_nested // only entries are visits
            ? nesting_pcs(index, view->number, block->first, block->count, true, block->pcs, err)
            : index_read_pcs(index, view, block->first, block->count, block->pcs, err);
    if (status == STATUS_OK)
        block->segment = view->number;
    return status;
}

// The first visit among the rows [from, end) of a block, or with `back` the last; `end`: none.
static size_t row_of_visit(const struct visit_search *search, const struct visit_block *block,
                           size_t from, size_t end)
{
    // Most rows are of other instructions, so this comparison comes first.
    const bool is_any = search->pc == TRAWL_EXCEPTIONS;
    for (size_t i = from; i < end; i++) {
        const size_t at = search->back ? end - 1 - (i - from) : i;
        if ((is_any || ((block->pcs[at] ^ search->pc) & ~UINT64_C(1)) == 0) &&
            is_visit(search, block->pcs[at], block->flags[at], block->lanes[at]))
            return at;
    }
    return end;
}

static enum status visit_in_block(struct trawl_index *index, struct segment_view *view,
                                  const struct visit_search *search, uint64_t number, uint64_t *row,
                                  struct error *err)
{
    enum status status = read_pcs(index, view, number, err);
    if (status != STATUS_OK)
        return status;
    struct visit_block *block = index->visited;
    // Whether any PC is the wanted one, or could be as far as PCs can tell. Most blocks that are
    // read have none, so this determines the speed of a search.
    if (!block->has_flags && search->pc != TRAWL_EXCEPTIONS &&
        !block->kernels->contain(block->pcs, block->count, ~UINT64_C(1), search->pc & ~UINT64_C(1)))
        return STATUS_OK;
    if (!block->has_flags) {
        const struct column *flags = segment_column(index, view, PART_FLAGS, err);
        if (!flags)
            return STATUS_DAMAGED;
        if (!column_read(flags, block->first, block->count, block->flags))
            return index_damaged(index, "events of a segment", err);
        status = index_read_lanes(index, view, block->first, block->count, block->lanes, err);
        if (status != STATUS_OK)
            return status;
        block->has_flags = true;
    }
    const size_t first = (size_t)(u64_max(search->first, block->first) - block->first);
    const size_t end =
        (size_t)(u64_min(search->last + 1, block->first + block->count) - block->first);
    if (first >= end)
        return STATUS_OK;
    const size_t found = row_of_visit(search, block, first, end);
    if (found != end)
        *row = block->first + found;
    return STATUS_OK;
}

static enum status visit_in_segment(struct trawl_index *index, struct segment_view *view,
                                    const struct visit_search *search, uint64_t *row,
                                    struct error *err)
{
    uint64_t first = search->first / COLUMN_BLOCK, last = search->last / COLUMN_BLOCK;
    *row = UINT64_MAX;
    for (uint64_t i = 0; i <= last - first && *row == UINT64_MAX; i++) {
        uint64_t block = search->back ? last - i : first + i;
        bool may = is_at_hand(index->visited, view->number, block);
        enum status status = may ? STATUS_OK : may_visit(index, view, block, search->pc, &may, err);
        if (status == STATUS_OK && may)
            status = visit_in_block(index, view, search, block, row, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// Excludes from the rows [*first, *last) those of one event at one end of the range, which may be
// many without taking a byte. False: damage.
static bool pass_event(const struct column *events, bool back, uint64_t event, uint64_t *first,
                       uint64_t *last)
{
    uint64_t place = *first;
    if (back && event == 0) {
        *last = *first;
        return true;
    }
    if (!column_search(events, *first, *last, event - back, &place) ||
        place == (back ? *last : *first))
        return false;
    *(back ? last : first) = place;
    return true;
}

// Visits that were added to events by later segments; they are not in the filters.
static enum status late_visit(struct trawl_index *index, const struct visit_search *search,
                              uint64_t from, uint64_t to, uint64_t *visit, struct error *err)
{
    const struct column *events = &index->late[PART_LATE_EVENTS];
    uint64_t first = 0, last = 0;
    if ((from && !column_search(events, 0, events->count, from - 1, &first)) ||
        !column_search(events, 0, events->count, to, &last))
        return index_damaged(index, "late events", err);
    while (first < last) {
        struct trawl_event about;
        uint64_t event;
        if (!column_get(events, search->back ? last - 1 : first, &event) || event < from ||
            event > to)
            return index_damaged(index, "late events", err);
        enum status status = index_event(index, event, &about, err);
        if (status != STATUS_OK)
            return status;
        if (is_visit(search, about.pc, about.flags, about.lane)) {
            *visit = event;
            return STATUS_OK;
        }
        if (!pass_event(events, search->back, event, &first, &last))
            return index_damaged(index, "late events", err);
    }
    return STATUS_OK;
}

// The first visit among events [from, to], or with search->back the last; UINT64_MAX: none.
static enum status find_visit(struct trawl_index *index, struct visit_search *search, uint64_t from,
                              uint64_t to, uint64_t *visit, struct error *err)
{
    uint64_t size = per_segment(index), first = from / size, last = to / size, row,
             late = UINT64_MAX;
    *visit = UINT64_MAX;
    for (uint64_t i = 0; i <= last - first && *visit == UINT64_MAX; i++) {
        uint64_t segment = search->back ? last - i : first + i;
        struct segment_view *view = index_segment(index, segment, err);
        if (!view)
            return STATUS_DAMAGED;
        search->first = segment == first ? from % size : 0;
        search->last = segment == last ? to % size : index_segment_events(index, segment) - 1;
        enum status status = visit_in_segment(index, view, search, &row, err);
        if (status != STATUS_OK)
            return status;
        if (row != UINT64_MAX)
            *visit = segment * size + row;
    }
    if (!index->has_late)
        return STATUS_OK;
    enum status status = late_visit(index, search, from, to, &late, err);
    if (late != UINT64_MAX &&
        (*visit == UINT64_MAX || (search->back ? late > *visit : late < *visit)))
        *visit = late;
    return status;
}

static enum status nearest_visit(struct trawl_index *index, uint64_t lane, uint64_t pc,
                                 uint64_t event, enum trawl_direction direction, uint64_t *visit,
                                 struct error *err)
{
    bool back = direction == TRAWL_BACKWARD;
    struct visit_search search = {lane, pc, back, 0, 0};
    uint64_t events = index->identity[IDENTITY_EVENTS];
    uint64_t from = back ? 0 : event + 1; // TRAWL_START + 1 is 0
    if (event != TRAWL_START && event >= events)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
    if (back ? event == TRAWL_START : from >= events)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such visit", index->path);
    uint64_t to = back ? event : events - 1;
    enum status status = find_visit(index, &search, from, to, visit, err);
    // An address of the machine may be of any program (TRAWL_HAS_PROGRAMS).
    bool is_of_any = index_has_programs(index) && !pc_has_program(pc) && pc != TRAWL_EXCEPTIONS;
    if (status == STATUS_OK && *visit != UINT64_MAX)
        *(back ? &from : &to) = *visit;
    for (uint32_t i = 1; is_of_any && i <= LIMIT_IMAGE_PROGRAMS && status == STATUS_OK; i++) {
        uint64_t found;
        search = (struct visit_search){lane, pc_with_program(pc, program_bits(i)), back, 0, 0};
        status = find_visit(index, &search, from, to, &found, err);
        if (status != STATUS_OK || found == UINT64_MAX)
            continue;
        *visit = found;
        if (back)
            from = found;
        else
            to = found;
    }
    if (status == STATUS_OK && *visit == UINT64_MAX)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such visit", index->path);
    return status;
}

enum trawl_status trawl_visit(struct trawl_index *index, uint64_t lane, uint64_t pc, uint64_t event,
                              enum trawl_direction direction, uint64_t *visit,
                              struct trawl_error *err)
{
    struct error why;
    return errors_give(err, &why, nearest_visit(index, lane, pc, event, direction, visit, &why));
}

enum status index_visits(struct trawl_index *index, uint64_t pc, uint64_t event,
                         enum trawl_direction direction, struct visit_rows *rows, struct error *err)
{
    const bool back = direction == TRAWL_BACKWARD;
    const struct visit_search search = {TRAWL_ANY_LANE, pc, back, 0, 0};
    uint64_t visit;
    rows->count = 0;
    enum status status = nearest_visit(index, TRAWL_ANY_LANE, pc, event, direction, &visit, err);
    if (status != STATUS_OK)
        return status;
    const struct visit_block *block = index->visited;
    const uint64_t row = visit % per_segment(index);
    // Visits that later segments add, and those of other programs, may be between those of a block.
    if (index->has_late || index_has_programs(index) ||
        !is_at_hand(block, visit / per_segment(index), row / COLUMN_BLOCK) || !block->has_flags) {
        struct trawl_event about = {0};
        status = index_event(index, visit, &about, err);
        rows->count = status == STATUS_OK;
        rows->events[0] = visit;
        rows->lanes[0] = about.lane;
        rows->pcs[0] = about.pc;
        return status;
    }
    size_t from = (size_t)(row - block->first), end = block->count;
    if (back) {
        end = from + 1;
        from = 0;
    }
    while (from < end) {
        const size_t at = row_of_visit(&search, block, from, end);
        if (at == end)
            break;
        rows->events[rows->count] = block->segment * per_segment(index) + block->first + at;
        rows->lanes[rows->count] = block->lanes[at];
        rows->pcs[rows->count++] = block->pcs[at];
        *(back ? &end : &from) = back ? at : at + 1;
    }
    return STATUS_OK;
}
