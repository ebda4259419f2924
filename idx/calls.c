// Queries of calls.
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/nesting.h"

// Opens the columns of a group of `count` calls.
static enum status open_columns(const struct trawl_index *index, struct group_view *group,
                                const struct parts *parts, uint64_t count, struct error *err)
{
    for (uint32_t part = PART_CALL_ENTRIES; part <= PART_CALL_LAST; part++) {
        struct column *column = &group->columns[part];
        group->has[part] = part < PART_CALL_OPEN || parts_find(parts, part);
        if (!group->has[part])
            continue;
        if (parts_column(parts, part, column, err) != STATUS_OK || column->count != count)
            return index_damaged(index, "calls", err);
        group->verified[part] = 0;
        column->verified = &group->verified[part];
    }
    return STATUS_OK;
}

const struct group_view *index_group(struct trawl_index *index, uint64_t number, struct error *err)
{
    struct group_view *group = &index->group_views[number % INDEX_GROUPS];
    struct parts parts;
    uint64_t offset, size_bytes;
    if (LIKELY(group->number == number))
        return group;
    group->number = UINT64_MAX;
    if (!column_get(&index->groups[PART_GROUP_OFFSETS], number, &offset) ||
        !column_get(&index->groups[PART_GROUP_BYTES], number, &size_bytes)) {
        index_damaged(index, "directory of calls", err);
        return NULL;
    }
    const uint8_t *bytes = index_bytes(index, offset, size_bytes);
    if (!bytes || parts_open(&parts, index->simd, bytes, size_bytes, err) != STATUS_OK) {
        index_damaged(index, "calls", err);
        return NULL;
    }
    uint64_t count = u64_min(index->call_count - number * CALL_GROUP, CALL_GROUP);
    if (open_columns(index, group, &parts, count, err) != STATUS_OK)
        return NULL;
    group->number = number;
    return group;
}

// Call `number` of a lane, which must exist.
static enum status read_call(struct trawl_index *index, uint64_t lane, uint64_t number,
                             struct trawl_call *about, struct error *err)
{
    const uint64_t *figures = index->lanes[lane].figures;
    if (index->is_nested)
        return nesting_call(index, lane, number, about, err);
    uint64_t at = figures[LANE_FIRST_CALL] + number;
    uint64_t row = at % CALL_GROUP, length, parent, open = 0, how = 0, before = 0;
    const struct group_view *group = index_group(index, at / CALL_GROUP, err);
    *about = (struct trawl_call){.call = number};
    if (!group)
        return STATUS_DAMAGED;
    if (!column_get(&group->columns[PART_CALL_ENTRIES], row, &about->entry) ||
        !column_get(&group->columns[PART_CALL_LENGTHS], row, &length) ||
        !column_get(&group->columns[PART_CALL_DEPTHS], row, &about->depth) ||
        !column_get(&group->columns[PART_CALL_PARENTS], row, &parent) ||
        !column_get(&group->columns[PART_CALL_PCS], row, &about->pc) ||
        (group->has[PART_CALL_OPEN] && !column_get(&group->columns[PART_CALL_OPEN], row, &open)) ||
        (group->has[PART_CALL_HOW] && !column_get(&group->columns[PART_CALL_HOW], row, &how)) ||
        (group->has[PART_CALL_BEGAN] &&
         !column_get(&group->columns[PART_CALL_BEGAN], row, &before)) ||
        __builtin_add_overflow(about->entry, length, &about->exit) ||
        about->exit >= figures[LANE_EVENTS] || parent > number || before > about->entry)
        return index_damaged(index, "calls", err);
    about->parent = parent ? number - parent : TRAWL_NONE;
    about->is_open = open != 0;
    about->how = (uint32_t)how;
    about->began = about->entry - before;
    return STATUS_OK;
}

static enum status check_lane(const struct trawl_index *index, uint64_t lane, struct error *err)
{
    if (lane >= index->lane_count)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such lane", index->path);
    return STATUS_OK;
}

