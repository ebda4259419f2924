// Writes in a trace of snapshots: collected values, compared from one snapshot to the next.
#include "base/limits.h"
#include "cmd/writes.h"

#include <stdlib.h>

const struct column writes_snapshot_columns[WRITES_SNAPSHOT_COLUMNS] = {
    {"Event", "event", COLUMN_U64},        {"PC", "pc", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT}, {"Tracepoint", "lane", COLUMN_TEXT},
    {"Kind", "kind", COLUMN_TEXT},         {"Address", "address", COLUMN_ADDRESS},
    {"Bytes", "size", COLUMN_U64},         {"Value", "value", COLUMN_TEXT},
};

// A collected value.
struct seen {
    uint8_t values[LIMIT_VALUE_BYTES];
    bool is_whole; // all of it was collected
};

struct changes {
    struct writes *writes;
    VEC(, struct trawl_event) events;
};

static enum status see_memory(const struct writes *writes, uint64_t event, struct seen *seen,
                              struct error *err)
{
    struct trawl_error from;
    uint8_t known[LIMIT_WRITE_SHOWN_BYTES];
    size_t size = (size_t)writes->target.size_bytes;
    enum trawl_status status = trawl_memory(query_view(&writes->query)->index, event,
                                            writes->target.start, size, seen->values, known, &from);
    seen->is_whole = status == TRAWL_OK && !memchr(known, 0, size);
    return index_status(status, &from, err);
}

static enum status see(const struct writes *writes, const struct trawl_event *at, struct seen *seen,
                       struct error *err)
{
    struct register_value value;
    *seen = (struct seen){0};
    if (!writes->target.is_register)
        return see_memory(writes, at->event, seen, err);
    enum status status = register_read(query_view(&writes->query), at->lane, at->event,
                                       &writes->location.which, &value, err);
    memcpy(seen->values, value.values, value.size_bytes);
    seen->is_whole = status == STATUS_OK && value.known_bytes == value.size_bytes;
    return status;
}

// All snapshots in which the value differs from the last collected one.
static enum status find_changes(struct changes *changes, struct error *err)
{
    struct writes *writes = changes->writes;
    const struct index_view *view = query_view(&writes->query);
    struct seen last = {0}, now;
    struct write_found found;
    struct trawl_event at;
    writes_begin(&writes->walk, view, &writes->target, TRAWL_START, false);
    for (;;) {
        enum status status = writes_next(&writes->walk, &found, err);
        if (status == STATUS_OK)
            status = index_view_event(view, found.event, &at, err);
        if (status == STATUS_OK)
            status = see(writes, &at, &now, err);
        if (status != STATUS_OK)
            return status == STATUS_NOT_FOUND ? STATUS_OK : status;
        if (!now.is_whole || !query_wants_event(&writes->query, &at) ||
            memcmp(&last, &now, sizeof now) == 0)
            continue;
        if (!VEC_ROOM(&changes->events, 1))
            return error_set(err, STATUS_MEMORY, "%s: no memory",
                             writes->query.common.session.path);
        changes->events.items[changes->events.count++] = at;
        last = now;
    }
}

static void format(const struct writes *writes, struct seen *seen, char text[VALUE_TEXT_MAX])
{
    uint8_t known[LIMIT_VALUE_BYTES];
    memset(known, 1, sizeof known);
    if (writes->target.is_register)
        value_number(text, seen->values, known, (size_t)writes->target.size_bytes);
    else
        writes_format_memory(text, seen->values, known, writes->target.size_bytes,
                             query_view(&writes->query)->info.options & TRAWL_BIG_ENDIAN);
}

static enum status put_change(struct changes *changes, size_t number, struct error *err)
{
    struct writes *writes = changes->writes;
    struct table *table = writes->table;
    const struct trawl_event *at = &changes->events.items[number];
    char text[VALUE_TEXT_MAX];
    struct seen seen;
    enum status status = see(writes, at, &seen, err);
    if (status != STATUS_OK)
        return status;
    format(writes, &seen, text);
    writes->has_shown = true;
    table_u64(table, at->event);
    if (at->flags & TRAWL_HAS_INSTRUCTION) {
        table_address(table, at->pc);
        table_text(table, query_name(&writes->query, at->pc));
    } else {
        table_none(table);
        table_none(table);
    }
    table_text(table, query_lane_name(&writes->query, at->lane));
    table_text(table, number ? "changed" : "first seen");
    if (writes->target.is_register)
        table_none(table);
    else
        table_address(table, writes->target.start);
    table_u64(table, writes->target.size_bytes);
    table_text(table, text);
    return STATUS_OK;
}

// Changes are in the order of events: those up to the point come first.
static enum status put_changes(struct changes *changes, struct error *err)
{
    const struct writes *writes = changes->writes;
    size_t count = changes->events.count, before = 0;
    uint64_t wanted = writes->mode == WRITES_ALL    ? UINT64_MAX
                      : writes->mode == WRITES_LAST ? writes->last_count
                                                    : 1;
    bool is_back = writes->mode == WRITES_PREVIOUS || writes->mode == WRITES_LAST;
    enum status status = STATUS_OK;
    while (before < count && changes->events.items[before].event <= writes->query.event)
        before++;
    for (uint64_t i = 0; is_back && i < wanted && i < before && status == STATUS_OK; i++)
        status = put_change(changes, before - 1 - (size_t)i, err);
    size_t first = writes->mode == WRITES_ALL ? 0 : before;
    for (size_t i = first; !is_back && i < count && i - first < wanted && status == STATUS_OK; i++)
        status = put_change(changes, i, err);
    return status;
}

enum status writes_show_changes(struct writes *writes, struct error *err)
{
    struct changes changes = {.writes = writes};
    enum status status = find_changes(&changes, err);
    if (status == STATUS_OK)
        status = put_changes(&changes, err);
    free(changes.events.items);
    return status;
}
