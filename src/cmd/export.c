// export: calls and tables for other programs.
#include "cmd/export.h"
#include "cmd/driver.h"

#include "base/fingerprint.h"
#include "base/limits.h"
#include "cli/values.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/contexts.h"
#include "cmd/option_rows.h"
#include "export/call_writers.h"
#include "flow/long_calls.h"
#include "session/shown.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct export_parquet_options {
    const char *partition; // NULL: by the name of the trace
    bool is_plain;         // its pages are not compressed
};

// --- Directories of Parquet files ----------------------------------------------------------------

#define RUN_BYTES 64

// The identity of a run, independent of the place of its trace, and the time of the trace. Both are
// unknown for a pipe.
static enum status identify(const struct command *command, struct parquet_options *options,
                            char run[RUN_BYTES], struct error *err)
{
    struct fingerprint fingerprint;
    const struct trace *trace = command->session.trace;
    if (!trace || source_fd(trace->source) < 0)
        return STATUS_OK;
    enum status status = source_fingerprint(trace->source, &fingerprint, err);
    if (status != STATUS_OK)
        return status;
    snprintf(run, RUN_BYTES, "%" PRIx64 "-%016" PRIx64 "%016" PRIx64, fingerprint.size_bytes,
             fingerprint.sample.high, fingerprint.sample.low);
    options->run = run;
    options->has_time = true;
    options->time_us = fingerprint.mtime_ns / 1000;
    return STATUS_OK;
}

// Opens the table in command->output to which the report is added (command->open_parquet).
static enum status export_parquet_open(struct command *command, const char *table,
                                       const struct export_parquet_options *wanted,
                                       struct error *err)
{
    const char *path = command->session.path, *slash = strrchr(path, '/');
    char run[RUN_BYTES];
    bool is_pipe = strcmp(path, "-") == 0;
    char *whole = is_pipe || wanted->partition ? NULL : realpath(path, NULL);
    if (!whole && !is_pipe && !wanted->partition && errno == ENOMEM)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    struct parquet_options options = {
        .directory = command->output,
        .name = wanted->partition   ? wanted->partition
                : is_pipe           ? "stdin"
                : slash && slash[1] ? slash + 1
                                    : path,
        .table = table,
        .owner = whole ? whole : "",
        .codec = wanted->is_plain || !zstd_pack_is_there() ? PARQUET_PLAIN_PAGES : PARQUET_ZSTD,
        .threads = command->session.threads,
        .memory_bytes = command->diag.memory_bytes,
    };
    enum status status = identify(command, &options, run, err);
    if (status == STATUS_OK && !(command->parquet = parquet_new(&options, err)))
        status = err->status;
    free(whole);
    return status;
}

struct format;

struct export_command {
    struct command common;
    struct export_tfile_options tfile;
    const char *tfile_option; // one of these was given
    const struct format *format;
    int table;
    const char *table_name;
    struct export_parquet_options parquet;
    const char *parquet_option; // one of these was given
    bool has_values;            // --values
    struct counter_texts counters;
    struct {
        const char *typed;  // --min-duration; NULL: not given
        uint64_t ticks, ns; // it, either
        uint64_t top;       // 0: not given
    } longest;
};

// The export command of a trace command.
static struct export_command *export_of(struct command *command)
{
    return (struct export_command *)(void *)command; // query.common is its first member
}

// --- Long calls ----------------------------------------------------------------------------------

static bool wants_long(const struct export_command *export)
{
    return export->longest.typed || export->longest.top;
}