enum trawl_status trawl_call_(struct trawl_index *index, uint64_t lane, uint64_t call,
                              struct trawl_call *about, size_t about_bytes,
                              struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_call found;
    enum status status = check_lane(index, lane, err);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    if (call >= index->lanes[lane].figures[LANE_CALLS])
        return errors_give(error, &why,
                           error_set(err, STATUS_NOT_FOUND, "%s: no such call", index->path));
    status = read_call(index, lane, call, &found, err);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(error, &why, status);
}

// --- The call at a point -------------------------------------------------------------------------

// The number of the lane's calls that were entered at or before the event. Entries ascend within a
// lane.
static enum status count_entered(struct trawl_index *index, uint64_t lane, uint64_t event,
                                 uint64_t *count, struct error *err)
{
    if (index->is_nested)
        return nesting_entered(index, lane, event, count, err);
    const uint64_t *figures = index->lanes[lane].figures;
    uint64_t first = figures[LANE_FIRST_CALL], end = first + figures[LANE_CALLS];
    // The first group may begin with calls of another lane; all later ones begin with calls of this
    // lane.
    uint64_t group = first / CALL_GROUP, group_end = (end + CALL_GROUP - 1) / CALL_GROUP;
    if (!column_search(&index->groups[PART_GROUP_ENTRIES], group + 1, group_end, event, &group_end))
        return index_damaged(index, "directory of calls", err);
    group = group_end - 1;
    uint64_t start = group * CALL_GROUP, place;
    const struct group_view *view = index_group(index, group, err);
    if (!view)
        return STATUS_DAMAGED;
    if (!column_search(&view->columns[PART_CALL_ENTRIES], u64_max(first, start) - start,
                       u64_min(end, start + CALL_GROUP) - start, event, &place))
        return index_damaged(index, "calls", err);
    *count = start + place - first;
    return STATUS_OK;
}

enum trawl_status trawl_calls_entered(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                      uint64_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    enum status status = check_lane(index, lane, err);
    *count = 0;
    if (status == STATUS_OK && index->lanes[lane].figures[LANE_CALLS])
        status = count_entered(index, lane, in_lane, count, err);
    return errors_give(error, &why, status);
}

// The last call that was entered is active; if not, one of its ancestors is the innermost active
// call.
enum trawl_status trawl_call_at_(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                 struct trawl_call *about, size_t about_bytes,
                                 struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_call found;
    uint64_t count = 0;
    enum status status = check_lane(index, lane, err);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    const uint64_t *figures = index->lanes[lane].figures;
    if (figures[LANE_CALLS] && (status = count_entered(index, lane, in_lane, &count, err)))
        return errors_give(error, &why, status);
    for (uint64_t call = count ? count - 1 : TRAWL_NONE; call != TRAWL_NONE; call = found.parent) {
        if ((status = read_call(index, lane, call, &found, err)))
            return errors_give(error, &why, status);
        if (found.entry <= in_lane && found.exit >= in_lane) {
            caller_give(about, about_bytes, &found, sizeof found);
            return TRAWL_OK;
        }
    }
    return errors_give(error, &why,
                       error_set(err, STATUS_NOT_FOUND, "%s: outside of every call", index->path));
}

// --- Blocks --------------------------------------------------------------------------------------

// The number of calls within a call: those entered up to its exit, because entries ascend and calls
// nest.
static enum status count_inside(struct trawl_index *index, uint64_t lane,
                                const struct trawl_call *call, uint64_t *count, struct error *err)
{
    uint64_t entered;
    enum status status = count_entered(index, lane, call->exit, &entered, err);
    if (status != STATUS_OK)
        return status;
    if (entered <= call->call)
        return index_damaged(index, "calls", err);
    *count = entered - call->call - 1;
    return STATUS_OK;
}

static uint64_t *behind(uint64_t *column, size_t rows)
{
    return column ? column + rows : NULL;
}

