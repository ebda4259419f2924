// diff: the outcome as text, with a table of the regions; as JSON, which contains it; as CSV, which
// is it.
#include "cmd/diff.h"

#include <inttypes.h>
#include <stdio.h>

static const char letters[2] = {'A', 'B'};

// --- Regions -------------------------------------------------------------------------------------

// "only in A", "replaced", ...
static const char *kind_of(const struct lane_region *region)
{
    if (region->is_rough)
        return "unaligned";
    if (region->only[0] && region->only[1])
        return "replaced";
    return region->only[0] ? "only in A" : region->only[1] ? "only in B" : "changed";
}

// The first event of a region on one side, and its function. False: that side has ended.
static bool find_event(struct diff *diff, const struct lane_region *region, int side,
                       struct trawl_event *about, const char **function, enum status *status,
                       struct error *err)
{
    struct command *command = diff_side(diff, side);
    *function = NULL;
    *status = STATUS_OK;
    if (region->events[side] == TRAWL_NONE)
        return false;
    *status = index_view_event(query_view(command), region->events[side], about, err);
    if (*status != STATUS_OK) {
        diff->failed = side;
        return false;
    }
    *function = query_name(command, about->pc);
    return true;
}

struct region_cells {
    const char *what, *lane, *functions[2];
    const uint64_t *events[2], *lines[2];
    uint64_t only[2], changed, counts[2];
};

#define VALUE(name) FIELD_VALUE(struct region_cells, name)

static const struct field fields[] = {
    {"What", "what", COLUMN_TEXT, VALUE(what)},
    {"Core", "lane", COLUMN_TEXT, VALUE(lane)},
    {"Event A", "event_a", COLUMN_U64, VALUE(events[0])},
    {"Line A", "line_a", COLUMN_U64, VALUE(lines[0])},
    {"Event B", "event_b", COLUMN_U64, VALUE(events[1])},
    {"Line B", "line_b", COLUMN_U64, VALUE(lines[1])},
    {"Only in A", "only_a", COLUMN_U64, VALUE(only[0])},
    {"Only in B", "only_b", COLUMN_U64, VALUE(only[1])},
    {"Changed", "changed", COLUMN_U64, VALUE(changed)},
    {"Length A", "count_a", COLUMN_U64, VALUE(counts[0])},
    {"Length B", "count_b", COLUMN_U64, VALUE(counts[1])},
    {"Function A", "function_a", COLUMN_TEXT, VALUE(functions[0])},
    {"Function B", "function_b", COLUMN_TEXT, VALUE(functions[1])},
};

// Writes a table of them: the next value of `json`, or if that is NULL, in the command's format.
static enum status put_regions(struct diff *diff, struct json *json, struct error *err)
{
    const struct field *shown[ARRAY_COUNT(fields)];
    struct table_column columns[ARRAY_COUNT(fields)];
    struct command *command = &diff->common;
    struct table table;
    size_t count = fields_choose(fields, ARRAY_COUNT(fields), 0, shown, columns);
    enum status status = STATUS_OK;
    if (json)
        table_begin_member(&table, json, columns, count);
    else
        status = command_begin_table(command, &table, columns, count, err);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < diff->regions.count && status == STATUS_OK; i++) {
        const struct diff_region *region = &diff->regions.items[i];
        const struct diff_pair *pair = &diff->pairs.items[region->pair];
        const struct lane_region *found = &region->found;
        int named = pair->lanes[0] == TRAWL_NONE;
        struct trawl_event about[2];
        struct region_cells cells = {
            .what = kind_of(found),
            .lane = query_lane_name(diff_side(diff, named), pair->lanes[named]),
            .only = {found->only[0], found->only[1]},
            .changed = found->changed,
            .counts = {found->counts[0], found->counts[1]}};
        for (int side = 0; side < 2 && status == STATUS_OK; side++) {
            if (!find_event(diff, found, side, &about[side], &cells.functions[side], &status, err))
                continue;
            cells.events[side] = &about[side].event;
            cells.lines[side] = about[side].line ? &about[side].line : NULL;
        }
        if (status == STATUS_OK)
            fields_put(&table, shown, count, &cells);
    }
    table_end(&table);
    return status;
}

// The names of what was compared, with NULL after the last.
#define COMPARED 4
static void find_compared(const struct diff *diff, const char *names[COMPARED + 1])
{
    size_t count = 0;
    names[count++] = diff->unit->many;
    if (diff->effects & EFFECT_REGISTERS)
        names[count++] = "registers";
    if (diff->effects & EFFECT_MEMORY)
        names[count++] = "memory";
    if (diff->times)
        names[count++] = "times";
    names[count] = NULL;
}

// --- As text -------------------------------------------------------------------------------------

static void put_count(struct out *out, uint64_t count, const char *text)
{
    out_u64(out, count);
    out_text(out, text);
}

static void put_units(struct out *out, uint64_t count, const struct diff_unit *unit)
{
    put_count(out, count, " ");
    out_text(out, count == 1 ? unit->one : unit->many);
    out_byte(out, '\n');
}

