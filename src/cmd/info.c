// info: what a trace and its index hold.
#include "analysis/function_counts.h"
#include "cmd/commands.h"
#include "cmd/index_sizes.h"
#include "cmd/kind_reports.h"
#include "cmd/option_kinds.h"
#include "cmd/query.h"
#include "cmd/query_run.h"
#include "cmd/trace_open.h"

enum { OPTION_FUNCTIONS = QUERY_OPTION_OWN, OPTION_SIZES };

struct info {
    struct query query;
    bool lists_functions, lists_sizes;
    struct function_counts functions;
    struct index_sizes sizes;
    struct out *out;
    struct json json;
    bool is_json;
};

// --- What there is -------------------------------------------------------------------------------

// First and last time of all lanes; false: there are no events. Times of a lane only rise.
static enum status time_span(const struct index_view *view, uint64_t *first, uint64_t *last,
                             struct error *err)
{
    struct trawl_error from;
    *first = UINT64_MAX;
    *last = 0;
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        uint64_t events = view->lanes[lane].events;
        const uint64_t ends[] = {0, events - 1};
        for (size_t i = 0; i < ARRAY_COUNT(ends) && events; i++) {
            struct trawl_event about;
            uint64_t event;
            enum trawl_status status =
                trawl_event_of_lane(view->index, lane, ends[i], &event, &from);
            if (status == TRAWL_OK)
                status = trawl_event(view->index, event, &about, &from);
            if (status != TRAWL_OK)
                return index_view_status(status, &from, err);
            *first = u64_min(*first, about.time);
            *last = u64_max(*last, about.time);
        }
    }
    return STATUS_OK;
}

struct totals {
    uint64_t instructions, calls, first_time, last_time;
};

static enum status add_up(const struct index_view *view, struct totals *totals, struct error *err)
{
    *totals = (struct totals){0};
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        totals->instructions += view->lanes[lane].instructions;
        totals->calls += view->lanes[lane].calls;
    }
    return time_span(view, &totals->first_time, &totals->last_time, err);
}

// --- Lines and members ---------------------------------------------------------------------------

enum { LABEL_WIDTH = 18 };

static void put_label(struct info *info, const char *label)
{
    out_text(info->out, label);
    out_pad(info->out, LABEL_WIDTH - strlen(label));
}

static void put_u64(struct info *info, const char *label, const char *key, uint64_t value)
{
    if (info->is_json) {
        json_key(&info->json, key);
        json_u64(&info->json, value);
        return;
    }
    put_label(info, label);
    out_u64(info->out, value);
    out_byte(info->out, '\n');
}

static void put_text(struct info *info, const char *label, const char *key, const char *value)
{
    if (info->is_json) {
        json_key(&info->json, key);
        json_text(&info->json, value);
        return;
    }
    put_label(info, label);
    out_text(info->out, value);
    out_byte(info->out, '\n');
}

// Six digits behind the point in JSON, `decimals` in text.
static void put_ratio(struct info *info, const char *label, const char *key, uint64_t part,
                      uint64_t whole, unsigned decimals)
{
    if (info->is_json) {
        json_key(&info->json, key);
        json_share(&info->json, part, whole);
        return;
    }
    put_label(info, label);
    out_ratio(info->out, part, whole, decimals);
    out_byte(info->out, '\n');
}

static void begin_part(struct info *info, const char *key)
{
    if (!info->is_json)
        return;
    json_key(&info->json, key);
    json_begin_object(&info->json);
}

static void end_part(struct info *info)
{
    if (info->is_json)
        json_end_object(&info->json);
    else
        out_byte(info->out, '\n');
}

static void put_trace(struct info *info, const struct totals *totals)
{
    const struct trawl_info *about = &info->query.common.session.view.info;
    begin_part(info, "trace");
    put_text(info, "trace", "path", info->query.common.session.path);
    put_u64(info, "bytes", "bytes", about->trace_bytes);
    put_u64(info, "lines", "lines", about->lines);
    put_u64(info, "events", "events", about->events);
    put_u64(info, "instructions", "instructions", totals->instructions);
    put_u64(info, "calls", "calls", totals->calls);
    if (about->events) {
        put_u64(info, "first time", "first_time", totals->first_time);
        put_u64(info, "last time", "last_time", totals->last_time);
    }
    put_u64(info, "damaged lines", "damaged_lines", about->damaged_lines);
    put_u64(info, "damaged bytes", "damaged_bytes", about->damaged_bytes);
    end_part(info);
}

