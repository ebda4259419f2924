// xray convert: a log in other formats.
#include "cmd/xray/convert.h"
#include "cmd/xray/command.h"

enum {
    OPTION_FORMAT = XRAY_OPTION_OWN,
    OPTION_SYMBOLIZE,
    OPTION_NO_SYMBOLIZE,
    OPTION_SORT,
    OPTION_NO_SORT,
    OPTION_DEMANGLE,
    OPTION_NO_DEMANGLE,
};

enum { FORMAT_RAW, FORMAT_YAML, FORMAT_TRACE_EVENT };

struct convert_command {
    struct xray_command common;
    unsigned format;
    bool keeps_order, keeps_mangled, keeps_ids;
};

const char *xray_convert_name(struct xray_input *input, uint32_t function)
{
    // As in LLVM's tool: "#ID" is for functions that the map lacks.
    const char *name = xray_name(&input->names, function);
    return name[0] == '#' && !input->names.objects.items.count ? name + 1 : name;
}

static bool write_merged(struct convert_command *command, struct out *out)
{
    struct xray_input *input = &command->common.input;
    struct xray_merge merge;
    bool is_whole =
        xray_merge_begin(&merge, &input->log, !command->keeps_order) &&
        (command->format == FORMAT_RAW ? xray_write_raw : xray_write_yaml)(input, &merge, out) &&
        !merge.lacks_memory;
    xray_command_damage(&command->common, input, &merge.damage);
    xray_merge_free(&merge);
    return is_whole;
}

static bool write_trace_events(struct convert_command *command, struct out *out)
{
    struct xray_input *input = &command->common.input;
    struct xray_trace_events events = {
        .input = input,
        .is_sorted = !command->keeps_order,
        .threads = command->common.threads,
        .hider = xray_hidden_hider(&command->common.hidden, &input->names)};
    bool is_whole = xray_write_trace_events(&events, out);
    command->common.hidden.names.calls = events.hidden_calls;
    xray_command_unmatched(&command->common, input, &events.exits);
    xray_command_damage(&command->common, input, &events.damage);
    return is_whole;
}

static bool report(void *self)
{
    struct convert_command *command = self;
    struct xray_command *common = &command->common;
    if (common->hidden.names.items.count && command->format != FORMAT_TRACE_EVENT) {
        xray_fail_with(common, STATUS_INPUT,
                       "--hide applies to calls: it needs --output-format trace_event");
        common->status = EXIT_STATUS_USAGE;
        return false;
    }
    if (command->keeps_ids)
        common->maps.count = 0;
    if (!xray_command_open(common))
        return false;
    common->input.names.keeps_mangled = command->keeps_mangled;
    if (!xray_command_output(common))
        return false;
    xray_command_watch(common, &common->input, 1, true);
    return (command->format == FORMAT_TRACE_EVENT ? write_trace_events(command, &common->out)
                                                  : write_merged(command, &common->out)) ||
           xray_fail_with(common, STATUS_MEMORY, "%s: no memory", common->input.path);
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    static const char *const formats[] = {"raw", "yaml", "trace_event", NULL};
    struct convert_command *command = self;
    switch (option) {
    case OPTION_FORMAT:
        return options_choice(parser, match, formats, "raw, yaml or trace_event", &command->format);
    case OPTION_SORT:
    case OPTION_NO_SORT:
        command->keeps_order = option == OPTION_NO_SORT;
        return OPTION_END;
    case OPTION_DEMANGLE:
    case OPTION_NO_DEMANGLE:
        command->keeps_mangled = option == OPTION_NO_DEMANGLE;
        return OPTION_END;
    case OPTION_SYMBOLIZE:
    case OPTION_NO_SYMBOLIZE:
        command->keeps_ids = option == OPTION_NO_SYMBOLIZE;
        return OPTION_END;
    default:
        return OPTION_END;
    }
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct convert_command command = {0};
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 'f', "output-format,format", "FORMAT",
     "raw (default): a basic log, without events; yaml; trace_event: for Chrome, Perfetto, "
     "speedscope"},
    {OPTION_SYMBOLIZE, 'y', "symbolize", NULL, "show names (default with --instr-map)"},
    {OPTION_NO_SYMBOLIZE, 0, "no-symbolize", NULL, "show ids of functions even if names are known"},
    {OPTION_SORT, 's', "sort", NULL, "all threads in the order of time (default)"},
    {OPTION_NO_SORT, 0, "no-sort", NULL, "one thread after the other, each in the order of time"},
    {OPTION_DEMANGLE, 0, "demangle", NULL, "show C++, Rust and D names as in the source (default)"},
    {OPTION_NO_DEMANGLE, 0, "no-demangle", NULL, "show names as the image has them"},
    {0},
};