// The lengths that --min-duration and --top choose; for the latter, the trace is read once before.
static bool find_lengths(struct export_command *export, struct call_lengths *lengths)
{
    struct command *command = &export->common;
    if (!command_ensure_open(command))
        return false;
    uint64_t ticks = export->longest.ticks;
    uint64_t hz = trace_frequency_hz(command->session.trace);
    if (export->longest.ns && !hz)
        return command_fail_with(
            command, STATUS_INPUT,
            "--min-duration '%.80s': how long a tick of this trace lasts is not known; give ticks, "
            "without a unit",
            export->longest.typed);
    if (export->longest.ns)
        ticks = ticks_from_ns(export->longest.ns, hz);
    *lengths =
        (struct call_lengths){.above = ticks - (ticks > 0), .as_long = ticks ? 0 : UINT64_MAX};
    if (!export->longest.top)
        return true;
    struct longest_calls longest = {.wanted = export->longest.top, .among = *lengths};
    const struct call_sink sink = longest_calls_sink(&longest);
    command->session.needs_trace = true; // it is read twice
    bool is_done = command_stream(command, &sink);
    *lengths = longest_calls_end(&longest);
    session_begin_pass(&command->session);
    command->session.hidden.calls = 0;
    command->session.needs_trace = false;
    return is_done || (longest.lacks_memory && command_no_memory(command));
}

// Says what was left out, or that nothing is left.
static bool say_left_out(struct export_command *export, uint64_t kept, uint64_t dropped,
                         uint64_t events, uint64_t longest)
{
    struct command *command = &export->common;
    const char *path = command->session.path;
    char also[64] = "";
    if (!kept && dropped)
        return command_fail_with(command, STATUS_NOT_FOUND,
                                 "%s: no call is so long (--min-duration %.80s): the longest "
                                 "takes %" PRIu64 " ticks",
                                 path, export->longest.typed, longest);
    if (events)
        snprintf(also, sizeof also, " and %" PRIu64 " event%s in them", events, plural(events));
    if (dropped)
        diag_note(&command->diag,
                  "%s: %" PRIu64 " shorter call%s%s left out (%s), %" PRIu64 " kept", path, dropped,
                  plural(dropped), also,
                  !export->longest.top     ? "--min-duration"
                  : !export->longest.typed ? "--top"
                                           : "--min-duration, --top",
                  kept);
    return true;
}

bool export_stream(struct command *command, const struct call_sink *sink)
{
    struct export_command *export = export_of(command);
    struct long_calls calls = {.sink = sink};
    if (!wants_long(export))
        return command_stream(command, sink);
    if (!find_lengths(export, &calls.lengths))
        return false;
    const struct call_sink filter = long_calls_sink(&calls);
    bool is_done = command_stream(command, &filter);
    if (calls.lacks_memory)
        is_done = command_no_memory(command);
    is_done = is_done &&
              say_left_out(export, calls.kept, calls.dropped, calls.dropped_events, calls.longest);
    long_calls_free(&calls);
    return is_done;
}

static bool export_call_table(struct export_command *export)
{
    struct command *command = &export->common;
    struct long_rows rows = {0};
    struct call_table table = {.has_values = export->has_values};
    if (!wants_long(export))
        return report_call_tree(command, &table);
    table.only = &rows;
    if (!find_lengths(export, &rows.lengths))
        return false;
    rows.least = rows.lengths.above + !rows.lengths.as_long;
    return report_call_tree(command, &table) &&
           say_left_out(export, rows.kept, rows.dropped, 0, rows.longest);
}

// --- Formats of calls ----------------------------------------------------------------------------

bool export_states(struct command *command, const struct state_sink *sink)
{
    struct session *session = &command->session;
    struct error err;
    return !command->shows_tasks || !session->has_kernel ||
           os_states_give(session, sink, &err) == STATUS_OK || command_fail(command, &err);
}

static bool event_span(void *self, uint64_t from, uint64_t until, const char *name)
{
    return trace_events_span(self, from, until, name);
}

static bool perfetto_state(void *self, uint64_t from, uint64_t until, const char *name)
{
    return perfetto_span(self, from, until, name);
}

static bool write_chrome(struct command *command)
{
    struct out *out = &command->out;
    struct session *session = &command->session;
    struct trace_events events;
    trace_events_init(&events, out, &session->names);
    const struct call_sink sink = trace_events_sink(&events);
    const struct state_sink states = {&events, sink.lane, event_span};
    bool is_done = export_stream(command, &sink) && export_states(command, &states);
    trace_events_end(&events);
    return is_done && (!events.lacks_memory || command_no_memory(command));
}

