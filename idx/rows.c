#include "idx/rows.h"

#include "idx/index.h"
#include "idx/nesting.h"
#include "idx/steps.h"

#include <stdlib.h>

// --- Events --------------------------------------------------------------------------------------

struct block_place {
    struct segment_view *view;
    uint64_t first; // event
    uint64_t row;   // of the first event, in the segment
    size_t count;
};

static enum status find_block(struct trawl_index *index, uint64_t event, struct block_place *place,
                              struct error *err)
{
    uint64_t size = index->identity[IDENTITY_SEGMENT_EVENTS], segment = event / size;
    ASSERT(event < index->identity[IDENTITY_EVENTS]);
    place->view = index_segment(index, segment, err);
    if (!place->view)
        return STATUS_DAMAGED;
    place->row = event % size / COLUMN_BLOCK * COLUMN_BLOCK;
    place->first = segment * size + place->row;
    place->count = (size_t)u64_min(index_segment_events(index, segment) - place->row, COLUMN_BLOCK);
    return STATUS_OK;
}

static enum status read_column(struct trawl_index *index, const struct block_place *place,
                               enum segment_part part, uint64_t *values, struct error *err)
{
    const struct column *column = segment_column(index, place->view, part, err);
    if (!column)
        return STATUS_DAMAGED;
    return column_read(column, place->row, place->count, values)
               ? STATUS_OK
               : index_damaged(index, "events of a segment", err);
}

// The rows of SECTION_LATE for events [from, to).
static enum status late_rows(struct trawl_index *index, uint64_t from, uint64_t to, uint64_t *first,
                             uint64_t *last, struct error *err)
{
    const struct column *events = &index->late[PART_LATE_EVENTS];
    *first = *last = 0;
    if (!index->has_late)
        return STATUS_OK;
    if ((from && !column_search(events, 0, events->count, from - 1, first)) ||
        !column_search(events, 0, events->count, to - 1, last))
        return index_damaged(index, "late events", err);
    return STATUS_OK;
}

static enum status add_late(struct trawl_index *index, unsigned columns, struct event_rows *rows,
                            struct error *err)
{
    uint64_t first, last, event, pc, flags;
    enum status status =
        late_rows(index, rows->first, rows->first + rows->count, &first, &last, err);
    for (uint64_t i = first; i < last && status == STATUS_OK; i++) {
        if (!column_get(&index->late[PART_LATE_EVENTS], i, &event) ||
            !column_get(&index->late[PART_LATE_PCS], i, &pc) ||
            !column_get(&index->late[PART_LATE_FLAGS], i, &flags) ||
            event - rows->first >= rows->count)
            return index_damaged(index, "late events", err);
        if (columns & ROWS_FLAGS)
            rows->flags[event - rows->first] |= flags;
        if (flags & EVENT_HAS_INSTRUCTION)
            rows->pcs[event - rows->first] = pc;
    }
    return status;
}

enum status index_event_rows(struct trawl_index *index, uint64_t event, unsigned columns,
                             struct event_rows *rows, struct error *err)
{
    const struct {
        enum event_column column;
        enum segment_part part;
        uint64_t *values;
    } wanted[] = {
        {ROWS_TIMES, PART_TIME, rows->times},
        {ROWS_FLAGS, PART_FLAGS, rows->flags},
        {ROWS_LANES, PART_LANE, rows->lanes},
    };
    struct block_place place;
    enum status status = find_block(index, event, &place, err);
    if (status != STATUS_OK)
        return status;
    rows->first = place.first;
    rows->count = place.count;
    for (size_t i = 0; i < ARRAY_COUNT(wanted) && status == STATUS_OK; i++) {
        if (!(columns & wanted[i].column))
            continue;
        if (wanted[i].part == PART_LANE && index->lane_firsts)
            index_lanes_of(index, place.first, place.count, rows->lanes);
        else if (wanted[i].part == PART_LANE && !parts_find(&place.view->parts, PART_LANE))
            memset(rows->lanes, 0, place.count * sizeof *rows->lanes);
        else
            status = read_column(index, &place, wanted[i].part, wanted[i].values, err);
    }
    if (status == STATUS_OK)
        status = segment_read_text(index, place.view, place.row, place.count,
                                   columns & ROWS_LINES ? rows->lines : NULL,
                                   columns & ROWS_POSITIONS ? rows->positions : NULL, err);
    if (status == STATUS_OK && columns & ROWS_PCS)
        status = index_read_pcs(index, place.view, place.row, place.count, rows->pcs, err);
    return status == STATUS_OK ? add_late(index, columns, rows, err) : status;
}

enum status index_block_may_visit(struct trawl_index *index, uint64_t event, const uint64_t *pcs,
                                  size_t pc_count, bool *may, uint64_t *end, struct error *err)
{
    struct block_place place;
    uint64_t words[PC_FILTER_WORDS], first, last;
    enum status status = find_block(index, event, &place, err);
    if (status != STATUS_OK)
        return status;
    *end = place.first + place.count;
    const struct column *filters = segment_column(index, place.view, PART_PC_FILTER, err);
    if (!filters)
        return STATUS_DAMAGED;
    if (!column_read(filters, place.row / COLUMN_BLOCK * PC_FILTER_WORDS, PC_FILTER_WORDS, words))
        return index_damaged(index, "filter of a segment", err);
    status = late_rows(index, place.first, *end, &first, &last, err);
    *may = first != last; // these are not in the filter
    for (size_t i = 0; i < pc_count && !*may; i++) {
        unsigned bit = pc_filter_bit(pcs[i]);
        *may = words[bit / 64] >> (bit % 64) & 1;
    }
    return status;
}