static void put_traces_text(struct diff *diff, struct out *out)
{
    for (int side = 0; side < 2; side++) {
        struct command *command = diff_side(diff, side);
        out_byte(out, letters[side]);
        out_text(out, ": ");
        command_put(command, out, command->session.path);
        out_text(out, ", ");
        put_units(out, diff->same + diff->changed + diff->only[side], diff->unit);
    }
}

static void put_compared_text(struct diff *diff, struct out *out)
{
    const char *names[COMPARED + 1];
    find_compared(diff, names);
    out_text(out, "compared: ");
    for (size_t i = 0; names[i]; i++) {
        out_text(out, i ? ", " : "");
        out_text(out, names[i]);
    }
    if (diff->are_builds)
        out_text(out, " of two builds, by functions and encodings");
    if (diff->window) {
        char text[96];
        snprintf(text, sizeof text,
                 "; writes may be up to %" PRIu64 " instructions late, as those of %" PRIu64 " are",
                 diff->window, diff->late);
        out_text(out, text);
    }
    for (size_t i = 0; i < diff->left_out.count && i <= EFFECT_NAMES; i++) {
        out_text(out, i ? " " : "; not compared, as only one of the two shows them: ");
        if (i < EFFECT_NAMES)
            command_put(&diff->common, out, diff->left_out.names[i]);
        else
            out_text(out, "and others");
    }
    out_byte(out, '\n');
}

// The beginning of the first region on one side, with the lines around it.
static enum status put_side_text(struct diff *diff, const struct lane_region *region, int side,
                                 struct out *out, struct error *err)
{
    struct command *command = diff_side(diff, side);
    struct trawl_event about;
    const char *function;
    enum status status;
    out_byte(out, letters[side]);
    if (!find_event(diff, region, side, &about, &function, &status, err)) {
        out_text(out, ": has ended\n");
        return status;
    }
    out_text(out, ": event ");
    out_u64(out, about.event);
    if (about.line) {
        out_text(out, ", line ");
        out_u64(out, about.line);
    }
    if (session_can(&command->session, TRACE_TIMES)) {
        out_text(out, ", time ");
        out_u64(out, about.time);
        out_byte(out, ' ');
        out_text(out, query_tick_unit(command));
    }
    if (session_can(&command->session, TRACE_ADDRESSES)) {
        out_text(out, ", at 0x");
        out_hex(out, names_address(&command->session.names, about.pc) & ~UINT64_C(1), 1);
    }
    if (function) {
        out_text(out, ", in ");
        command_put(command, out, function);
    }
    out_byte(out, '\n');
    trace_context_put(&command->context, out, &(struct line_place){about.line, about.position});
    return STATUS_OK;
}

static enum status put_first_text(struct diff *diff, struct out *out, struct error *err)
{
    const struct diff_region *region = &diff->regions.items[diff->first];
    out_text(out, "\nfirst difference: ");
    out_text(out, kind_of(&region->found));
    out_byte(out, '\n');
    enum status status = put_side_text(diff, &region->found, 0, out, err);
    if (status == STATUS_OK)
        status = put_side_text(diff, &region->found, 1, out, err);
    out_byte(out, '\n');
    return status;
}

static enum status write_text(struct diff *diff, struct error *err)
{
    struct out *out = &diff->common.out;
    put_traces_text(diff, out);
    put_compared_text(diff, out);
    if (diff_is_equal(diff)) {
        out_text(out, "no difference\n");
        return STATUS_OK;
    }
    for (size_t i = 0; i < diff->pairs.count; i++) {
        const struct diff_pair *pair = &diff->pairs.items[i];
        int side = pair->lanes[0] == TRAWL_NONE;
        const struct command *command = diff_side(diff, side);
        const char *name = query_lane_name(command, pair->lanes[side]);
        if (pair->lanes[!side] != TRAWL_NONE)
            continue;
        out_text(out, "lane ");
        if (name)
            command_put(command, out, name);
        else
            out_u64(out, pair->lanes[side]);
        out_text(out, " is only in ");
        out_byte(out, letters[side]);
        out_text(out, ", with ");
        put_units(out, pair->only[side], diff->unit);
    }
    if (!diff->regions.count)
        return STATUS_OK;
    enum status status = put_first_text(diff, out, err);
    if (status == STATUS_OK)
        status = put_regions(diff, NULL, err);
    out_byte(out, '\n');
    put_count(out, diff->region_count, diff->region_count == 1 ? " region: " : " regions: ");
    put_count(out, diff->only[0], " only in A, ");
    put_count(out, diff->only[1], " only in B, ");
    put_count(out, diff->changed, " changed, ");
    put_count(out, diff->same, " the same\n");
    if (diff->region_count > diff->regions.count)
        put_count(out, diff->region_count - diff->regions.count,
                  " regions are not listed (--max-regions)\n");
    return status;
}

// --- As JSON -------------------------------------------------------------------------------------