static bool counter_track(void *self, const char *name)
{
    return perfetto_counter(self, name);
}

static bool counter_value(void *self, uint64_t time, uint64_t value, bool is_signed)
{
    return perfetto_value(self, time, value, is_signed);
}

static bool write_perfetto(struct command *command)
{
    struct out *out = &command->out;
    struct session *session = &command->session;
    struct export_command *export = export_of(command);
    struct perfetto perfetto;
    perfetto_init(&perfetto, out, &session->names);
    const struct call_sink sink = perfetto_sink(&perfetto);
    const struct counter_sink counters = {&perfetto, counter_track, counter_value};
    const struct state_sink states = {&perfetto, sink.lane, perfetto_state};
    bool is_done = export_stream(command, &sink) && export_states(command, &states) &&
                   export_counters_give(&export->common, &export->counters, &counters);
    perfetto_end(&perfetto);
    return is_done && (!perfetto.lacks_memory || command_no_memory(command));
}

static bool write_speedscope(struct command *command)
{
    struct out *out = &command->out;
    struct session *session = &command->session;
    struct speedscope speedscope;
    struct source_lines places = {0};
    speedscope_init(&speedscope, out, &session->names, &places, session->path);
    const struct call_sink sink = speedscope_sink(&speedscope);
    bool is_done = export_stream(command, &sink);
    speedscope_end(&speedscope);
    bool lacks_memory = !source_places_end(command, &places) || speedscope.lacks_memory;
    return is_done && (!lacks_memory || command_no_memory(command));
}

static bool write_firefox(struct command *command)
{
    struct out *out = &command->out;
    struct session *session = &command->session;
    struct firefox firefox;
    struct source_lines places = {0};
    firefox_init(&firefox, out, &session->names, &places, session->path);
    const struct call_sink sink = firefox_sink(&firefox);
    bool is_done = export_stream(command, &sink);
    firefox_end(&firefox);
    bool lacks_memory = !source_places_end(command, &places) || firefox.lacks_memory;
    return is_done && (!lacks_memory || command_no_memory(command));
}

// --- Tables --------------------------------------------------------------------------------------

enum { TABLE_OF_CALLS = -1, TABLE_OF_FUNCTIONS = -2, TABLE_OF_INSTANTS = -3 };

static const struct {
    const char *name;
    int kind; // enum event_table_kind
} tables[] = {
    {"calls", TABLE_OF_CALLS},
    {"events", EVENT_TABLE_EVENTS},
    {"registers", EVENT_TABLE_REGISTERS},
    {"memory", EVENT_TABLE_MEMORY},
    {"writes", EVENT_TABLE_WRITES},
    {"functions", TABLE_OF_FUNCTIONS},
    {"instants", TABLE_OF_INSTANTS},
};

static enum status open_parquet(struct command *command, struct error *err)
{
    const struct export_command *export = export_of(command);
    return export_parquet_open(command, export->table_name, &export->parquet, err);
}

// --- The formats ---------------------------------------------------------------------------------

