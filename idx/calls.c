// Questions about calls.
#include "idx/index.h"

struct group_view {
    struct parts parts;
    struct column columns[PART_CALL_OPEN + 1];
    uint64_t count;
    bool has_open;
};

static enum status open_group(struct trawl_index *index, uint64_t number, struct group_view *group,
                              struct error *err)
{
    uint64_t offset, size_bytes;
    if (!column_get(&index->groups[PART_GROUP_OFFSETS], number, &offset) ||
        !column_get(&index->groups[PART_GROUP_BYTES], number, &size_bytes))
        return index_damaged(index, "directory of calls", err);
    const uint8_t *bytes = index_bytes(index, offset, size_bytes);
    if (!bytes || parts_open(&group->parts, bytes, size_bytes, err) != STATUS_OK)
        return index_damaged(index, "calls", err);
    group->has_open = parts_find(&group->parts, PART_CALL_OPEN) != NULL;
    for (uint32_t part = PART_CALL_ENTRIES; part <= PART_CALL_OPEN; part++) {
        if (part == PART_CALL_OPEN && !group->has_open)
            break;
        if (parts_column(&group->parts, part, &group->columns[part], err) != STATUS_OK)
            return index_damaged(index, "calls", err);
        if (group->columns[part].count != group->columns[PART_CALL_ENTRIES].count)
            return index_damaged(index, "calls", err);
    }
    group->count = group->columns[PART_CALL_ENTRIES].count;
    return STATUS_OK;
}

// Fills `about` from row `row` of a group, whose lane's calls begin at `lane_first`.
static enum status read_call(struct trawl_index *index, const struct group_view *group,
                             uint64_t row, uint64_t number, struct trawl_call *about,
                             struct error *err)
{
    uint64_t length, parent, open = 0;
    *about = (struct trawl_call){.call = number};
    if (!column_get(&group->columns[PART_CALL_ENTRIES], row, &about->entry) ||
        !column_get(&group->columns[PART_CALL_LENGTHS], row, &length) ||
        !column_get(&group->columns[PART_CALL_DEPTHS], row, &about->depth) ||
        !column_get(&group->columns[PART_CALL_PARENTS], row, &parent) ||
        !column_get(&group->columns[PART_CALL_PCS], row, &about->pc) ||
        (group->has_open && !column_get(&group->columns[PART_CALL_OPEN], row, &open)) ||
        __builtin_add_overflow(about->entry, length, &about->exit) || parent > number)
        return index_damaged(index, "calls", err);
    about->parent = parent ? number - parent : TRAWL_NONE;
    about->is_open = open != 0;
    return STATUS_OK;
}

static enum status check_lane(const struct trawl_index *index, uint64_t lane, struct error *err)
{
    if (lane >= index->lane_count)
        return error_set(err, STATUS_NOT_FOUND, "%s: no such lane", index->path);
    const uint64_t *figures = index->lanes[lane].figures;
    uint64_t end;
    if (__builtin_add_overflow(figures[LANE_FIRST_CALL], figures[LANE_CALLS], &end) ||
        end > index->groups[PART_GROUP_OFFSETS].count * (uint64_t)CALL_GROUP)
        return index_damaged(index, "lanes", err);
    return STATUS_OK;
}

enum trawl_status trawl_call(struct trawl_index *index, uint64_t lane, uint64_t call,
                             struct trawl_call *about, struct trawl_error *error)
{
    struct error *err = to_error(error);
    struct group_view group;
    enum status status = check_lane(index, lane, err);
    if (status != STATUS_OK)
        return to_status(status);
    if (call >= index->lanes[lane].figures[LANE_CALLS])
        return to_status(error_set(err, STATUS_NOT_FOUND, "%s: no such call", index->path));
    uint64_t row = index->lanes[lane].figures[LANE_FIRST_CALL] + call;
    if ((status = open_group(index, row / CALL_GROUP, &group, err)) ||
        (status = read_call(index, &group, row % CALL_GROUP, call, about, err)))
        return to_status(status);
    return TRAWL_OK;
}

// --- The call at a point -------------------------------------------------------------------------

// Rows of a group, as far as they are the lane's: [*from, *to).
static void rows_of_lane(const struct trawl_index *index, uint64_t lane, uint64_t group,
                         uint64_t *from, uint64_t *to)
{
    uint64_t first = index->lanes[lane].figures[LANE_FIRST_CALL];
    uint64_t end = first + index->lanes[lane].figures[LANE_CALLS], start = group * CALL_GROUP;
    *from = u64_max(first, start) - start;
    *to = u64_min(end, start + CALL_GROUP) - start;
}

// The last call among the group's rows below `to` that is active at the event; UINT64_MAX: none.
static enum status last_active(struct trawl_index *index, const struct group_view *group,
                               uint64_t from, uint64_t to, uint64_t event, uint64_t *row,
                               struct error *err)
{
    uint64_t entries[COLUMN_BLOCK], lengths[COLUMN_BLOCK];
    *row = UINT64_MAX;
    if (!column_search(&group->columns[PART_CALL_ENTRIES], from, to, event, &to))
        return index_damaged(index, "calls", err);
    while (to > from) {
        uint64_t start = u64_max((to - 1) / COLUMN_BLOCK * COLUMN_BLOCK, from);
        size_t here = (size_t)(to - start);
        if (!column_read(&group->columns[PART_CALL_ENTRIES], start, here, entries) ||
            !column_read(&group->columns[PART_CALL_LENGTHS], start, here, lengths))
            return index_damaged(index, "calls", err);
        for (size_t i = here; i-- > 0;) {
            if (event - entries[i] <= lengths[i]) {
                *row = start + i;
                return STATUS_OK;
            }
        }
        to = start;
    }
    return STATUS_OK;
}

enum trawl_status trawl_call_at(struct trawl_index *index, uint64_t lane, uint64_t in_lane,
                                struct trawl_call *about, struct trawl_error *error)
{
    struct error *err = to_error(error);
    enum status status = check_lane(index, lane, err);
    if (status != STATUS_OK)
        return to_status(status);
    const uint64_t *figures = index->lanes[lane].figures;
    uint64_t first = figures[LANE_FIRST_CALL] / CALL_GROUP, exit_max, entry, from, to, row;
    uint64_t number =
        (figures[LANE_FIRST_CALL] + figures[LANE_CALLS] + CALL_GROUP - 1) / CALL_GROUP;
    while (figures[LANE_CALLS] && number-- > first) {
        struct group_view group;
        rows_of_lane(index, lane, number, &from, &to);
        // A group that begins behind the event, or has ended before it, holds no active call.
        if (!column_get(&index->groups[PART_GROUP_ENTRIES], number, &entry) ||
            !column_get(&index->groups[PART_GROUP_EXITS_MAX], number, &exit_max))
            return to_status(index_damaged(index, "directory of calls", err));
        if (exit_max < in_lane || (from == 0 && entry > in_lane))
            continue;
        if ((status = open_group(index, number, &group, err)))
            return to_status(status);
        if (to > group.count)
            return to_status(index_damaged(index, "calls", err));
        if ((status = last_active(index, &group, from, to, in_lane, &row, err)))
            return to_status(status);
        if (row != UINT64_MAX)
            return to_status(read_call(index, &group, row,
                                       number * CALL_GROUP + row - figures[LANE_FIRST_CALL], about,
                                       err));
    }
    return to_status(error_set(err, STATUS_NOT_FOUND, "%s: outside of every call", index->path));
}
