// Queries of registers.
#include "idx/caller.h"
#include "idx/index.h"

#include <endian.h>

static enum status check_question(const struct trawl_index *index, uint64_t lane, uint64_t event,
                                  uint64_t offset, size_t size_bytes, struct error *err)
{
    if (lane >= index->lane_count)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such lane", index->path);
    if (event != TRAWL_START && event >= index->identity[IDENTITY_EVENTS])
        return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
    if (offset > TRAWL_REGISTER_SPACE_MAX || size_bytes > TRAWL_REGISTER_SPACE_MAX - offset)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such register", index->path);
    return STATUS_OK;
}

// The bytes of cell `cell` that are in [offset, offset + size).
static uint8_t mask_in_cell(uint64_t cell, uint64_t offset, size_t size_bytes)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t at = cell * 8 + i;
        if (at >= offset && at - offset < size_bytes)
            mask |= 1u << i;
    }
    return (uint8_t)mask;
}

static size_t lower_bound(const uint64_t *values, size_t count, uint64_t wanted)
{
    size_t low;
    PARTITION_POINT(low, count, values[middle] < wanted);
    return low;
}

// --- State ---------------------------------------------------------------------------------------

struct cell_bytes {
    uint64_t value;         // byte i is value >> 8 * i; 0 if unknown
    uint8_t written, known; // a byte can be written with an unknown value
    int64_t latest;         // the row that wrote last
    int64_t event[8];       // the row that wrote each byte; -1: before the segment
};

// The bytes of `mask` that were not written after row `event`.
static uint8_t not_later(const struct cell_bytes *bytes, uint8_t mask, int64_t event)
{
    for (uint8_t left = mask & bytes->written; left; left &= (uint8_t)(left - 1)) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (bytes->event[i] > event)
            mask &= (uint8_t) ~(1u << i);
    }
    return mask;
}

static void overlay(struct cell_bytes *bytes, uint64_t value, uint8_t mask, bool is_known,
                    int64_t event)
{
    if (bytes->written && event < bytes->latest)
        mask = not_later(bytes, mask, event);
    else
        bytes->latest = event;
    uint64_t taken = bytes_of_mask(mask);
    bytes->value = (bytes->value & ~taken) | (value & taken);
    bytes->written |= mask;
    bytes->known = is_known ? bytes->known | mask : bytes->known & (uint8_t)~mask;
    for (; mask; mask &= (uint8_t)(mask - 1))
        bytes->event[__builtin_ctz(mask)] = event;
}

// A walk over a lane's cells in ascending order.
struct cell_walk {
    struct trawl_index *index;
    struct segment_view *view;
    uint64_t lane, row;           // the point
    size_t cell, timeline, first; // timeline
    size_t unknown;               // timeline of writes of unknown values
    // Of the timeline that was read last: the place of the point in its events, and the event
    // before it.
    uint64_t place, event;
};

static uint64_t walk_key(const uint64_t *keys, size_t count, size_t at, unsigned shift)
{
    return at < count ? keys[at] >> shift : UINT64_MAX;
}

// Adds what timeline `i` wrote last, up to the point.
static enum status overlay_timeline(struct cell_walk *walk, size_t i, bool is_first,
                                    struct cell_bytes *bytes, struct error *err)
{
    const struct timeline_view *timeline = segment_timeline(walk->index, walk->view, i, err);
    uint64_t value;
    if (!timeline)
        return STATUS_DAMAGED;
    if ((is_first || !timeline->has_events_of_last) &&
        !column_find(&timeline->events, 0, timeline->events.count, walk->row, &walk->place,
                     &walk->event))
        return index_damaged(walk->index, "registers of a segment", err);
    if (walk->index->has_snapshots && walk->place && walk->event != walk->row)
        walk->place = 0; // another frame
    if (walk->place && !column_get(&timeline->values, walk->place - 1, &value))
        return index_damaged(walk->index, "registers of a segment", err);
    if (walk->place) {
        uint8_t mask = register_key_mask(walk->view->register_keys[i]);
        bool is_known = !(register_key_cell(walk->view->register_keys[i]) & REGISTER_VALUE_UNKNOWN);
        overlay(bytes, value << mask_shift(mask), mask, is_known, (int64_t)walk->event);
    }
    return STATUS_OK;
}