// A format is a row: written by one of `write` (to command->out, while the trace is read), `report`
// (which does all of it) and `table_format`; without any, by export_tfile.
static const struct format {
    const char *name, *what, *opened_by;
    bool (*write)(struct command *command);
    bool (*report)(struct command *command);
    bool (*report_sums)(struct command *command); // in place of `write`, without single calls
    enum table_format table_format;               // TABLE_TEXT: not a table
    bool adds_up_tasks;                           // it has no place for tasks, which are added up
    bool adds_up_stacks; // and can split frames by lines and inlined functions
} formats[] = {
    {"chrome", "trace events (JSON)", "ui.perfetto.dev, chrome://tracing, speedscope.app",
     .write = write_chrome},
    {"perfetto", "Perfetto trace (protobuf)", "ui.perfetto.dev, trace_processor",
     .write = write_perfetto},
    {"speedscope", "evented profiles (JSON)", "speedscope.app", .write = write_speedscope,
     .report_sums = report_speedscope},
    {"firefox", "stacks over time (JSON)", "profiler.firefox.com", .write = write_firefox},
    {"ctf", "Common Trace Format 1.8 (a directory)", "Trace Compass, babeltrace2",
     .report = export_ctf},
    {"callgrind", "profile with callers and callees",
     "KCachegrind, QCachegrind, callgrind_annotate", .report = report_callgrind,
     .adds_up_tasks = true, .adds_up_stacks = true},
    {"pprof", "profile by stack (protobuf)", "go tool pprof, pprof.me, speedscope.app",
     .report = report_pprof, .adds_up_stacks = true},
    {"collapsed", "a line for each stack", "flamegraph.pl, inferno, speedscope.app",
     .report = report_collapsed_stacks, .adds_up_stacks = true},
    {"csv", "a table (--table)", "spreadsheets, pandas, DuckDB", .table_format = TABLE_CSV},
    {"jsonl", "a table, an object of JSON a line", "jq, pandas, DuckDB",
     .table_format = TABLE_JSON_LINES},
    {"arrow", "a table by columns (Arrow IPC)", "pyarrow, pandas, polars, DuckDB",
     .table_format = TABLE_ARROW},
    {"parquet", "a table of many traces (a directory)", "DuckDB, Spark, pyarrow, polars",
     .table_format = TABLE_PARQUET},
    {"tfile", "states of a core at chosen points", "GDB (target tfile)", .write = NULL},
};

static bool report(void *self)
{
    struct export_command *export = self;
    struct command *command = &export->common;
    const struct format *format = export->format;
    if (format->report)
        return format->report(command);
    if (format->report_sums && !command_ensure_open(command))
        return false;
    if (format->report_sums && !session_can(&command->session, TRACE_CALLS))
        return format->report_sums(command);
    if (format->write)
        return command_ensure_open(command) && export_counters_open(command, &export->counters) &&
               command_output(command) && format->write(command);
    if (format->table_format == TABLE_TEXT)
        return export_tfile(command, &export->tfile);
    switch (export->table) {
    case TABLE_OF_CALLS:
        return export_call_table(export);
    case TABLE_OF_INSTANTS:
        return export_instants(command);
    case TABLE_OF_FUNCTIONS:
        return export_functions(command);
    default:
        return export_event_table(command, (enum event_table_kind) export->table);
    }
}

// --- Options -------------------------------------------------------------------------------------

enum {
    OPTION_EXPORT_FORMAT = OPTION_OWN,
    OPTION_POINT,
    OPTION_TABLE,
    OPTION_COUNTER,
    OPTION_MIN_DURATION,
    OPTION_TOP,
    OPTION_EVERY,
    OPTION_PC,
    OPTION_MEMORY,
    OPTION_PARTITION,
    OPTION_COMPRESSION,
    OPTION_VALUES,
};

