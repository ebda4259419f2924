#include "gdb/known.h"

#include <stdlib.h>

enum { QUESTIONS_BEFORE = 16, AT_ONCE = 128 };

void gdb_known_free(struct gdb_known *known)
{
    for (size_t i = 0; i < GDB_HISTORIES; i++)
        free(known->histories[i].columns);
    *known = (struct gdb_known){0};
}

void gdb_known_forget_memory(struct gdb_known *known)
{
    memset(known->stays, 0, sizeof known->stays);
    for (size_t i = 0; i < GDB_HISTORIES; i++) {
        if (known->histories[i].cell.is_memory)
            known->histories[i].first = known->histories[i].end = 0;
    }
}

static bool is_same(const struct gdb_cell *a, const struct gdb_cell *b)
{
    return a->address == b->address && a->size_bytes == b->size_bytes &&
           a->is_memory == b->is_memory && a->lane == b->lane;
}

// --- The index -----------------------------------------------------------------------------------

// Looks a cell up; *known has a bit for each byte.
static enum trawl_status look_up(const struct index_view *view, const struct gdb_cell *cell,
                                 uint64_t event, uint64_t *value, uint64_t *known,
                                 struct trawl_error *err)
{
    uint8_t bytes[8] = {0}, are_known[8] = {0};
    const size_t size_bytes = (size_t)cell->size_bytes;
    enum trawl_status status =
        cell->is_memory
            ? index_view_memory(view, event, cell->address, size_bytes, bytes, are_known, err)
            : trawl_registers(view->index, cell->lane, event, cell->address, size_bytes, bytes,
                              are_known, err);
    *value = *known = 0;
    for (size_t i = 0; i < size_bytes && status == TRAWL_OK; i++) {
        *value |= (uint64_t)bytes[i] << 8 * i;
        *known |= (uint64_t)(are_known[i] != 0) << i;
    }
    return status;
}

// The events of the segment that write the memory, as rows without values yet. *is_plain: all of
// them store known values, and nothing else changes it.
static enum trawl_status read_writes(struct gdb_history *history, const struct index_view *view,
                                     bool *is_plain, struct trawl_error *err)
{
    struct trawl_write writes[AT_ONCE];
    uint64_t after = history->first - 1; // before event 0 is TRAWL_START
    size_t found = AT_ONCE;
    *is_plain = true;
    while (found == AT_ONCE && *is_plain) {
        enum trawl_status status =
            trawl_memory_writes(view->index, after, TRAWL_FORWARD, history->cell.address,
                                history->cell.size_bytes, writes, AT_ONCE, &found, err);
        if (status != TRAWL_OK)
            return status == TRAWL_NOT_FOUND ? TRAWL_OK : status;
        for (size_t i = 0; i < found; i++) {
            const struct trawl_write *write = &writes[i];
            if (write->kind == TRAWL_OUTSIDE && write->since < history->end)
                *is_plain = false;
            if (write->event >= history->end)
                return TRAWL_OK;
            if (write->event <= after && after != TRAWL_START)
                return index_view_no_progress(err);
            *is_plain &= write->kind == TRAWL_STORE;
            history->columns[history->count++] = after = write->event;
        }
    }
    return TRAWL_OK;
}

// What the memory is after each of those events, by all stores of the segment. *is_plain: false if
// they do not fit.
static enum trawl_status read_stores(struct gdb_history *history, const struct index_view *view,
                                     bool *is_plain, struct trawl_error *err)
{
    const struct gdb_cell *cell = &history->cell;
    const uint64_t room = history->end - history->first;
    uint64_t *events = history->columns, *values = events + room, *knowns = values + room;
    uint64_t columns[6][AT_ONCE], value = history->value, known = history->known;
    const struct trawl_access_columns accesses = {.event = columns[0],
                                                  .address = columns[1],
                                                  .size_bytes = columns[2],
                                                  .mask = columns[3],
                                                  .value = columns[4],
                                                  .kind = columns[5]};
    struct trawl_access_cursor at = {history->first, 0};
    size_t row = 0, found = AT_ONCE;
    bool has_any = false; // for the row
    while (found == AT_ONCE) {
        enum trawl_status status =
            trawl_accesses(view->index, &at, history->end, AT_ONCE, &accesses, &found, err);
        if (status != TRAWL_OK)
            return status;
        for (size_t i = 0; i < found; i++) {
            const uint64_t from = columns[1][i] - cell->address; // below 0 if it begins before
            if ((from >= cell->size_bytes && -from >= columns[2][i]) ||
                columns[5][i] != TRAWL_ACCESS_STORE)
                continue;
            if (row < history->count && events[row] != columns[0][i] && has_any) {
                row++;
                has_any = false;
            }
            if (row == history->count || events[row] != columns[0][i]) {
                *is_plain = false;
                return TRAWL_OK;
            }
            for (unsigned byte = 0; byte < 8; byte++) {
                const uint64_t to = from + byte;
                if (!(columns[3][i] >> byte & 1) || to >= cell->size_bytes)
                    continue;
                value &= ~(UINT64_C(0xff) << 8 * to);
                value |= (columns[4][i] >> 8 * byte & 0xff) << 8 * to;
                known |= UINT64_C(1) << to;
            }
            has_any = true;
            values[row] = value;
            knowns[row] = known;
        }
    }
    *is_plain = row + has_any == history->count;
    return TRAWL_OK;
}

