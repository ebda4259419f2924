// What the conditions of breakpoints have read. A condition is asked at one visit after the other,
// in one direction: looking up each value in the index takes half a microsecond and more, and one
// in here some ten nanoseconds.
//
// After a few questions about a register or a place in memory in one segment of the index, all that
// it held there is read at once, a row for each write, and each further question moves a cursor.
// Conditions that follow pointers read many places, so a few hundred are kept. Traces that show
// physical addresses are asked each time, as an address can mean another place without a write.
#include "gdb/run.h"

#include "base/limits.h"

#include <stdlib.h>

// Questions about a segment before it is read, which takes as long as a few.
enum { QUESTIONS_BEFORE = 4, AT_ONCE = 512, NEAR_ROWS = 8 };

static void forget(struct gdb_known *known, struct gdb_history *history)
{
    known->row_count -= history->values.rows.capacity;
    free(history->values.rows.items);
    *history = (struct gdb_history){0};
}

void gdb_known_free(struct gdb_known *known)
{
    for (size_t i = 0; i < GDB_HISTORIES; i++)
        forget(known, &known->histories[i]);
}

void gdb_known_forget_memory(struct gdb_known *known)
{
    for (size_t i = 0; i < GDB_HISTORIES; i++) {
        if (known->histories[i].cell.is_memory)
            forget(known, &known->histories[i]);
    }
}

// --- The index -----------------------------------------------------------------------------------

// Looks a cell up; *known has a bit for each byte.
static enum trawl_status look_up(const struct index_view *view, const struct gdb_cell *cell,
                                 uint64_t event, struct memory_value *found,
                                 struct trawl_error *err)
{
    uint8_t bytes[8] = {0}, are_known[8] = {0};
    const size_t size_bytes = (size_t)cell->size_bytes;
    enum trawl_status status =
        cell->is_memory
            ? index_view_memory(view, event, cell->address, size_bytes, bytes, are_known, err)
            : trawl_registers(view->index, cell->lane, event, cell->address, size_bytes, bytes,
                              are_known, err);
    found->value = found->known = 0;
    for (size_t i = 0; i < size_bytes && status == TRAWL_OK; i++) {
        found->value |= (uint64_t)bytes[i] << 8 * i;
        found->known |= (uint8_t)((are_known[i] != 0) << i);
    }
    return status;
}

// The values of a register in the segment that begins with event `first`.
static enum trawl_status read_register(struct memory_series *series, const struct index_view *view,
                                       const struct gdb_cell *cell, uint64_t first,
                                       struct trawl_error *err)
{
    uint64_t events[AT_ONCE], values[AT_ONCE], knowns[AT_ONCE];
    const struct trawl_register_value_columns columns = {events, values, knowns};
    struct memory_value before = {.event = first, .is_final = true};
    uint64_t after = first - 1; // before event 0 is TRAWL_START
    size_t found = AT_ONCE;
    enum trawl_status status = look_up(view, cell, after, &before, err);
    series->rows.count = 0;
    if (status == TRAWL_OK && VEC_ROOM(&series->rows, 1))
        series->rows.items[series->rows.count++] = before;
    while (status == TRAWL_OK && found == AT_ONCE) {
        status = trawl_register_values(view->index, cell->lane, after,
                                       first + view->info.segment_events, cell->address,
                                       (size_t)cell->size_bytes, AT_ONCE, &columns, &found, err);
        if (status == TRAWL_OK && (series->rows.count + found > LIMIT_GDB_HISTORY_ROWS ||
                                   !VEC_ROOM(&series->rows, found))) {
            series->rows.count = 0; // each is looked up
            return TRAWL_OK;
        }
        for (size_t i = 0; i < found && status == TRAWL_OK; i++)
            series->rows.items[series->rows.count++] =
                (struct memory_value){after = events[i], values[i], (uint8_t)knowns[i], true};
    }
    return status;
}