static void put_traces(struct diff *diff, struct json *json)
{
    static const char *const keys[2] = {"a", "b"};
    for (int side = 0; side < 2; side++) {
        json_key(json, keys[side]);
        json_begin_object(json);
        json_member_text(json, "trace", diff_side(diff, side)->session.path);
        json_member_u64(json, "count", diff->same + diff->changed + diff->only[side]);
        query_put_covered_json(diff_side(diff, side), json);
        json_end_object(json);
    }
}

static void put_compared(struct diff *diff, struct json *json)
{
    const char *names[COMPARED + 1];
    find_compared(diff, names);
    json_key(json, "compared");
    json_begin_array(json);
    for (size_t i = 0; names[i]; i++)
        json_text(json, names[i]);
    json_end_array(json);
    if (diff->are_builds)
        json_member_bool(json, "are_builds", true);
    if (diff->window) {
        json_member_u64(json, "window", diff->window);
        json_member_u64(json, "late", diff->late);
    }
    json_key(json, "registers_left_out");
    json_begin_array(json);
    for (size_t i = 0; i < diff->left_out.count && i < EFFECT_NAMES; i++)
        json_text(json, diff->left_out.names[i]);
    json_end_array(json);
    json_member_u64(json, "registers_left_out_count", diff->left_out.count);
}

static void put_lane(struct json *json, const char *key, const struct command *command,
                     uint64_t lane)
{
    json_key(json, key);
    if (lane == TRAWL_NONE) {
        json_text(json, NULL);
        return;
    }
    json_begin_object(json);
    json_member_u64(json, "number", lane);
    json_member_text(json, "name", query_lane_name(command, lane));
    json_end_object(json);
}

static enum status put_side(struct diff *diff, const struct lane_region *region, int side,
                            struct json *json, struct error *err)
{
    struct command *command = diff_side(diff, side);
    struct trawl_event about;
    const char *function;
    enum status status;
    json_key(json, side ? "b" : "a");
    if (!find_event(diff, region, side, &about, &function, &status, err)) {
        json_text(json, NULL);
        return status;
    }
    json_begin_object(json);
    json_member_u64(json, "event", about.event);
    if (about.line)
        json_member_u64(json, "line", about.line);
    if (session_can(&command->session, TRACE_TIMES))
        json_member_u64(json, "time", about.time);
    json_member_address(json, "pc",
                        names_address(&command->session.names, about.pc) & ~UINT64_C(1));
    json_member_text(json, "function", function);
    if (command->context.is_open)
        json_member_text(json, "context",
                         trace_context_text(&command->context, json->out,
                                            &(struct line_place){about.line, about.position}));
    json_end_object(json);
    return STATUS_OK;
}

static enum status put_first(struct diff *diff, struct json *json, struct error *err)
{
    json_key(json, "first");
    if (!diff->regions.count) {
        json_text(json, NULL);
        return STATUS_OK;
    }
    const struct diff_region *region = &diff->regions.items[diff->first];
    json_begin_object(json);
    json_member_text(json, "what", kind_of(&region->found));
    enum status status = put_side(diff, &region->found, 0, json, err);
    if (status == STATUS_OK)
        status = put_side(diff, &region->found, 1, json, err);
    json_end_object(json);
    return status;
}

static enum status write_json(struct diff *diff, struct error *err)
{
    struct json json;
    json_begin(&json, &diff->common.out, 2);
    json_begin_object(&json);
    put_traces(diff, &json);
    put_compared(diff, &json);
    json_member_bool(&json, "equal", diff_is_equal(diff));
    json_member_text(&json, "units", diff->unit->many);
    json_member_u64(&json, "same", diff->same);
    json_member_u64(&json, "changed", diff->changed);
    json_member_u64(&json, "only_a", diff->only[0]);
    json_member_u64(&json, "only_b", diff->only[1]);
    json_member_u64(&json, "region_count", diff->region_count);
    json_key(&json, "lanes");
    json_begin_array(&json);
    for (size_t i = 0; i < diff->pairs.count; i++) {
        const struct diff_pair *pair = &diff->pairs.items[i];
        json_begin_object(&json);
        put_lane(&json, "a", &diff->common, pair->lanes[0]);
        put_lane(&json, "b", &diff->other, pair->lanes[1]);
        json_member_u64(&json, "same", pair->same);
        json_member_u64(&json, "changed", pair->changed);
        json_member_u64(&json, "only_a", pair->only[0]);
        json_member_u64(&json, "only_b", pair->only[1]);
        json_member_u64(&json, "region_count", pair->regions);
        json_end_object(&json);
    }
    json_end_array(&json);
    enum status status = put_first(diff, &json, err);
    if (status != STATUS_OK)
        return status;
    json_key(&json, "regions");
    status = put_regions(diff, &json, err);
    json_end_object(&json);
    json_end(&json);
    return status;
}

enum status diff_write(struct diff *diff, struct error *err)
{
    switch (diff->common.table_format) {
    case TABLE_TEXT:
        return write_text(diff, err);
    case TABLE_JSON:
        return write_json(diff, err);
    default:
        return put_regions(diff, NULL, err);
    }
}
