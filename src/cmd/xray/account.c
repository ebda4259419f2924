// xray account: how long the calls of each function took.
#include "cmd/xray/command.h"

#include "cli/values.h"
#include "report/out.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OPTION_DEDUCE = XRAY_OPTION_OWN,
    OPTION_RECURSIVE,
    OPTION_FORMAT,
    OPTION_SORT,
    OPTION_ORDER,
    OPTION_TOP,
};

enum format { FORMAT_TEXT, FORMAT_CSV };

struct account_command {
    struct xray_command common;
    struct xray_account_options options;
    unsigned format, field, is_descending;
    uint64_t top; // 0: all
};

// --- Order ---------------------------------------------------------------------------------------

static const char *const field_names[] = {"funcid", "count", "min", "med",  "90p",
                                          "99p",    "max",   "sum", "func", NULL};
enum {
    FIELD_ID,
    FIELD_COUNT,
    FIELD_MIN,
    FIELD_MEDIAN,
    FIELD_P90,
    FIELD_P99,
    FIELD_MAX,
    FIELD_SUM,
    FIELD_NAME
};

// The sorting key of a row; names are replaced by their rank.
struct sorted_row {
    const struct latency *row;
    uint64_t field;
    const char *name; // FIELD_NAME only
};

static uint64_t field_of(const struct latency *row, unsigned field)
{
    switch (field) {
    case FIELD_COUNT:
        return row->count;
    case FIELD_MIN:
        return row->min;
    case FIELD_MEDIAN:
    case FIELD_P90:
    case FIELD_P99:
        return row->percentiles[field - FIELD_MEDIAN];
    case FIELD_MAX:
        return row->max;
    case FIELD_SUM:
        return row->sum;
    default:
        return row->key;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct sorted_row *first = a, *second = b;
    int by_name = first->name ? strcmp(first->name, second->name) : 0;
    if (by_name || first->field != second->field)
        return by_name ? by_name : first->field < second->field ? -1 : 1;
    return first->row->key < second->row->key ? -1 : 1;
}

static int compare_rows_down(const void *a, const void *b)
{
    const struct sorted_row *first = a, *second = b;
    int by_name = first->name ? strcmp(second->name, first->name) : 0;
    if (by_name || first->field != second->field)
        return by_name ? by_name : first->field > second->field ? -1 : 1;
    return first->row->key < second->row->key ? -1 : 1;
}

// --- Text ----------------------------------------------------------------------------------------

// Ticks as seconds, or unchanged if the log does not have the frequency.
static double seconds(const struct account_command *command, uint64_t ticks)
{
    uint64_t frequency_hz = command->common.input.log.header.frequency_hz;
    return frequency_hz ? (double)ticks / (double)frequency_hz : (double)ticks;
}

// Where a function begins, in the form of llvm-xray, also if unknown.
static void put_place(struct account_command *command, struct out *out, uint32_t function,
                      void (*put)(struct out *out, const char *text))
{
    struct xray_names *names = &command->common.input.names;
    struct source_location place = {.file = "<invalid>"};
    if (!xray_names_knows(names, function)) {
        out_text(out, "(unknown)");
        return;
    }
    xray_function_location(names, function, &place);
    put(out, place.file);
    out_byte(out, ':');
    out_u64(out, place.line);
    out_byte(out, ':');
    out_u64(out, place.column);
}

static void put_figures(const struct account_command *command, struct out *out,
                        const struct latency *row, const char *format)
{
    char text[512];
    int length =
        snprintf(text, sizeof text, format, row->key, row->count, seconds(command, row->min),
                 seconds(command, row->percentiles[LATENCY_MEDIAN]),
                 seconds(command, row->percentiles[LATENCY_P90]),
                 seconds(command, row->percentiles[LATENCY_P99]), seconds(command, row->max),
                 seconds(command, row->sum));
    out_bytes(out, text, (size_t)length);
}

static void put_clean(struct out *out, const char *text)
{
    out_clean(out, text);
}

static void put_text_row(struct account_command *command, struct out *out,
                         const struct latency *row)
{
    uint32_t function = (uint32_t)row->key;
    put_figures(command, out, row,
                "%9" PRIu64 " %10" PRIu64 " [%9.6f, %9.6f, %9.6f, %9.6f, %9.6f] %9.6f  ");
    put_place(command, out, function, put_clean);
    out_text(out, ": ");
    out_clean(out, xray_name(&command->common.input.names, function));
    out_byte(out, '\n');
}

static void put_csv_row(struct account_command *command, struct out *out, const struct latency *row)
{
    uint32_t function = (uint32_t)row->key;
    put_figures(command, out, row, "%" PRIu64 ",%" PRIu64 ",%e,%e,%e,%e,%e,%e,");
    out_byte(out, '"');
    put_place(command, out, function, csv_quoted);
    out_text(out, "\",\"");
    csv_quoted(out, xray_name(&command->common.input.names, function));
    out_text(out, "\"\n");
}

static void put_head(const struct account_command *command, struct out *out, uint64_t functions)
{
    if (command->format == FORMAT_CSV) {
        out_text(out, "funcid,count,min,median,90%ile,99%ile,max,sum,debug,function\n");
        return;
    }
    out_text(out, "Functions with latencies: ");
    out_u64(out, functions);
    out_text(out, "\n   funcid      count [      min,       med,       90p,       99p,       max]"
                  "       sum  function    \n");
}

// --- The command ---------------------------------------------------------------------------------

// False: no memory.
static bool put_rows(struct account_command *command, struct out *out,
                     const struct latency_table *functions)
{
    size_t count = functions->rows.count;
    struct sorted_row *rows = calloc(count + 1, sizeof *rows);
    struct arena names = {0};
    bool is_whole = rows != NULL;
    for (size_t i = 0; i < count && is_whole; i++) {
        const struct latency *row = &functions->rows.items[i];
        rows[i] = (struct sorted_row){row, field_of(row, command->field), NULL};
        if (command->field == FIELD_NAME) {
            const char *name = xray_name(&command->common.input.names, (uint32_t)row->key);
            rows[i].name = arena_copy_string(&names, name, strlen(name));
            is_whole = rows[i].name != NULL;
        }
    }
    if (is_whole) {
        qsort(rows, count, sizeof *rows, command->is_descending ? compare_rows_down : compare_rows);
        put_head(command, out, count);
    }
    for (size_t i = 0; i < count && is_whole && (!command->top || i < command->top); i++) {
        if (command->format == FORMAT_CSV)
            put_csv_row(command, out, rows[i].row);
        else
            put_text_row(command, out, rows[i].row);
    }
    arena_free(&names);
    free(rows);
    return is_whole;
}

static bool report(void *self)
{
    struct account_command *command = self;
    struct xray_command *common = &command->common;
    struct xray_account account = {0};
    struct error err;
    command->options.threads = common->threads;
    command->options.percentiles = true;
    bool is_done = xray_command_open(common) &&
                   xray_command_account_all(common, &command->options, &account) &&
                   xray_command_output(common);
    if (is_done) {
        // Unreadable line tables are a warning: the figures do not need them.
        enum status lines = xray_names_open_lines(&common->input.names, &err);
        if (lines != STATUS_OK && lines != STATUS_MEMORY)
            diag_warning(&common->diag, "%s; no lines are shown", err.text);
        is_done = (lines != STATUS_MEMORY && put_rows(command, &common->out, &account.functions)) ||
                  xray_fail_with(common, STATUS_MEMORY, "no memory for the report");
    }
    xray_account_free(&account);
    return is_done;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    static const char *const formats[] = {"text", "csv", NULL};
    static const char *const orders[] = {"asc", "dsc", NULL};
    struct account_command *command = self;
    switch (option) {
    case OPTION_DEDUCE:
        command->options.deduce = true;
        return OPTION_END;
    case OPTION_RECURSIVE:
        command->options.recursive_only = true;
        return OPTION_END;
    case OPTION_FORMAT:
        return options_choice(parser, match, formats, "text or csv", &command->format);
    case OPTION_SORT:
        return options_choice(parser, match, field_names,
                              "funcid, count, min, med, 90p, 99p, max, sum or func",
                              &command->field);
    case OPTION_ORDER:
        return options_choice(parser, match, orders, "asc or dsc", &command->is_descending);
    default:
        // LLVM's tool takes negative numbers for "all" too.
        if (match->value[0] == '-' ? false : parse_u64(match->value, &command->top))
            return OPTION_END;
        command->top = 0;
        return strcmp(match->value, "-1") == 0 ? OPTION_END
                                               : options_bad_value(parser, match, "a number");
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct account_command command = {0};
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_DEDUCE, 'd', "deduce-sibling-calls", NULL,
     "an exit of a function further down the stack ends all calls above it too"},
    {OPTION_RECURSIVE, 0, "recursive-calls-only", NULL,
     "count only calls while their function is, or was, on the stack twice"},
    {OPTION_FORMAT, 'f', "format", "FORMAT", "text (default) or csv"},
    {OPTION_SORT, 's', "sort", "FIELD",
     "funcid (default), count, min, med, 90p, 99p, max, sum or func: the name"},
    {OPTION_ORDER, 'r', "sortorder", "ORDER", "asc (default) or dsc"},
    {OPTION_TOP, 'p', "top", "N", "only the first N functions"},
    {0},
};

const struct command_spec xray_account_command = {
    .name = "xray account",
    .option_set = OPTIONS_TRAWL,
    .summary = "how long the calls of each function took",
    .description =
        "Lists for each function the number of its calls and their minimum, median, 90th and 99th "
        "percentile, maximum and total time in seconds. The time of a call includes that of the "
        "calls it makes.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, xray_hide_options},
                                            {"the logs", xray_log_options},
                                            {NULL, xray_join_options},
                                            {0}},
    .positionals = xray_logs_positional,
    .examples =
        "trawl xray account -m prog --sort sum --sortorder dsc --top 20 xray-log.prog.123\n",
    .takes_one_dash = true,
    .run = run,
};