static void put_index(struct info *info, const struct totals *totals)
{
    const struct trawl_info *about = &info->query.common.session.view.info;
    bool is_ttu = about->options & TRAWL_READ_AS_TTU;
    bool is_big = about->options & TRAWL_BIG_ENDIAN;
    begin_part(info, "index");
    put_text(info, "index", "path", info->query.common.session.view_path);
    put_u64(info, "bytes", "bytes", about->index_bytes);
    put_ratio(info, "of the trace", "ratio", about->index_bytes, about->trace_bytes, 4);
    put_ratio(info, "per instruction", "bytes_per_instruction", about->index_bytes,
              totals->instructions, 2);
    put_u64(info, "segments", "segments", about->segments);
    put_u64(info, "events in each", "segment_events", about->segment_events);
    put_text(info, "reading", "reading", is_ttu ? "Tarmac Trace Utilities" : "trawl");
    put_text(info, "byte order", "byte_order", is_big ? "big" : "little");
    end_part(info);
}

static const struct column lane_columns[] = {
    {"Core", "lane", COLUMN_TEXT},
    {"Events", "events", COLUMN_U64},
    {"Instructions", "instructions", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Dropped", "dropped", COLUMN_U64},
    {"Unreturned", "unreturned", COLUMN_U64},
};

static void put_lanes(struct info *info, struct table *table)
{
    const struct index_view *view = &info->query.common.session.view;
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        const struct trawl_lane *lane = &view->lanes[i];
        table_text(table, *lane->name ? lane->name : NULL);
        table_u64(table, lane->events);
        table_u64(table, lane->instructions);
        table_u64(table, lane->calls);
        table_u64(table, lane->calls_dropped);
        table_u64(table, lane->calls_unreturned);
    }
}

static void put_lanes_json(struct info *info)
{
    const struct index_view *view = &info->query.common.session.view;
    json_key(&info->json, "lanes");
    json_begin_array(&info->json);
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        const struct trawl_lane *lane = &view->lanes[i];
        json_begin_object(&info->json);
        put_text(info, "", "lane", *lane->name ? lane->name : NULL);
        put_u64(info, "", "events", lane->events);
        put_u64(info, "", "instructions", lane->instructions);
        put_u64(info, "", "calls", lane->calls);
        put_u64(info, "", "dropped", lane->calls_dropped);
        put_u64(info, "", "unreturned", lane->calls_unreturned);
        json_end_object(&info->json);
    }
    json_end_array(&info->json);
}

// --- Sizes ---------------------------------------------------------------------------------------

static void put_sizes(struct info *info, struct table *table)
{
    index_sizes_put(&info->sizes, table);
}

static void put_sizes_json(struct info *info)
{
    json_key(&info->json, "sizes");
    json_begin_array(&info->json);
    for (size_t i = 0; i < info->sizes.count; i++) {
        json_begin_object(&info->json);
        put_text(info, "", "part", info->sizes.parts[i].name);
        put_u64(info, "", "bytes", info->sizes.parts[i].bytes);
        json_end_object(&info->json);
    }
    json_end_array(&info->json);
}

// --- Functions -----------------------------------------------------------------------------------