// --- Calls ---------------------------------------------------------------------------------------

enum { CALL_ROWS_COLUMNS = 7 };

void index_choose_calls(struct trawl_index *index, bool of_ttu)
{
    bool is_made_as_ttu = (index->identity[IDENTITY_OPTIONS] & TRAWL_READ_AS_TTU) != 0;
    bool is_other = of_ttu != is_made_as_ttu;
    index->only_stores_count = of_ttu;
    static const struct {
        enum lane_row row;
        enum other_row other;
    } pairs[] = {{LANE_RETURNED, OTHER_RETURNED},
                 {LANE_DROPPED, OTHER_DROPPED},
                 {LANE_UNRETURNED, OTHER_UNRETURNED},
                 {LANE_FIRST_CALL, OTHER_FIRST_CALL},
                 {LANE_CALLS, OTHER_CALLS}};
    if (!index_has_section(index, SECTION_OTHER_CALLS) || is_other == index->has_other_calls)
        return;
    index->has_other_calls = is_other;
    for (size_t i = 0; i < index->lane_count; i++) {
        uint64_t *figures = index->lanes[i].figures, *other = index->lanes[i].other;
        for (size_t pair = 0; pair < ARRAY_COUNT(pairs); pair++) {
            uint64_t chosen = other[pairs[pair].other];
            other[pairs[pair].other] = figures[pairs[pair].row];
            figures[pairs[pair].row] = chosen;
        }
    }
}

uint64_t index_unmatched_returns(const struct trawl_index *index, uint64_t lane)
{
    return index->lanes[lane]
        .other[index->has_other_calls ? OTHER_UNMATCHED_OTHER : OTHER_UNMATCHED];
}

struct call_rows *call_rows_make(uint64_t call_count)
{
    size_t room = (size_t)u64_min(call_count, COLUMN_BLOCK);
    struct call_rows *rows = calloc(1, sizeof *rows + CALL_ROWS_COLUMNS * room * sizeof(uint64_t));
    if (!rows)
        return NULL;
    uint64_t **const columns[CALL_ROWS_COLUMNS] = {&rows->entries, &rows->lengths, &rows->depths,
                                                   &rows->pcs,     &rows->open,    &rows->how,
                                                   &rows->before};
    rows->room = room;
    for (size_t i = 0; i < CALL_ROWS_COLUMNS; i++)
        *columns[i] = rows->cells + i * room;
    return rows;
}

static enum status nested_rows(struct trawl_index *index, uint64_t lane, uint64_t call,
                               struct call_rows *rows, struct error *err)
{
    const struct nested_calls columns = {.entries = rows->entries,
                                         .exits = rows->lengths,
                                         .depths = rows->depths,
                                         .pcs = rows->pcs,
                                         .open = rows->open};
    rows->first = call;
    rows->count = (size_t)u64_min(rows->room, index->lanes[lane].figures[LANE_CALLS] - call);
    enum status status = nesting_calls(index, lane, call, rows->count, &columns, err);
    for (size_t i = 0; i < rows->count && status == STATUS_OK; i++) {
        rows->lengths[i] -= rows->entries[i];
        rows->how[i] = rows->before[i] = 0;
    }
    return status;
}

enum status index_call_rows(struct trawl_index *index, uint64_t lane, uint64_t call,
                            struct call_rows *rows, struct error *err)
{
    const uint64_t *figures = index->lanes[lane].figures;
    uint64_t at;
    ASSERT(call < figures[LANE_CALLS]);
    if (__builtin_add_overflow(figures[LANE_FIRST_CALL], call, &at))
        return index_damaged(index, "directory of calls", err);
    if (index->is_nested)
        return nested_rows(index, lane, call, rows, err);
    const struct group_view *group = index_group(index, at / CALL_GROUP, err);
    if (!group)
        return STATUS_DAMAGED;
    const struct {
        enum call_part part;
        uint64_t *values;
    } wanted[] = {{PART_CALL_ENTRIES, rows->entries}, {PART_CALL_LENGTHS, rows->lengths},
                  {PART_CALL_DEPTHS, rows->depths},   {PART_CALL_PCS, rows->pcs},
                  {PART_CALL_OPEN, rows->open},       {PART_CALL_HOW, rows->how},
                  {PART_CALL_BEGAN, rows->before}};
    uint64_t row = at % CALL_GROUP;
    rows->first = call;
    // Up to the end of a block, so that no block is decoded twice.
    rows->count = (size_t)u64_min(COLUMN_BLOCK - row % COLUMN_BLOCK, figures[LANE_CALLS] - call);
    rows->count = rows->count < rows->room ? rows->count : rows->room;
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        if (!group->has[wanted[i].part])
            memset(wanted[i].values, 0, rows->count * sizeof *wanted[i].values);
        else if (!column_read(&group->columns[wanted[i].part], row, rows->count, wanted[i].values))
            return index_damaged(index, "calls", err);
    }
    return STATUS_OK;
}

// --- Sections ------------------------------------------------------------------------------------

enum status index_find_section(const struct trawl_index *index, enum index_section number,
                               struct parts *parts, bool *is_there, struct error *err)
{
    *is_there = index_has_section(index, number);
    return *is_there ? index_section(index, number, parts, err) : STATUS_OK;
}