// The contents of the next cell up to lane_cell `last` of which anything is known or written.
// *lane_cell is UINT64_MAX if there is none.
static enum status next_cell(struct cell_walk *walk, uint64_t last, uint64_t *lane_cell,
                             struct cell_bytes *bytes, struct error *err)
{
    const struct segment_view *view = walk->view;
    uint64_t before = walk_key(view->cells, view->cell_count, walk->cell, 0);
    uint64_t written = walk_key(view->register_keys, view->register_count, walk->timeline, 8);
    *lane_cell = u64_min(before, written);
    bytes->value = bytes->written = bytes->known = 0;
    if (*lane_cell > last) {
        *lane_cell = UINT64_MAX;
        return STATUS_OK;
    }
    if (before == *lane_cell) {
        overlay(bytes, view->cell_values[walk->cell], (uint8_t)view->cells_known[walk->cell], true,
                -1);
        walk->cell++;
    }
    for (; walk_key(view->register_keys, view->register_count, walk->timeline, 8) == *lane_cell;
         walk->timeline++) {
        enum status status =
            overlay_timeline(walk, walk->timeline, walk->timeline == walk->first, bytes, err);
        if (status != STATUS_OK)
            return status;
    }
    for (; walk_key(view->register_keys, view->register_count, walk->unknown, 8) <=
           (*lane_cell | REGISTER_VALUE_UNKNOWN);
         walk->unknown++) {
        if (view->register_keys[walk->unknown] >> 8 != (*lane_cell | REGISTER_VALUE_UNKNOWN))
            continue; // nothing of the cell was known before
        // The next cell's timeline may have the events of this cell's, which `walk` remembers.
        const uint64_t place = walk->place, at = walk->event;
        enum status status = overlay_timeline(walk, walk->unknown, true, bytes, err);
        if (status != STATUS_OK)
            return status;
        walk->place = place;
        walk->event = at;
    }
    return STATUS_OK;
}

// Outputs the bytes of a cell that are in [offset, offset + size).
static void give_cell(const struct cell_bytes *bytes, uint64_t cell, uint64_t offset,
                      size_t size_bytes, uint8_t *values, uint8_t *known)
{
    uint64_t start = cell * 8 - offset, value = bytes->value; // wraps if before `offset`
    if (start < size_bytes && size_bytes - start >= 8) {
        value = htole64(value);
        uint64_t ones = htole64(bytes_of_mask(bytes->known) & UINT64_C(0x0101010101010101));
        memcpy(values + start, &value, 8);
        memcpy(known + start, &ones, 8);
        return;
    }
    for (unsigned i = 0; i < 8; i++) {
        if (start + i >= size_bytes)
            continue;
        values[start + i] = (uint8_t)(value >> (8 * i));
        known[start + i] = bytes->known >> i & 1;
    }
}

static enum status read_cells(struct cell_walk *walk, uint64_t offset, size_t size_bytes,
                              uint8_t *values, uint8_t *known, struct error *err)
{
    struct segment_view *view = walk->view;
    uint64_t first = walk->lane << 16 | offset / 8, lane_cell, before = 0;
    uint64_t last = walk->lane << 16 | (offset + size_bytes - 1) / 8;
    walk->cell = walk->index->has_snapshots ? view->cell_count
                                            : lower_bound(view->cells, view->cell_count, first);
    walk->timeline = lower_bound(view->register_keys, view->register_count, first << 8);
    walk->first = walk->timeline;
    walk->unknown = lower_bound(view->register_keys, view->register_count,
                                (first | REGISTER_VALUE_UNKNOWN) << 8);
    for (;;) {
        struct cell_bytes bytes;
        enum status status = next_cell(walk, last, &lane_cell, &bytes, err);
        if (status != STATUS_OK || lane_cell == UINT64_MAX)
            return status;
        if (lane_cell < first || lane_cell < before) // not ascending
            return index_damaged(walk->index, "registers of a segment", err);
        before = lane_cell;
        give_cell(&bytes, lane_cell & 0xffff, offset, size_bytes, values, known);
    }
}