static int take_format(struct export_command *export, struct options_parser *parser,
                       const char *name)
{
    if (strcmp(name, "help") == 0) {
        for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
            printf("%-11s %-38s %s\n", formats[i].name, formats[i].what, formats[i].opened_by);
        printf("%-11s %-38s %s\n", "vcd, fst", "waveforms, by 'trawl vcd -o FILE'",
               "GTKWave, Surfer");
        parser->status = EXIT_STATUS_DONE;
        return OPTION_STOP;
    }
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
        if (strcmp(name, formats[i].name) == 0) {
            export->format = &formats[i];
            return OPTION_END;
        }
    }
    if (strcmp(name, "vcd") == 0 || strcmp(name, "fst") == 0)
        return options_error(parser, "'--format': waveforms are written by 'trawl vcd -o FILE.%s'",
                             name);
    return options_error(parser, "'--format': '%s': unknown format ('--format help' lists them)",
                         name);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct export_command *export = self;
    struct export_tfile_options *tfile = &export->tfile;
    bool has_room = true;
    if (option == OPTION_EXPORT_FORMAT)
        return take_format(export, parser, match->value);
    if (option == OPTION_TABLE) {
        for (size_t i = 0; i < ARRAY_COUNT(tables); i++) {
            if (strcmp(match->value, tables[i].name) == 0) {
                export->table = tables[i].kind;
                export->table_name = tables[i].name;
                return OPTION_END;
            }
        }
        return options_bad_value(parser, match,
                                 "calls, functions, instants, events, writes, registers or memory");
    }
    if (option == OPTION_COUNTER) {
        if (!VEC_ROOM(&export->counters, 1))
            return options_no_memory(parser);
        export->counters.items[export->counters.count++] = match->value;
        return OPTION_END;
    }
    if (option == OPTION_MIN_DURATION) {
        export->longest.typed = match->value;
        export->longest.ticks = export->longest.ns = 0;
        if (parse_u64(match->value, &export->longest.ticks) ||
            parse_duration(match->value, &export->longest.ns))
            return OPTION_END;
        return options_bad_value(parser, match, "ticks, or a number of s, ms, us or ns (1.5ms)");
    }
    if (option == OPTION_TOP) {
        if (!parse_u64_within(match->value, 1, LIMIT_CALL_ROWS, &export->longest.top))
            return options_bad_value(parser, match, "a number from 1 to " TEXT_OF(LIMIT_CALL_ROWS));
        return OPTION_END;
    }
    if (option == OPTION_COMPRESSION) {
        export->parquet_option = match->option->names;
        export->parquet.is_plain = strcmp(match->value, "none") == 0;
        if (!export->parquet.is_plain && strcmp(match->value, "zstd") == 0 && !zstd_pack_is_there())
            return options_error(parser,
                                 "'--compression': this program was built without Zstandard");
        if (export->parquet.is_plain || strcmp(match->value, "zstd") == 0)
            return OPTION_END;
        return options_bad_value(parser, match, "zstd or none");
    }
    if (option == OPTION_VALUES) {
        export->has_values = true;
        return OPTION_END;
    }
    if (option == OPTION_PARTITION) {
        export->parquet_option = match->option->names;
        export->parquet.partition = match->value;
        return OPTION_END;
    }
    export->tfile_option = match->option->names;
    switch (option) {
    case OPTION_EVERY:
        if (!parse_u64_within(match->value, 1, UINT64_MAX, &tfile->every))
            return options_bad_value(parser, match, "a number above 0");
        return OPTION_END;
    case OPTION_POINT:
        if ((has_room = VEC_ROOM(&tfile->at, 1)))
            tfile->at.items[tfile->at.count++] = match->value;
        break;
    case OPTION_PC:
        if ((has_room = VEC_ROOM(&tfile->visits, 1)))
            tfile->visits.items[tfile->visits.count++] = match->value;
        break;
    default:
        if ((has_room = VEC_ROOM(&tfile->memory, 1)))
            tfile->memory.items[tfile->memory.count++] = match->value;
    }
    return has_room ? OPTION_END : options_no_memory(parser);
}

// Whether options were given that only apply to calls.
static bool is_about_calls(const struct command *command)
{
    return command->session.filter.function || command->session.filter.depth_max != UINT64_MAX ||
           session_hides_any(&command->session) || command->session.splits_by_task ||
           command_was_given(command, OPTION_OPEN_FRAMES) ||
           command_was_given(command, OPTION_RETURNED_ONLY);
}

static bool is_about_index(const struct command *command)
{
    static const int options[] = {OPTION_INDEX, OPTION_FORCE_INDEX, OPTION_ONLY_INDEX};
    for (size_t i = 0; i < ARRAY_COUNT(options); i++) {
        if (command_was_given(command, options[i]))
            return true;
    }
    return false;
}