const struct command_spec xray_convert_command = {
    .name = "xray convert",
    .option_set = OPTIONS_TRAWL,
    .summary = "a log as YAML, as a basic log, or as trace events",
    .description =
        "Writes the records of a log in another format. Times are ticks of the log's clock in "
        "YAML and basic logs, microseconds in trace events.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {NULL, xray_hide_options},
                                            {"the log", xray_log_options},
                                            {0}},
    .positionals = xray_log_positional,
    .examples = "trawl xray convert -m prog -f trace_event -o run.json xray-log.prog.123\n",
    .takes_one_dash = true,
    .alternatives =
        (const int[]){OPTION_SORT, OPTION_NO_SORT, 0, OPTION_DEMANGLE, OPTION_NO_DEMANGLE, 0,
                      OPTION_SYMBOLIZE, OPTION_NO_SYMBOLIZE, 0, 0},
    .run = run,
};

// --- Basic logs ----------------------------------------------------------------------------------

// A basic log of version 3: entries with their arguments, and exits. It has no place for events.

enum { VERSION = 3, CONSTANT_TSC = 1, NONSTOP_TSC = 2, ARGUMENT_RECORD = 1 };

static void put_call(const struct xray_thread *thread, const struct xray_item *item,
                     struct out *out)
{
    uint8_t bytes[XRAY_BASIC_BYTES] = {0};
    bytes[2] = (uint8_t)item->cpu;
    bytes[3] = (uint8_t)item->record.kind;
    store_little(bytes + 4, item->record.function, 4);
    store_little(bytes + 8, item->record.tsc, 8);
    store_little(bytes + 16, thread->tid, 4);
    store_little(bytes + 20, thread->pid, 4);
    out_bytes(out, bytes, sizeof bytes);
}

static void put_argument(const struct xray_thread *thread, const struct xray_item *item,
                         uint64_t value, struct out *out)
{
    uint8_t bytes[XRAY_BASIC_BYTES] = {ARGUMENT_RECORD};
    store_little(bytes + 4, item->record.function, 4);
    store_little(bytes + 8, thread->tid, 4);
    store_little(bytes + 12, thread->pid, 4);
    store_little(bytes + 16, value, 8);
    out_bytes(out, bytes, sizeof bytes);
}

bool xray_write_raw(struct xray_input *input, struct xray_merge *merge, struct out *out)
{
    const struct xray_item *item;
    const struct xray_header *header = &input->log.header;
    uint8_t bytes[XRAY_HEADER_BYTES] = {VERSION};
    store_little(
        bytes + 4,
        (header->constant_tsc ? CONSTANT_TSC : 0) | (header->nonstop_tsc ? NONSTOP_TSC : 0), 4);
    store_little(bytes + 8, header->frequency_hz, 8);
    out_bytes(out, bytes, sizeof bytes);
    while (!out_failed(out) && (item = xray_merge_next(merge))) {
        const struct xray_thread *thread = &input->log.threads.items[item->thread];
        if (!xray_is_function(item->record.kind))
            continue;
        put_call(thread, item, out);
        for (size_t i = 0; i < item->argument_count; i++)
            put_argument(thread, item, item->arguments[i], out);
    }
    return true;
}