static const struct column function_columns[] = {
    {"Address", "address", COLUMN_ADDRESS},
    {"Calls", "calls", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_functions(struct info *info, struct table *table)
{
    for (size_t i = 0; i < info->functions.count; i++) {
        const struct function_count *function = &info->functions.slots[i];
        table_address(table, function->pc);
        table_u64(table, function->calls);
        table_text(table, query_name(&info->query, function->pc));
    }
}

static void put_functions_json(struct info *info)
{
    struct json *json = &info->json;
    json_key(json, "functions");
    json_begin_array(json);
    for (size_t i = 0; i < info->functions.count; i++) {
        const struct function_count *function = &info->functions.slots[i];
        json_begin_object(json);
        json_key(json, "address");
        json_address(json, function->pc);
        put_u64(info, "", "calls", function->calls);
        put_text(info, "", "function", query_name(&info->query, function->pc));
        json_end_object(json);
    }
    json_end_array(json);
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_table(struct info *info, const struct column *columns, size_t column_count,
                             void (*put)(struct info *info, struct table *table), struct error *err)
{
    struct table table;
    enum status status = table_begin(&table, info->out, TABLE_TEXT, columns, column_count, err);
    if (status != STATUS_OK)
        return status;
    put(info, &table);
    table_end(&table);
    return STATUS_OK;
}

static enum status put_all(struct info *info, const struct totals *totals, struct error *err)
{
    put_trace(info, totals);
    put_index(info, totals);
    enum status status = put_table(info, lane_columns, ARRAY_COUNT(lane_columns), put_lanes, err);
    if (status == STATUS_OK && info->lists_sizes) {
        out_byte(info->out, '\n');
        status = put_table(info, index_size_columns, INDEX_SIZE_COLUMNS, put_sizes, err);
    }
    if (status == STATUS_OK && info->lists_functions) {
        out_byte(info->out, '\n');
        status =
            put_table(info, function_columns, ARRAY_COUNT(function_columns), put_functions, err);
    }
    return status;
}

static void put_all_json(struct info *info, const struct totals *totals)
{
    json_begin(&info->json, info->out, 2);
    json_begin_object(&info->json);
    put_trace(info, totals);
    put_index(info, totals);
    put_lanes_json(info);
    if (info->lists_sizes)
        put_sizes_json(info);
    if (info->lists_functions)
        put_functions_json(info);
    json_end_object(&info->json);
    json_end(&info->json);
}

static enum status take_functions(struct info *info, struct error *err)
{
    function_counts_free(&info->functions); // of an index that proved to be damaged
    return function_counts_take(&info->functions, &info->query.common.session.view, err);
}

// Gathers what was asked for before anything is written.
static enum status gather(struct info *info, struct totals *totals, struct error *err)
{
    const struct index_view *view = &info->query.common.session.view;
    enum status status = add_up(view, totals, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = index_sizes_read(&info->sizes, view->index, err);
    if (status == STATUS_OK && info->lists_functions)
        status = take_functions(info, err);
    return status;
}

static enum exit_status report(void *self)
{
    struct info *info = self;
    struct out out;
    struct error err;
    struct totals totals;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(&info->query.common, &out, &status))
        return status;
    info->out = &out;
    info->is_json = info->query.common.table_format == TABLE_JSON;
    enum status result = gather(info, &totals, &err);
    if (result == STATUS_OK && info->is_json)
        put_all_json(info, &totals);
    else if (result == STATUS_OK)
        result = put_all(info, &totals, &err);
    return query_end(&info->query, &out, result, &err);
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct info *info = self;
    (void)parser, (void)match;
    *(option == OPTION_SIZES ? &info->lists_sizes : &info->lists_functions) = true;
    return OPTION_END;
}

static bool take_all(struct info *info, struct options_parser *parser, int argc, char *const *argv)
{
    const struct trace_command_own own = {info, take};
    return query_options(&info->query, parser, argc, argv, &own) &&
           query_refuse_csv(&info->query, parser);
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct info info = {0};
    struct options_parser parser;
    static const struct option_kinds needed_abilities[] = {
        {OPTION_FUNCTIONS, TRACE_CALLS, 0},
        {OPTION_SIZES, TRACE_CALLS, 0},
        {OPTION_NO_OFFSETS, TRACE_ADDRESSES,
         TRACE_SNAPSHOTS},                  // of tracepoints the address stands beside the name
        {OPTION_INDEX, 0, TRACE_SNAPSHOTS}, // of which the file itself tells
        {OPTION_FORCE_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_ONLY_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_NO_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_MEMORY_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_SEGMENT_EVENTS, 0, TRACE_SNAPSHOTS},
        {0},
    };
    query_begin(&info.query, self);
    info.query.common.own_options = needed_abilities;
    enum exit_status status;
    if (!take_all(&info, &parser, argc, argv))
        status = parser.status;
    else if (!trace_command_detect(&info.query.common, &status))
        ; // told already
    else if (kind_reports_of(&info.query.common)->info)
        status = kind_reports_of(&info.query.common)
                     ->info(&info.query.common, info.lists_functions, info.lists_sizes);
    else
        status = query_run(&info.query, report, &info);
    function_counts_free(&info.functions);
    query_free(&info.query);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FUNCTIONS, 0, "functions", NULL, "list every function with its calls"},
    {OPTION_SIZES, 0, "sizes", NULL, "list what the index spends its bytes on"},
    {OPTION_FORMAT, 0, "format", "FORMAT", "table (default) or json"},
    {0},
};

const struct command_spec info_command = {
    .name = "info",
    .manner = MANNER_TRAWL,
    .summary = "what a trace and its index hold",
    .description = "Shows the size of the trace in every sense, its cores, what of it could not be "
                   "read, and what the index takes.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", query_trace_options},
                                            {"how to run", query_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples = "trawl info run.tarmac\n"
                "trawl info --image prog.elf --functions run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