static void put(uint64_t *column, size_t row, uint64_t value)
{
    if (column)
        column[row] = value;
}

// Consecutive calls in one group.
struct call_run {
    const struct group_view *group;
    uint64_t number; // of the first, in the lane
    uint64_t row;    // of the first, in the group
    size_t count;    // at most COLUMN_BLOCK
};

static bool read_part(const struct call_run *run, enum call_part part, uint64_t *values)
{
    if (run->group->has[part])
        return column_read(&run->group->columns[part], run->row, run->count, values);
    memset(values, 0, run->count * sizeof *values);
    return true;
}

// Reads the entries of the run and, unless `exits` is NULL, its exits.
static bool read_ends(const struct call_run *run, uint64_t event_count, uint64_t *entries,
                      uint64_t *exits)
{
    uint64_t own[COLUMN_BLOCK];
    if (!entries)
        entries = own;
    if (!read_part(run, PART_CALL_ENTRIES, entries))
        return false;
    if (!exits)
        return true;
    if (!read_part(run, PART_CALL_LENGTHS, exits))
        return false;
    for (size_t i = 0; i < run->count; i++) {
        if (__builtin_add_overflow(entries[i], exits[i], &exits[i]) || exits[i] >= event_count)
            return false;
    }
    return true;
}

static bool read_parents(const struct call_run *run, uint64_t *parents)
{
    if (!read_part(run, PART_CALL_PARENTS, parents))
        return false;
    for (size_t i = 0; i < run->count; i++) {
        uint64_t number = run->number + i;
        if (parents[i] > number)
            return false;
        parents[i] = parents[i] ? number - parents[i] : TRAWL_NONE;
    }
    return true;
}

static uint64_t *from_row(uint64_t *column, size_t row)
{
    return column ? column + row : NULL;
}

// Reads a run into the columns from `row` on, except for `inside`.
static bool read_run(const struct call_run *run, uint64_t event_count,
                     const struct trawl_call_columns *columns, size_t row)
{
    for (size_t i = 0; i < run->count && columns->call; i++)
        columns->call[row + i] = run->number + i;
    if ((columns->entry || columns->exit) &&
        !read_ends(run, event_count, from_row(columns->entry, row), from_row(columns->exit, row)))
        return false;
    if ((columns->pc && !read_part(run, PART_CALL_PCS, columns->pc + row)) ||
        (columns->depth && !read_part(run, PART_CALL_DEPTHS, columns->depth + row)) ||
        (columns->parent && !read_parents(run, columns->parent + row)) ||
        (columns->is_open && !read_part(run, PART_CALL_OPEN, columns->is_open + row)))
        return false;
    for (size_t i = 0; i < run->count && columns->is_open; i++)
        columns->is_open[row + i] = columns->is_open[row + i] != 0;
    return true;
}

// A run of calls from `number` of the lane on: as many as are in one block of its group, at most
// `capacity`.
static enum status next_run(struct trawl_index *index, uint64_t lane, uint64_t number,
                            size_t capacity, struct call_run *run, struct error *err)
{
    const uint64_t *figures = index->lanes[lane].figures;
    uint64_t at = figures[LANE_FIRST_CALL] + number;
    uint64_t count = u64_min(figures[LANE_CALLS] - number, capacity);
    count = u64_min(count, COLUMN_BLOCK - at % COLUMN_BLOCK);
    *run = (struct call_run){index_group(index, at / CALL_GROUP, err), number, at % CALL_GROUP,
                             (size_t)count};
    return run->group ? STATUS_OK : STATUS_DAMAGED;
}

// The number of calls within each call of a run.
static enum status count_all_inside(struct trawl_index *index, uint64_t lane,
                                    const struct call_run *run, uint64_t *inside, struct error *err)
{
    uint64_t exits[COLUMN_BLOCK];
    if (!read_ends(run, index->lanes[lane].figures[LANE_EVENTS], NULL, exits))
        return index_damaged(index, "calls", err);
    for (size_t i = 0; i < run->count; i++) {
        struct trawl_call call = {.call = run->number + i, .exit = exits[i]};
        if (count_inside(index, lane, &call, &inside[i], err) != STATUS_OK)
            return STATUS_DAMAGED;
    }
    return STATUS_OK;
}

