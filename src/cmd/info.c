// info: the contents of a trace and its index.
#include "base/error.h"
#include "cli/visible.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "flow/profile.h"
#include "idx/trawl.h"
#include "report/items.h"
#include "report/table.h"
#include "session/session_index.h"
#include "trace/index_view.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

// --- How often each function was entered ---------------------------------------------------------

struct function_count {
    uint64_t pc; // of the entry, without Thumb bit
    uint64_t calls;
};

// All zero is empty. Fields are for reading.
struct function_counts {
    VEC(, struct function_count) items; // in the order of their addresses
};

// How many functions are requested at once.
enum { BLOCK = 1024 };

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the functions");
}

// Adds all functions that are called.
static enum status add_calls(struct function_counts *counts, const struct index_view *view,
                             struct error *err)
{
    uint64_t pcs[BLOCK], calls[BLOCK], next = 0;
    size_t count;
    do {
        struct trawl_error from;
        enum trawl_status status =
            trawl_functions(view->index, TRAWL_ANY_LANE, next, pcs, calls, BLOCK, &count, &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        if (!VEC_ROOM(&counts->items, count))
            return no_memory(err);
        for (size_t i = 0; i < count; i++)
            counts->items.items[counts->items.count++] = (struct function_count){pcs[i], calls[i]};
        next = count ? pcs[count - 1] + 1 : 0;
    } while (count == BLOCK && next);
    return STATUS_OK;
}

// Adds an entry, in order.
static enum status add(struct function_counts *counts, uint64_t pc, struct error *err)
{
    struct function_count *items = counts->items.items;
    size_t at = 0, count = counts->items.count;
    while (at < count && items[at].pc < pc)
        at++;
    if (at < count && items[at].pc == pc) {
        items[at].calls++;
        return STATUS_OK;
    }
    if (!VEC_ROOM(&counts->items, 1))
        return no_memory(err);
    items = counts->items.items;
    if (at < count)
        memmove(&items[at + 1], &items[at], (count - at) * sizeof *items);
    items[at] = (struct function_count){pc, 1};
    counts->items.count++;
    return STATUS_OK;
}

// Counts the calls of every lane, and the outermost function of each once.
static enum status function_counts_take(struct function_counts *counts,
                                        const struct index_view *view, struct error *err)
{
    *counts = (struct function_counts){0};
    enum status status = add_calls(counts, view, err);
    for (uint64_t lane = 0; lane < view->info.lanes && status == STATUS_OK; lane++) {
        struct trawl_event root;
        if (view->lanes[lane].root == TRAWL_NONE)
            continue;
        status = index_view_event_of_lane(view, lane, view->lanes[lane].root, &root, err);
        if (status == STATUS_OK)
            status = add(counts, root.pc & ~UINT64_C(1), err);
    }
    return status;
}

static void function_counts_free(struct function_counts *counts)
{
    free(counts->items.items);
    *counts = (struct function_counts){0};
}

enum { INDEX_SIZES_MAX = 64, INDEX_SIZE_COLUMNS = 3 }; // idx/trawl.h guarantees fewer sizes

struct index_sizes {
    struct trawl_size parts[INDEX_SIZES_MAX];
    size_t count;
    uint64_t index_bytes;
};

#define INFO_LABEL_WIDTH 18

// --- Parts of an index ---------------------------------------------------------------------------

static enum status index_sizes_read(struct index_sizes *sizes, struct trawl_index *index,
                                    struct error *err)
{
    struct trawl_error from;
    struct trawl_info about;
    enum trawl_status status =
        trawl_sizes(index, sizes->parts, INDEX_SIZES_MAX, &sizes->count, &from);
    sizes->count = (size_t)u64_min(sizes->count, INDEX_SIZES_MAX);
    trawl_info(index, &about);
    sizes->index_bytes = about.index_bytes;
    return index_status(status, &from, err);
}

// The table: its columns, and its rows from a struct index_sizes.
static const struct table_column index_size_columns[INDEX_SIZE_COLUMNS] = {
    {"Bytes", "bytes", COLUMN_U64},
    {"Share", "share", COLUMN_SHARE},
    {"Part of the index", "part", COLUMN_TEXT},
};

static void index_sizes_put(void *self, struct table *table)
{
    const struct index_sizes *sizes = self;
    for (size_t i = 0; i < sizes->count; i++) {
        table_u64(table, sizes->parts[i].bytes);
        table_share(table, sizes->parts[i].bytes, sizes->index_bytes);
        table_text(table, sizes->parts[i].name);
    }
}

// --- Traces that their kind describes ------------------------------------------------------------

struct described {
    struct command *command;
    const struct trace_description *description;
    bool lists_functions, lists_sizes;
    struct profile profile; // of the functions
    struct index_sizes sizes;
    struct items items;
};

static void put_described_index(struct described *info)
{
    struct items *items = &info->items;
    const struct trace_description *description = info->description;
    struct trawl_info about;
    char of[32], per[32], in_each[32];
    const struct session *session = &info->command->session;
    if (!session->view.index)
        return;
    snprintf(of, sizeof of, "part of the %s", description->noun);
    snprintf(per, sizeof per, "bytes/%s", description->event_noun);
    snprintf(in_each, sizeof in_each, "%ss in each", description->event_noun);
    trawl_info(session->view.index, &about);
    items_begin_part(items, "index");
    items_text(items, "index", "path", session->view_path);
    items_u64(items, "bytes", "bytes", about.index_bytes);
    items_ratio(items, of, "ratio", about.index_bytes, about.trace_bytes, 4);
    items_ratio(items, per, "bytes_per_event", about.index_bytes, about.events, 2);
    items_u64(items, "segments", "segments", about.segments);
    items_u64(items, in_each, "segment_events", about.segment_events);
    if (description->put_index)
        description->put_index(&about, items);
    items_end_part(items);
}

static enum status put_sizes(struct described *info, struct error *err)
{
    struct trawl_index *index = info->command->session.view.index;
    if (!index) {
        diag_warning(
            &info->command->diag,
            "%s: has no index that fits, so its sizes are unknown; 'trawl index' builds one",
            info->command->session.path);
        return STATUS_OK;
    }
    enum status status = index_sizes_read(&info->sizes, index, err);
    if (status != STATUS_OK)
        return status;
    return items_table(&info->items, "sizes", index_size_columns, INDEX_SIZE_COLUMNS,
                       index_sizes_put, &info->sizes, err);
}

static const struct table_column called_columns[] = {
    {"Id", "function_id", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_called(void *self, struct table *table)
{
    struct described *info = self;
    for (size_t i = 0; i < info->profile.rows.count; i++) {
        const struct profile_row *row = &info->profile.rows.items[i];
        if (row->pc == FUNCTION_PC_OUTSIDE)
            continue;
        table_u64(table, function_id(row->pc));
        table_u64(table, row->count);
        table_text(table, names_of(&info->command->session.names, row->pc));
    }
}

static const char *name_of(void *self, uint64_t pc)
{
    const char *name = names_of(self, pc);
    return *name ? name : NULL;
}

static enum status put_described(struct described *info, struct error *err)
{
    struct session *session = &info->command->session;
    struct items *items = &info->items;
    const struct trace_namer namer = {&session->names, name_of};
    items_text(items, "trace", "path", session->path);
    info->description->put(session->trace, &session->result, items);
    put_described_index(info);
    enum status status =
        info->description->put_tables(session->trace, &session->result, &namer, items, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = put_sizes(info, err);
    if (status == STATUS_OK && info->lists_functions)
        status = items_table(items, "functions", called_columns, ARRAY_COUNT(called_columns),
                             put_called, info, err);
    if (status == STATUS_OK)
        items_end(items);
    return status;
}

// Makes a pass over the trace or its index, if it has calls.
static bool report_described(struct command *command, bool lists_functions, bool lists_sizes)
{
    struct described info = {.command = command,
                             .description = command->session.trace->kind->telling.description,
                             .lists_functions = lists_functions,
                             .lists_sizes = lists_sizes};
    struct error err;
    bool is_done = true;
    if (session_can(&command->session, TRACE_CALLS))
        is_done = (lists_functions ? command_profile(command, &info.profile)
                                   : command_pass(command, NULL, NULL)) &&
                  (session_index(&command->session, INDEX_FOR_DESCRIPTION, &err) == STATUS_OK ||
                   command_fail(command, &err));
    is_done = is_done && command_output(command);
    if (is_done) {
        items_begin(&info.items, &command->out, command->table_format == TABLE_JSON,
                    INFO_LABEL_WIDTH);
        is_done = put_described(&info, &err) == STATUS_OK || command_fail(command, &err);
    }
    profile_free(&info.profile);
    return is_done;
}

// --- Traces with an index ------------------------------------------------------------------------

enum { OPTION_FUNCTIONS = OPTION_OWN, OPTION_SIZES };

struct info {
    struct command common;
    bool lists_functions, lists_sizes;
    struct function_counts functions;
    struct index_sizes sizes;
    struct items items;
};

// --- Totals --------------------------------------------------------------------------------------

// The first and last time of all lanes. Times ascend within a lane.
static enum status time_span(const struct index_view *view, uint64_t *first, uint64_t *last,
                             struct error *err)
{
    *first = UINT64_MAX;
    *last = 0;
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        uint64_t events = view->lanes[lane].events;
        const uint64_t ends[] = {0, events - 1};
        for (size_t i = 0; i < ARRAY_COUNT(ends) && events; i++) {
            struct trawl_event about;
            enum status status = index_view_event_of_lane(view, lane, ends[i], &about, err);
            if (status != STATUS_OK)
                return status;
            *first = u64_min(*first, about.time);
            *last = u64_max(*last, about.time);
        }
    }
    return STATUS_OK;
}

struct totals {
    uint64_t instructions, calls, first_time, last_time;
    uint64_t symbols, source_lines; // of images
};

static enum status count_of_images(struct trawl_index *index, struct totals *totals,
                                   struct error *err)
{
    struct trawl_error from;
    enum status status =
        index_status(trawl_symbol_count(index, &totals->symbols, &from), &from, err);
    if (status != STATUS_OK)
        return status;
    return index_status(trawl_line_count(index, &totals->source_lines, &from), &from, err);
}

static enum status add_up(const struct index_view *view, struct totals *totals, struct error *err)
{
    *totals = (struct totals){0};
    for (uint64_t lane = 0; lane < view->info.lanes; lane++) {
        totals->instructions += view->lanes[lane].instructions;
        totals->calls += view->lanes[lane].calls;
    }
    enum status status = count_of_images(view->index, totals, err);
    if (status != STATUS_OK)
        return status;
    return time_span(view, &totals->first_time, &totals->last_time, err);
}

// --- Trace and index -----------------------------------------------------------------------------

static void put_trace(struct info *info, const struct totals *totals)
{
    const struct trawl_info *about = &query_view(&info->common)->info;
    struct items *items = &info->items;
    items_begin_part(items, "trace");
    items_text(items, "trace", "path", info->common.session.path);
    items_u64(items, "bytes", "bytes", about->trace_bytes);
    items_u64(items, "lines", "lines", about->lines);
    items_u64(items, "events", "events", about->events);
    items_u64(items, "instructions", "instructions", totals->instructions);
    items_u64(items, "calls", "calls", totals->calls);
    if (about->events) {
        items_text(items, "unit of times", "time_unit", index_tick_unit(about));
        items_u64(items, "first time", "first_time", totals->first_time);
        items_u64(items, "last time", "last_time", totals->last_time);
    }
    items_u64(items, "damaged lines", "damaged_lines", about->damaged_lines);
    items_u64(items, "damaged bytes", "damaged_bytes", about->damaged_bytes);
    items_end_part(items);
}

// --- Lanes and functions -------------------------------------------------------------------------

static const struct table_column lane_columns[] = {
    {"Core", "lane", COLUMN_TEXT},
    {"Events", "events", COLUMN_U64},
    {"Instructions", "instructions", COLUMN_U64},
    {"Calls", "calls", COLUMN_U64},
    {"Dropped", "dropped", COLUMN_U64},
    {"Unreturned", "unreturned", COLUMN_U64},
};

static void put_lanes(void *self, struct table *table)
{
    const struct info *info = self;
    const struct index_view *view = query_view(&info->common);
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

static const struct table_column function_columns[] = {
    {"Address", "address", COLUMN_ADDRESS},
    {"Calls", "calls", COLUMN_U64},
    {"Function", "function", COLUMN_TEXT},
};

static void put_functions(void *self, struct table *table)
{
    struct info *info = self;
    for (size_t i = 0; i < info->functions.items.count; i++) {
        const struct function_count *function = &info->functions.items.items[i];
        table_address(table, function->pc);
        table_u64(table, function->calls);
        table_text(table, query_name(&info->common, function->pc));
    }
}

// --- The files of a trace that is several ------------------------------------------------------

static const struct table_column file_columns[] = {
    {"File", "file", COLUMN_TEXT},
    {"Bytes", "bytes", COLUMN_U64},
    {"Compressed", "packed_by", COLUMN_TEXT},
    {"From line", "line", COLUMN_U64},
    {"From byte", "position", COLUMN_U64},
};

static const struct table_column merged_columns[] = {
    {"File", "file", COLUMN_TEXT},
    {"Bytes", "bytes", COLUMN_U64},
    {"Compressed", "packed_by", COLUMN_TEXT},
    {"Core", "lane", COLUMN_TEXT},
};

static void put_files(void *self, struct table *table)
{
    const struct source *source = self;
    bool is_merged = source_file(source, 0).core;
    for (size_t i = 0; i < source_file_count(source); i++) {
        const struct source_file file = source_file(source, i);
        table_text(table, file.path);
        table_u64(table, file.file_bytes);
        table_text(table, file.packed_by);
        if (is_merged) {
            table_text(table, file.core);
            continue;
        }
        table_u64(table, file.lines_before + 1);
        table_u64(table, file.first_byte);
    }
}

static enum status put_table_of_files(struct info *info, struct error *err)
{
    const struct trace *trace = info->common.session.trace;
    if (!trace || !source_has_files(trace->source))
        return STATUS_OK;
    bool is_merged = source_file(trace->source, 0).core;
    enum status status = source_find_files(trace->source, err);
    if (status != STATUS_OK)
        return status;
    return items_table(&info->items, "files", is_merged ? merged_columns : file_columns,
                       is_merged ? ARRAY_COUNT(merged_columns) : ARRAY_COUNT(file_columns),
                       put_files, trace->source, err);
}

// --- The report ----------------------------------------------------------------------------------

static enum status put_all(struct info *info, const struct totals *totals, struct error *err)
{
    struct items *items = &info->items;
    put_trace(info, totals);
    const struct trawl_info *about = &query_view(&info->common)->info;
    bool is_ttu = about->options & TRAWL_READ_AS_TTU;
    bool is_big = about->options & TRAWL_BIG_ENDIAN;
    items_begin_part(items, "index");
    items_text(items, "index", "path", info->common.session.view_path);
    items_u64(items, "bytes", "bytes", about->index_bytes);
    items_ratio(items, "part of the trace", "ratio", about->index_bytes, about->trace_bytes, 4);
    items_ratio(items, "bytes/instruction", "bytes_per_instruction", about->index_bytes,
                totals->instructions, 2);
    items_u64(items, "segments", "segments", about->segments);
    items_u64(items, "events in each", "segment_events", about->segment_events);
    items_text(items, "reading", "reading", is_ttu ? "Tarmac Trace Utilities" : "trawl");
    items_text(items, "byte order", "byte_order", is_big ? "big" : "little");
    if (totals->symbols) // of images, if it stores any
        items_u64(items, "symbols", "symbols", totals->symbols);
    if (totals->source_lines)
        items_u64(items, "source lines", "source_lines", totals->source_lines);
    items_end_part(items);
    enum status status = put_table_of_files(info, err);
    if (status == STATUS_OK)
        status = items_table(items, "lanes", lane_columns, ARRAY_COUNT(lane_columns), put_lanes,
                             info, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = items_table(items, "sizes", index_size_columns, INDEX_SIZE_COLUMNS,
                             index_sizes_put, &info->sizes, err);
    if (status == STATUS_OK && info->lists_functions)
        status = items_table(items, "functions", function_columns, ARRAY_COUNT(function_columns),
                             put_functions, info, err);
    if (status == STATUS_OK)
        items_end(items);
    return status;
}

// Gathers what was requested before anything is written.
static enum status gather(struct info *info, struct totals *totals, struct error *err)
{
    const struct index_view *view = query_view(&info->common);
    enum status status = add_up(view, totals, err);
    if (status == STATUS_OK && info->lists_sizes)
        status = index_sizes_read(&info->sizes, view->index, err);
    if (status != STATUS_OK || !info->lists_functions)
        return status;
    function_counts_free(&info->functions); // of an index that turned out to be damaged
    return function_counts_take(&info->functions, view, err);
}

static bool report(void *self)
{
    struct info *info = self;
    struct command *command = &info->common;
    struct error err;
    struct totals totals;
    if (!command->asks_index)
        return report_described(command, info->lists_functions, info->lists_sizes);
    if (!command_output(command))
        return false;
    items_begin(&info->items, &command->out, command->table_format == TABLE_JSON, INFO_LABEL_WIDTH);
    enum status result = gather(info, &totals, &err);
    if (result == STATUS_OK)
        result = put_all(info, &totals, &err);
    return result == STATUS_OK || command_fail(command, &err);
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

static bool check(void *self, struct options_parser *parser)
{
    struct command *command = self; // the first member
    if (!query_refuse_csv(command, parser))
        return false;
    if (!command_detect(command)) {
        parser->status = command->status;
        return false;
    }
    const struct trace *trace = command->session.trace;
    command->asks_index = !trace || !trace->kind->telling.description;
    if (!command->asks_index && session_can(&command->session, TRACE_SNAPSHOTS))
        command->no_offsets = true; // the address is next to the function
    return true;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct info info = {0};
    static const struct option_need option_needs[] = {
        {OPTION_FUNCTIONS, TRACE_CALLS, 0},
        {OPTION_SIZES, TRACE_CALLS, 0},
        {OPTION_NO_OFFSETS, TRACE_ADDRESSES,
         TRACE_SNAPSHOTS},                  // for tracepoints, the address is next to the name
        {OPTION_INDEX, 0, TRACE_SNAPSHOTS}, // the file itself has this information
        {OPTION_FORCE_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_ONLY_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_NO_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_MEMORY_INDEX, 0, TRACE_SNAPSHOTS},
        {OPTION_SEGMENT_EVENTS, 0, TRACE_SNAPSHOTS},
        {0},
    };
    command_begin(&info.common, self);
    info.common.own_options = option_needs;
    enum exit_status status =
        command_run(&info.common, argc, argv, &(struct command_steps){&info, take, check, report});
    function_counts_free(&info.functions);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FUNCTIONS, 0, "functions", NULL, "list every function with its calls"},
    {OPTION_SIZES, 0, "sizes", NULL, "list how many bytes each part of the index has"},
    {ROW_FORMAT_WITHOUT_CSV},
    {0},
};

const struct command_spec info_command = {
    .name = "info",
    .option_set = OPTIONS_TRAWL,
    .describe_input = trace_inputs_describe,
    .summary = "what a trace and its index contain",
    .description =
        "Shows how large the trace is (bytes, lines, events, time), which cores it has, what "
        "could not be read, and how large the index is.",
    .common = &trace_common_options,
    .groups = QUERY_OPTION_GROUPS(own_options),
    .positionals = query_positional,
    .examples = "trawl info run.tarmac\n"
                "trawl info --image prog.elf --functions run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