// Reads all values of the cell in the segment of an event. It has no rows if that is not possible.
static enum trawl_status read_segment(struct gdb_known *known, struct gdb_history *history,
                                      const struct index_view *view, uint64_t segment,
                                      struct trawl_error *err)
{
    const struct gdb_cell *cell = &history->cell;
    const size_t capacity = history->values.rows.capacity;
    struct error why;
    enum trawl_status status = TRAWL_OK;
    history->first = history->end = segment * view->info.segment_events;
    history->row = 0;
    if (cell->is_memory) {
        const enum status found =
            index_memory_series(view->index, segment, cell->address, (size_t)cell->size_bytes,
                                LIMIT_GDB_HISTORY_ROWS, &history->values, &why);
        if (found == STATUS_LIMIT)
            history->values.rows.count = 0;
        else if (found != STATUS_OK)
            status = errors_give(err, &why, found);
    } else {
        status = read_register(&history->values, view, cell, history->first, err);
    }
    if (status == TRAWL_OK)
        history->end += view->info.segment_events;
    known->row_count += history->values.rows.capacity - capacity;
    return status;
}

// --- Questions -----------------------------------------------------------------------------------

// Moves the cursor of a history to the row that an event is in.
static struct memory_value *find_row(struct gdb_history *history, uint64_t event)
{
    struct memory_value *rows = history->values.rows.items;
    const size_t count = history->values.rows.count;
    size_t row = history->row, near = 0;
    while (near < NEAR_ROWS && row + 1 < count && rows[row + 1].event <= event) {
        row++;
        near++;
    }
    while (near < NEAR_ROWS && row && rows[row].event > event) {
        row--;
        near++;
    }
    if (near == NEAR_ROWS) {
        PARTITION_POINT(row, count, rows[middle].event <= event);
        row -= row > 0;
    }
    history->row = row;
    return &rows[row];
}

enum trawl_status gdb_known_value(struct gdb_known *known, const struct index_view *view,
                                  const struct gdb_cell *cell, uint64_t event, uint64_t *value,
                                  struct trawl_error *err)
{
    const uint64_t mixed =
        (cell->address ^ cell->lane << 32 ^ (uint64_t)cell->is_memory << 48 ^ cell->size_bytes) *
        UINT64_C(0x9e3779b97f4a7c15);
    struct gdb_history *history = &known->histories[(mixed >> 56) % GDB_HISTORIES];
    const struct gdb_cell *had = &history->cell;
    const bool is_same = had->address == cell->address && had->size_bytes == cell->size_bytes &&
                         had->is_memory == cell->is_memory && had->lane == cell->lane;
    const uint8_t all = (uint8_t)(0xff >> (8 - cell->size_bytes));
    struct memory_value looked_up, *found = &looked_up;
    enum trawl_status status = TRAWL_OK;
    bool may_keep = event != TRAWL_START && !(cell->is_memory && trawl_has_places(view->index));
    if (may_keep && !is_same) {
        forget(known, history);
        history->cell = *cell;
    }
    if (may_keep && (event < history->first || event >= history->end)) {
        const uint64_t segment = event / view->info.segment_events;
        const bool is_next =
            history->end && (segment == history->asked + 1 || segment + 1 == history->asked);
        history->questions = is_next                     ? QUESTIONS_BEFORE
                             : history->asked == segment ? history->questions + 1
                                                         : 1;
        history->asked = segment;
        may_keep = history->questions >= QUESTIONS_BEFORE;
        if (may_keep && known->row_count > LIMIT_GDB_KNOWN_ROWS) {
            const struct gdb_history kept = *history;
            gdb_known_free(known);
            history->cell = kept.cell;
            history->asked = segment;
        }
        if (may_keep)
            status = read_segment(known, history, view, segment, err);
    }
    if (status == TRAWL_OK && may_keep && history->values.rows.count) {
        found = find_row(history, event);
        if (found->known != all && !found->is_final) {
            const uint64_t from = found->event;
            status = look_up(view, cell, event, found, err);
            *found = (struct memory_value){from, found->value, found->known, true};
        }
    } else if (status == TRAWL_OK) {
        status = look_up(view, cell, event, found, err);
    }
    if (status != TRAWL_OK)
        return status;
    *value = found->value;
    return found->known == all ? TRAWL_OK : TRAWL_NOT_FOUND;
}