// Whether the options go with the format and the table.
static bool check(void *self, struct options_parser *parser)
{
    struct export_command *export = self;
    struct command *command = &export->common;
    const struct format *format = export->format;
    bool is_table = format->table_format != TABLE_TEXT;
    bool is_parquet = format->table_format == TABLE_PARQUET;
    // Filters of calls do not apply to events, and no index has their rows.
    bool is_of_events = is_table && export->table >= 0;
    bool is_tfile = !format->write && !format->report && !is_table;
    if (!is_table && command_was_given(command, OPTION_TABLE))
        options_error(parser, "--table needs --format csv, jsonl, arrow or parquet");
    else if (is_of_events && is_about_calls(command))
        options_error(parser, "--function, --depth, --hide, --returned-only, --by and --task are "
                              "options of --table calls and functions");
    else if (is_parquet && !command->output)
        options_error(parser, "--format parquet makes a directory: -o DIRECTORY");
    else if (!is_parquet && export->parquet_option)
        options_error(parser, "--%s needs --format parquet", export->parquet_option);
    else if (is_of_events && is_about_index(command))
        options_error(parser, "no index is read or built for this table");
    else if (export->counters.count && format->write != write_perfetto)
        options_error(parser, "--counter needs --format perfetto");
    else if (wants_long(export) && !(format->write || format->report == export_ctf ||
                                     (is_table && export->table == TABLE_OF_CALLS)))
        options_error(parser, "--min-duration and --top choose single calls: --format chrome, "
                              "perfetto, speedscope, firefox or ctf, or --table calls");
    else if (export->has_values && !(is_table && export->table == TABLE_OF_CALLS))
        options_error(parser, "--values needs --table calls: --format csv, jsonl, arrow or "
                              "parquet");
    else if (command->split_by && !format->adds_up_stacks)
        options_error(parser, "--lines, --inlines and --instructions need --format collapsed, "
                              "callgrind or pprof");
    else if (command->split_by & SPLIT_INSTRUCTIONS && format->report != report_callgrind)
        options_error(parser, "--instructions needs --format callgrind");
    else if (!is_tfile && export->tfile_option)
        options_error(parser, "--%s needs --format tfile", export->tfile_option);
    else if (is_tfile && command->no_offsets)
        options_error(
            parser,
            "--no-offsets applies to names, which --format tfile does not write: leave it out");
    else if (is_tfile && is_about_calls(command))
        options_error(parser, "--function, --depth, --hide, --returned-only, --by and --task are "
                              "options for calls: --format tfile does not take them");
    else if (format->adds_up_tasks && command->shows_tasks && !command->session.filter.task)
        options_error(parser,
                      "--format %s adds up all tasks, so that --by and --task-name need "
                      "--task NAME, which shows one",
                      format->name);
    else if (contexts_split_begin(command, parser, SPLIT_OPTIONS)) {
        bool takes_sums = format->adds_up_stacks || format->report_sums ||
                          (is_table && export->table == TABLE_OF_FUNCTIONS);
        command->needs = is_tfile     ? TRACE_INSTRUCTIONS | TRACE_REGISTERS
                         : takes_sums ? TRACE_CONTEXTS
                                      : TRACE_CALLS;
        command->asks_index = is_tfile;
        command->table_format = format->table_format;
        command->open_parquet = is_parquet ? open_parquet : NULL;
        command->session.index.in_memory |= is_of_events; // no index has these rows
        return true;
    }
    return false;
}