enum trawl_status trawl_registers(struct trawl_index *index, uint64_t lane, uint64_t event,
                                  uint64_t offset, size_t size_bytes, uint8_t *values,
                                  uint8_t *known, struct trawl_error *error)
{
    struct error why, *err = &why;
    enum status status = check_question(index, lane, event, offset, size_bytes, err);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    memset(values, 0, size_bytes);
    memset(known, 0, size_bytes);
    if (event == TRAWL_START || !size_bytes)
        return TRAWL_OK;
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    struct segment_view *view = index_segment(index, event / per_segment, err);
    if (!view)
        return errors_give(error, &why, STATUS_DAMAGED);
    if ((status = segment_registers(index, view, err)) ||
        (status = segment_checkpoint(index, view, err)))
        return errors_give(error, &why, status);
    struct cell_walk walk = {
        .index = index, .view = view, .lane = lane, .row = event % per_segment};
    return errors_give(error, &why, read_cells(&walk, offset, size_bytes, values, known, err));
}

// --- Writes --------------------------------------------------------------------------------------

struct write_search {
    bool back;
    uint64_t event; // the last that counts, or the first if `back` is false
    uint64_t found; // the best so far; UINT64_MAX: none
    uint8_t mask;   // the bytes of a cell that it wrote
};

// Finds the write of timeline `key` in one segment that is nearest to the event.
static enum status nearest_in_segment(struct trawl_index *index, uint64_t segment, uint64_t key,
                                      struct write_search *search, struct error *err)
{
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS], place, row = 0;
    uint64_t first = segment * per_segment;
    struct segment_view *view = index_segment(index, segment, err);
    enum status status = view ? segment_registers(index, view, err) : STATUS_DAMAGED;
    if (status != STATUS_OK)
        return status;
    size_t at = lower_bound(view->register_keys, view->register_count, key);
    if (at == view->register_count || view->register_keys[at] != key)
        return index_damaged(index, "directory of registers", err);
    const struct timeline_view *timeline = segment_timeline(index, view, at, err);
    if (!timeline)
        return STATUS_DAMAGED;
    uint64_t count = timeline->events.count;
    if (search->back) {
        if (!column_find(&timeline->events, 0, count, search->event - first, &place, &row))
            return index_damaged(index, "registers of a segment", err);
    } else {
        place = 0;
        if (search->event > first &&
            !column_search(&timeline->events, 0, count, search->event - first - 1, &place))
            return index_damaged(index, "registers of a segment", err);
        place++;
    }
    if (!place || place > count)
        return STATUS_OK;
    if ((!search->back && !column_get(&timeline->events, place - 1, &row)) ||
        row >= index_segment_events(index, segment))
        return index_damaged(index, "registers of a segment", err);
    uint64_t found = first + row;
    if (found == search->found) {
        search->mask |= register_key_mask(key);
    } else if (search->found == UINT64_MAX ||
               (search->back ? found > search->found : found < search->found)) {
        search->found = found;
        search->mask = register_key_mask(key);
    }
    return STATUS_OK;
}

// Searches the segments that write timeline number `i` of the directory.
static enum status search_timeline(struct trawl_index *index, uint64_t i, uint64_t key,
                                   struct write_search *search, struct error *err)
{
    const struct column *starts = &index->written[PART_WRITTEN_STARTS];
    const struct column *segments = &index->written[PART_WRITTEN_SEGMENTS];
    uint64_t from, to = segments->count, place, segment;
    uint64_t home = search->event / index->identity[IDENTITY_SEGMENT_EVENTS];
    uint64_t before = search->found;
    if (!column_get(starts, i, &from) ||
        (i + 1 < starts->count && !column_get(starts, i + 1, &to)) || from >= to ||
        !column_find(segments, from, to, home, &place, &segment))
        return index_damaged(index, "directory of registers", err);
    // Backward: segments up to the event's own. Forward: that one, if it is in the list, and those
    // after.
    if (!search->back && place > from)
        place -= segment == home;
    // The event's own segment may have writes only on the wrong side; then the next one has one on
    // the right side.
    for (int tries = 0; tries < 2 && search->found == before; tries++) {
        if (search->back ? place-- == from : place == to)
            return STATUS_OK;
        if (!column_get(segments, place, &segment) || segment >= index->segment_count)
            return index_damaged(index, "directory of registers", err);
        enum status status = nearest_in_segment(index, segment, key, search, err);
        if (status != STATUS_OK)
            return status;
        place += !search->back;
    }
    return STATUS_OK;
}