// Reads the next calls, as many as are read at once, where they are not listed.
static enum status read_nested(struct trawl_index *index, uint64_t lane, uint64_t number,
                               const struct trawl_call_columns *columns, size_t row, size_t *count,
                               struct error *err)
{
    uint64_t exits[COLUMN_BLOCK];
    const struct nested_calls calls = {behind(columns->entry, row),  exits,
                                       behind(columns->depth, row),  behind(columns->pc, row),
                                       behind(columns->parent, row), behind(columns->is_open, row)};
    *count = (size_t)u64_min(*count, COLUMN_BLOCK);
    enum status status = nesting_calls(index, lane, number, *count, &calls, err);
    for (size_t i = 0; i < *count && status == STATUS_OK; i++) {
        const struct trawl_call call = {.call = number + i, .exit = exits[i]};
        put(columns->call, row + i, call.call);
        put(columns->exit, row + i, call.exit);
        if (columns->inside)
            status = count_inside(index, lane, &call, &columns->inside[row + i], err);
    }
    return status;
}

enum trawl_status trawl_calls_(struct trawl_index *index, uint64_t lane, uint64_t first,
                               size_t capacity, const struct trawl_call_columns *theirs,
                               size_t columns_bytes, size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_call_columns columns;
    struct call_run run;
    enum status status = check_lane(index, lane, err);
    caller_take(&columns, sizeof columns, theirs, columns_bytes);
    *count = 0;
    while (status == STATUS_OK && *count < capacity) {
        const uint64_t *figures = index->lanes[lane].figures;
        uint64_t number = first + *count;
        if (number < first || number >= figures[LANE_CALLS])
            break;
        if (index->is_nested) {
            size_t here = (size_t)u64_min(figures[LANE_CALLS] - number, capacity - *count);
            status = read_nested(index, lane, number, &columns, *count, &here, err);
            *count += status == STATUS_OK ? here : 0;
            continue;
        }
        status = next_run(index, lane, number, capacity - *count, &run, err);
        if (status == STATUS_OK && !read_run(&run, figures[LANE_EVENTS], &columns, *count))
            status = index_damaged(index, "calls", err);
        if (status == STATUS_OK && columns.inside)
            status = count_all_inside(index, lane, &run, columns.inside + *count, err);
        if (status == STATUS_OK)
            *count += run.count;
    }
    return errors_give(error, &why, status);
}

enum trawl_status trawl_siblings_(struct trawl_index *index, uint64_t lane, uint64_t first,
                                  size_t capacity, const struct trawl_call_columns *theirs,
                                  size_t columns_bytes, size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    struct trawl_call_columns columns;
    struct trawl_call call;
    uint64_t inside, depth = 0;
    enum status status = check_lane(index, lane, err);
    caller_take(&columns, sizeof columns, theirs, columns_bytes);
    *count = 0;
    for (uint64_t number = first; status == STATUS_OK && *count < capacity;
         number += 1 + inside, ++*count) {
        if (number >= index->lanes[lane].figures[LANE_CALLS])
            break;
        status = read_call(index, lane, number, &call, err);
        if (status != STATUS_OK || (*count && call.depth != depth))
            break;
        depth = call.depth;
        status = count_inside(index, lane, &call, &inside, err);
        if (status == STATUS_OK) {
            size_t row = *count;
            put(columns.call, row, call.call);
            put(columns.entry, row, call.entry);
            put(columns.exit, row, call.exit);
            put(columns.pc, row, call.pc);
            put(columns.depth, row, call.depth);
            put(columns.parent, row, call.parent);
            put(columns.is_open, row, call.is_open);
            put(columns.inside, row, inside);
        }
    }
    return errors_give(error, &why, status);
}