static const struct option_need option_needs[] = {
    {OPTION_COUNTER, TRACE_REGISTERS | TRACE_MEMORY, 0},
    {OPTION_VALUES, TRACE_REGISTERS, TRACE_SNAPSHOTS},
    {OPTION_MIN_DURATION, TRACE_CALLS, 0},
    {OPTION_TOP, TRACE_CALLS, 0},
    {OPTION_LINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_INLINES, TRACE_INSTRUCTIONS, 0},
    {OPTION_INSTRUCTIONS, TRACE_INSTRUCTIONS, 0},
    {OPTION_RETURNED_ONLY, TRACE_CALLS, TRACE_BY_LANES}, // in a log, ends are written as they come
    {0},
};

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct export_command export = {
        .format = &formats[0], .table = TABLE_OF_CALLS, .table_name = "calls"};
    struct command *command = &export.common;
    command_begin(command, self);
    command->writes_tables = false;
    command->packs_output = true;
    command->own_options = option_needs;
    enum exit_status status =
        command_run(command, argc, argv, &(struct command_steps){&export, take, check, report});
    free(export.counters.items);
    free(export.tfile.at.items);
    free(export.tfile.visits.items);
    free(export.tfile.memory.items);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_EXPORT_FORMAT, 0, "format", "FORMAT",
     "chrome: trace events (default); perfetto; speedscope; firefox; ctf: the directory FILE, of "
     "the Common Trace Format; callgrind: callers and "
     "callees with "
     "their time, for KCachegrind; pprof; collapsed: a line for each stack, for flame graphs; csv, "
     "jsonl (an object of JSON a line) and arrow: a table; parquet: a table that many traces have "
     "parts in, the directory FILE; tfile: the states of a core at chosen "
     "points, for GDB; help: list them with the programs that open each"},
    {OPTION_TABLE, 0, "table", "WHAT",
     "for csv, jsonl, arrow and parquet: calls (default), functions (the profile of each core), "
     "instants (what a program logs in an XRay log), events, writes (to registers and memory), "
     "registers (what is written to them) or memory "
     "(accesses)"},
    {OPTION_VALUES, 0, "values", NULL,
     "for --table calls: also arguments at the entry and the result, by their types (DWARF), "
     "otherwise the registers that have the first of them; from an index"},
    {OPTION_PARTITION, 0, "partition", "NAME",
     "for parquet: name of this trace in the table (default: the name of its file)"},
    {OPTION_COMPRESSION, 0, "compression", "HOW", "for parquet: zstd (default) or none"},
    {OPTION_COUNTER, 0, "counter", "WHAT",
     "for perfetto: a value over time, from an index: of a register, a symbol, ADDR:SIZE, with a "
     "type u32:ADDR (u8 to u64, s8 to s64), or of an expression (first->ticks, x0 - x1); may be "
     "given several times"},
    {OPTION_MIN_DURATION, 0, "min-duration", "TIME",
     "only calls that take at least this long: 1.5ms (s, ms, us, ns), or ticks of the trace; what "
     "is left out is counted on standard error"},
    {OPTION_TOP, 0, "top", "N",
     "only the N longest calls, and those around them; reads the trace twice"},
    {ROW_LINES},
    {ROW_INLINES},
    {OPTION_INSTRUCTIONS, 0, "instructions", NULL,
     "for callgrind: time and calls for each instruction"},
    {ROW_RETURNED_ONLY},
    {0},
};

static const struct option_spec tfile_options[] = {
    {OPTION_POINT, 0, "at", "POS",
     "the state after this event: line:N, time:N, event:N, byte:N, pc:ADDR[#K], start or end "
     "(default, if no points are chosen); may be given several times, as the next two"},
    {OPTION_EVERY, 0, "every", "N",
     "after the first event of the range of --time and --lane-events, and every N-th from there"},
    {OPTION_PC, 0, "pc", "ADDR",
     "before each instruction at this address or symbol, as of a tracepoint there; in the range"},
    {OPTION_MEMORY, 0, "memory", "ADDR[:SIZE]",
     "the bytes of this memory that are known; ADDR may be an expression of registers, read at "
     "each point (default: sp:4096); may be given several times"},
    {0},
};

