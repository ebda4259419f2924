#include "cmd/diff.h"

const char *diff_region_kind(const struct lane_region *region)
{
    if (region->is_rough)
        return "unaligned";
    if (region->only[0] && region->only[1])
        return "replaced";
    return region->only[0] ? "only in A" : region->only[1] ? "only in B" : "changed";
}

bool diff_event(struct diff *diff, const struct lane_region *region, int side,
                struct trawl_event *about, const char **function, enum status *status,
                struct error *err)
{
    struct query *query = diff_side(diff, side);
    *function = NULL;
    *status = STATUS_OK;
    if (region->events[side] == TRAWL_NONE)
        return false;
    *status = index_view_event(query_view(query), region->events[side], about, err);
    if (*status != STATUS_OK) {
        diff->failed = side;
        return false;
    }
    *function = query_name(query, about->pc);
    return true;
}

const struct column diff_columns[DIFF_COLUMNS] = {
    {"What", "what", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
    {"Event A", "event_a", COLUMN_U64},
    {"Line A", "line_a", COLUMN_U64},
    {"Event B", "event_b", COLUMN_U64},
    {"Line B", "line_b", COLUMN_U64},
    {"Only in A", "only_a", COLUMN_U64},
    {"Only in B", "only_b", COLUMN_U64},
    {"Changed", "changed", COLUMN_U64},
    {"Length A", "count_a", COLUMN_U64},
    {"Length B", "count_b", COLUMN_U64},
    {"Function A", "function_a", COLUMN_TEXT},
    {"Function B", "function_b", COLUMN_TEXT},
};

static void put_place(struct table *table, const struct trawl_event *about, bool is_there)
{
    if (!is_there) {
        table_none(table);
        table_none(table);
        return;
    }
    table_u64(table, about->event);
    if (about->line)
        table_u64(table, about->line);
    else
        table_none(table);
}

static enum status put_region(struct diff *diff, const struct diff_region *region,
                              struct table *table, struct error *err)
{
    const struct diff_pair *pair = &diff->pairs.items[region->pair];
    int named = pair->lanes[0] == TRAWL_NONE;
    const char *functions[2];
    struct trawl_event about[2];
    bool is_there[2];
    for (int side = 0; side < 2; side++) {
        enum status status;
        is_there[side] =
            diff_event(diff, &region->found, side, &about[side], &functions[side], &status, err);
        if (status != STATUS_OK)
            return status;
    }
    table_text(table, diff_region_kind(&region->found));
    table_text(table, query_lane_name(diff_side(diff, named), pair->lanes[named]));
    for (int side = 0; side < 2; side++)
        put_place(table, &about[side], is_there[side]);
    for (int side = 0; side < 2; side++)
        table_u64(table, region->found.only[side]);
    table_u64(table, region->found.changed);
    for (int side = 0; side < 2; side++)
        table_u64(table, region->found.counts[side]);
    for (int side = 0; side < 2; side++)
        table_text(table, functions[side]);
    return STATUS_OK;
}

enum status diff_write_regions(struct diff *diff, struct table *table, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < diff->regions.count && status == STATUS_OK; i++)
        status = put_region(diff, &diff->regions.items[i], table, err);
    table_end(table);
    return status;
}