// Searches the timelines of known values, or those of unknown ones.
static enum status search_cells(struct trawl_index *index, uint64_t lane, uint64_t offset,
                                size_t size_bytes, unsigned flag, struct write_search *search,
                                struct error *err)
{
    const struct column *keys = &index->written[PART_WRITTEN_KEYS];
    for (uint64_t cell = offset / 8; size_bytes && cell <= (offset + size_bytes - 1) / 8; cell++) {
        uint64_t first = register_key((unsigned)lane, (unsigned)cell | flag, 0), at, key,
                 before = 0;
        uint8_t wanted = mask_in_cell(cell, offset, size_bytes);
        if (!column_search(keys, 0, keys->count, first, &at))
            return index_damaged(index, "directory of registers", err);
        for (; at < keys->count; at++) {
            if (!column_get(keys, at, &key) || key <= before)
                return index_damaged(index, "directory of registers", err);
            before = key;
            if (key >> 8 != first >> 8)
                break;
            if (!(register_key_mask(key) & wanted))
                continue;
            enum status status = search_timeline(index, at, key, search, err);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

static enum status search_writes(struct trawl_index *index, uint64_t lane, uint64_t offset,
                                 size_t size_bytes, struct write_search *search, struct error *err)
{
    enum status status = search_cells(index, lane, offset, size_bytes, 0, search, err);
    if (status == STATUS_OK && index_has_section(index, SECTION_UNKNOWN_WRITES))
        status = search_cells(index, lane, offset, size_bytes, REGISTER_VALUE_UNKNOWN, search, err);
    return status;
}

static enum status written(struct trawl_index *index, uint64_t lane, uint64_t offset,
                           size_t size_bytes, struct write_search *search, uint64_t *event,
                           struct error *err)
{
    enum status status = search_writes(index, lane, offset, size_bytes, search, err);
    if (status == STATUS_OK && search->found == UINT64_MAX)
        return error_set(err, STATUS_NOT_FOUND, "%s: not written", index->path);
    *event = search->found;
    return status;
}

enum trawl_status trawl_register_written(struct trawl_index *index, uint64_t lane, uint64_t event,
                                         enum trawl_direction direction, uint64_t offset,
                                         size_t size_bytes, uint64_t *found,
                                         struct trawl_error *error)
{
    struct error why, *err = &why;
    bool back = direction == TRAWL_BACKWARD;
    struct write_search search = {back, back ? event : event + 1, UINT64_MAX, 0}; // START + 1 is 0
    enum status status = check_question(index, lane, event, offset, size_bytes, err);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    if (search.event >= index->identity[IDENTITY_EVENTS])
        size_bytes = 0;
    return errors_give(error, &why, written(index, lane, offset, size_bytes, &search, found, err));
}

enum trawl_status index_register_writer(struct trawl_index *index, uint64_t lane, uint64_t event,
                                        uint64_t cell, uint8_t mask, uint64_t *found,
                                        uint8_t *found_mask, struct trawl_error *error)
{
    struct error why, *err = &why;
    struct write_search search = {true, event, UINT64_MAX, 0};
    unsigned first = mask ? (unsigned)__builtin_ctz(mask) : 0;
    size_t size_bytes = mask ? 32 - (size_t)__builtin_clz(mask) - first : 0;
    enum status status = check_question(index, lane, event, cell * 8 + first, size_bytes, err);
    if (status == STATUS_OK)
        status = event == TRAWL_START
                     ? error_set(err, STATUS_NOT_FOUND, "%s: not written", index->path)
                     : written(index, lane, cell * 8 + first, size_bytes, &search, found, err);
    *found_mask = search.mask;
    return errors_give(error, &why, status);
}

enum trawl_status trawl_register_writes(struct trawl_index *index, uint64_t lane, uint64_t event,
                                        enum trawl_direction direction, uint64_t offset,
                                        size_t size_bytes, uint64_t *events, size_t capacity,
                                        size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    bool back = direction == TRAWL_BACKWARD;
    uint64_t all = index->identity[IDENTITY_EVENTS];
    enum status status = check_question(index, lane, event, offset, size_bytes, err);
    uint64_t at = back ? event : event + 1; // TRAWL_START + 1 is 0
    for (*count = 0; status == STATUS_OK && *count < capacity && at < all;) {
        struct write_search search = {back, at, UINT64_MAX, 0};
        status = search_writes(index, lane, offset, size_bytes, &search, err);
        if (status != STATUS_OK || search.found == UINT64_MAX)
            break;
        if (back ? search.found > at : search.found < at)
            return errors_give(error, &why, index_damaged(index, "registers of a segment", err));
        events[(*count)++] = search.found;
        at = back ? search.found - 1 : search.found + 1; // 0 - 1 is beyond all events
    }
    return errors_give(error, &why, status);
}