// Reads all values of the cell in the segment of an event.
static enum trawl_status read_segment(struct gdb_history *history, const struct index_view *view,
                                      uint64_t event, struct trawl_error *err)
{
    const uint64_t room = view->info.segment_events;
    const struct gdb_cell *cell = &history->cell;
    history->end = history->first = event - event % room;
    history->count = 0;
    history->is_plain = false;
    if (!history->columns && !(history->columns = calloc((size_t)room, 3 * sizeof(uint64_t))))
        return TRAWL_OK; // without memory, each is looked up
    history->is_plain = true;
    enum trawl_status status =
        look_up(view, cell, history->first - 1, &history->value, &history->known, err);
    history->end = history->first + room;
    if (status == TRAWL_OK && !cell->is_memory) {
        const struct trawl_register_value_columns columns = {
            history->columns, history->columns + room, history->columns + 2 * room};
        status = trawl_register_values(view->index, cell->lane, history->first - 1, history->end,
                                       cell->address, (size_t)cell->size_bytes, (size_t)room,
                                       &columns, &history->count, err);
    } else if (status == TRAWL_OK) {
        status = read_writes(history, view, &history->is_plain, err);
        if (status == TRAWL_OK && history->is_plain)
            status = read_stores(history, view, &history->is_plain, err);
    }
    if (status != TRAWL_OK)
        history->end = history->first;
    return status;
}

// --- Questions -----------------------------------------------------------------------------------

// The value in a segment that is at hand, or about which further questions will come. *is_found:
// false if there is none.
static enum trawl_status find_in_history(struct gdb_known *known, const struct index_view *view,
                                         const struct gdb_cell *cell, uint64_t event,
                                         bool *is_found, uint64_t *value, uint64_t *bytes,
                                         struct trawl_error *err)
{
    struct gdb_history *history = known->histories;
    const uint64_t segment = event / view->info.segment_events;
    while (history < known->histories + GDB_HISTORIES && !is_same(&history->cell, cell))
        history++;
    *is_found = false;
    if (history == known->histories + GDB_HISTORIES) {
        history = &known->histories[known->next++ % GDB_HISTORIES];
        *history = (struct gdb_history){.cell = *cell, .columns = history->columns};
    }
    if (event < history->first || event >= history->end) {
        history->questions = history->asked == segment ? history->questions + 1 : 0;
        history->asked = segment;
        if (history->questions < QUESTIONS_BEFORE)
            return TRAWL_OK;
        enum trawl_status status = read_segment(history, view, event, err);
        if (status != TRAWL_OK)
            return status;
    }
    if (!history->is_plain)
        return TRAWL_OK;
    size_t row;
    const uint64_t room = view->info.segment_events;
    PARTITION_POINT(row, history->count, history->columns[middle] <= event);
    *value = row ? history->columns[room + row - 1] : history->value;
    *bytes = row ? history->columns[2 * room + row - 1] : history->known;
    *is_found = true;
    return TRAWL_OK;
}

// Looks memory up, and finds for how many events before and after it is the same.
static enum trawl_status read_stay(struct gdb_stay *stay, const struct index_view *view,
                                   uint64_t event, bool is_back, struct trawl_error *err)
{
    struct trawl_write next, previous;
    const struct gdb_cell *cell = &stay->cell;
    uint64_t bytes;
    enum trawl_status status = look_up(view, cell, event, &stay->value, &bytes, err);
    stay->is_known = bytes == (UINT64_C(1) << cell->size_bytes) - 1;
    stay->first = stay->last = event;
    if (status == TRAWL_OK)
        status = trawl_memory_written(view->index, event, TRAWL_FORWARD, cell->address,
                                      cell->size_bytes, &next, err);
    if (status != TRAWL_OK && status != TRAWL_NOT_FOUND)
        return status;
    stay->last = status == TRAWL_OK ? next.event - 1 : UINT64_MAX;
    if (status == TRAWL_OK && next.kind == TRAWL_OUTSIDE) {
        // What something else has changed is unknown since it was touched last.
        if (next.since < event)
            return TRAWL_OK;
        stay->last = next.since;
    }
    if (!is_back)
        return TRAWL_OK;
    status = trawl_memory_written(view->index, event, TRAWL_BACKWARD, cell->address,
                                  cell->size_bytes, &previous, err);
    if (status == TRAWL_OK || status == TRAWL_NOT_FOUND)
        stay->first = status == TRAWL_OK ? previous.event : 0;
    return status == TRAWL_NOT_FOUND ? TRAWL_OK : status;
}

enum trawl_status gdb_known_value(struct gdb_known *known, const struct index_view *view,
                                  const struct gdb_cell *cell, uint64_t event, bool is_back,
                                  uint64_t *value, struct trawl_error *err)
{
    struct gdb_stay *stay = &known->stays[(cell->address ^ cell->address >> 4) % GDB_STAYS];
    const uint64_t all = (UINT64_C(1) << cell->size_bytes) - 1;
    uint64_t bytes;
    bool is_found = false;
    enum trawl_status status = TRAWL_OK;
    const bool may_keep =
        event != TRAWL_START && !(cell->is_memory && trawl_has_places(view->index));
    const bool is_stay = may_keep && cell->is_memory && is_same(&stay->cell, cell) &&
                         event >= stay->first && event <= stay->last;
    if (!is_stay && may_keep)
        status = find_in_history(known, view, cell, event, &is_found, value, &bytes, err);
    if (status != TRAWL_OK || is_found)
        return status == TRAWL_OK && bytes != all ? TRAWL_NOT_FOUND : status;
    if (may_keep && cell->is_memory) {
        if (!is_stay) {
            *stay = (struct gdb_stay){.cell = *cell};
            status = read_stay(stay, view, event, is_back, err);
            if (status != TRAWL_OK)
                *stay = (struct gdb_stay){0};
        }
        *value = stay->value;
        return status == TRAWL_OK && !stay->is_known ? TRAWL_NOT_FOUND : status;
    }
    status = look_up(view, cell, event, value, &bytes, err);
    return status == TRAWL_OK && bytes != all ? TRAWL_NOT_FOUND : status;
}