const struct command_spec export_command = {
    .name = "export",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_CONTEXTS,
    .describe_input = trace_inputs_describe,
    .summary = "calls in the formats of other tools",
    .description =
        "Writes the calls of the trace in the format of another tool. If the FILE of -o ends in "
        ".gz "
        "it is compressed with gzip, which ui.perfetto.dev, pprof and programs that read tables "
        "accept.\n"
        "Times of trace events count from the first one, in microseconds with nanoseconds after "
        "the point; a tick is a microsecond if the trace does not say how long it lasts. "
        "Arguments and events of XRay logs are kept. With --by task each task has a track of its "
        "own, in pprof a label, in csv a column; callgrind cannot show tasks. Speedscope, "
        "callgrind and pprof give for each function the source line at which it begins, as the "
        "images do (gcc -g), and attribute all of its time to that line; functions of XRay logs "
        "have no lines. With --lines, --inlines and --instructions callgrind, pprof and collapsed "
        "stacks have each instruction's time at its own line, and calls where they were made.\n"
        "The tables of events, writes, registers and memory, of Tarmac traces only, have a row for "
        "each "
        "event, for each write to a register and for each access to memory, numbered as in an "
        "index; none is needed. A write of more than 8 bytes has a row for every 8 of them, a "
        "write to a banked register a second row under the name that it has in its mode, if the "
        "core is in it. "
        "Addresses and values are numbers in Arrow and Parquet, strings in JSON.\n"
        "With --min-duration and --top, a call is kept with its arguments, the calls around it and "
        "the events directly in it; those in a call that is left out are left out with it. With "
        "--by task, each piece of a call between two switches counts by itself.\n"
        "With --format parquet -o DIR the trace becomes one part of a table of many traces: "
        "DIR/trace=NAME/lane=NAME/part-0.parquet; programs that read such directories show trace "
        "and lane as two columns. Characters that a file name cannot contain appear as %XX in "
        "NAME. Further columns are run (computed from the size and contents of the trace), "
        "run_time, image and image_address. Each table needs a directory of its own; any number of "
        "traces can be exported to it at the same time. The part from an earlier export of the "
        "same trace is replaced when the new one is complete; another trace with the same name is "
        "refused: give it a name with --partition.\n"
        "With --format tfile it writes a trace file for GDB: registers and memory of one core at "
        "chosen points. Open it with 'target tfile FILE' of gdb-multiarch (or another GDB for "
        "Arm); for a big-endian core say 'set endian big' before. tfind then goes from frame to "
        "frame, and registers, memory and backtraces are those of the trace. This needs an index. "
        "$trawl_event and $trawl_time are the event and the time of the frame, which has what "
        "'trawl state --at event:$trawl_event' shows. GDB can distinguish unknown memory from "
        "known, but not registers: unknown ones read as 0, and in $trawl_unknown bit N is set for "
        "the N-th register (x0 to x30, sp, pc, cpsr), in $trawl_unknown_vector for the N-th of v0 "
        "to v31, fpsr, fpcr (AArch32: r0 to r12, sp, lr, pc, cpsr; d0 to d31, fpscr).",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"with --format tfile", tfile_options},
                                            {"what to show", filter_options},
                                            {NULL, call_filter_options},
                                            {NULL, task_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, byte_order_options},
                                            {NULL, reading_options},
                                            {NULL, xray_options},
                                            {NULL, open_frames_options},
                                            {"the index", index_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples =
        "trawl export --image prog.elf -o run.json run.tarmac\n"
        "trawl export --format perfetto --image prog.elf -o run.pftrace run.tarmac\n"
        "trawl export --format perfetto --by task --image prog.elf -o run.pftrace run.tarmac\n"
        "trawl export --format perfetto --counter sp --counter u32:ticks --image prog.elf -o "
        "run.pftrace run.tarmac\n"
        "trawl export --format perfetto --min-duration 1ms -o run.pftrace xray-log.server.x\n"
        "trawl export --format help\n"
        "trawl export --format arrow --table memory --time 5000..6000 -o run.arrow run.tarmac\n"
        "trawl export --format parquet --table functions -o functions/ --image prog.elf "
        "run.tarmac\n"
        "trawl export --format tfile --pc main --every 10000 -o run.tf --image prog.elf "
        "run.tarmac\n"
        "trawl export --image server --format collapsed xray-log.server.x | inferno-flamegraph "
        "> run.svg\n",
    .alternatives = trace_alternatives,
    .run = run,
};
