// xray dump: the records of a flight data recorder log, one per line.
#include "cmd/xray/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_VERIFY = XRAY_OPTION_OWN };

struct dump_command {
    struct xray_command common;
    bool by_block;
    struct trace_damage damage;
};

// --- A record ------------------------------------------------------------------------------------

static void put_metadata(const struct xray_record *record, struct out *out)
{
    char text[128];
    int length = 0;
    switch (record->kind) {
    case XRAY_EXTENTS:
        length = snprintf(text, sizeof text, "<Buffer: size = %" PRIu64 " bytes>", record->value);
        break;
    case XRAY_NEW_BUFFER:
        length = snprintf(text, sizeof text, "<Thread ID: %" PRId32 ">", (int32_t)record->number);
        break;
    case XRAY_WALL_CLOCK:
        length = snprintf(text, sizeof text, "<Wall Time: seconds = %" PRIu64 ".%06" PRIu32 ">",
                          record->value, record->number);
        break;
    case XRAY_PID:
        length = snprintf(text, sizeof text, "<PID: %" PRId32 ">", (int32_t)record->number);
        break;
    case XRAY_CPU:
        length = snprintf(text, sizeof text, "<CPU: id = %" PRIu32 ", tsc = %" PRIu64 ">",
                          record->number, record->value);
        break;
    case XRAY_TSC_WRAP:
        length = snprintf(text, sizeof text, "<TSC Wrap: base = %" PRIu64 ">", record->value);
        break;
    case XRAY_ARGUMENT:
        length =
            snprintf(text, sizeof text, "<Call Argument: data = %" PRIu64 " (hex = 0x%" PRIx64 ")>",
                     record->value, record->value);
        break;
    default:
        length = snprintf(text, sizeof text, "<End of Buffer>");
        break;
    }
    out_bytes(out, text, (size_t)length);
}

// --- By block ------------------------------------------------------------------------------------

enum section { SECTION_PREAMBLE, SECTION_METADATA, SECTION_CALLS };

// Writes the text before a record.
static void put_lead(enum section *section, enum xray_kind kind, struct out *out)
{
    switch (kind) {
    case XRAY_NEW_BUFFER:
        out_text(out, "\n[New Block]\nPreamble: \n");
        *section = SECTION_PREAMBLE;
        return;
    case XRAY_WALL_CLOCK:
    case XRAY_PID:
        return;
    case XRAY_CPU:
    case XRAY_TSC_WRAP:
        out_text(out, *section == SECTION_PREAMBLE ? "\nBody:\n "
                      : *section == SECTION_CALLS  ? "\nMetadata:  "
                                                   : " ");
        *section = SECTION_METADATA;
        return;
    case XRAY_ARGUMENT:
        out_text(out, " : ");
        return;
    case XRAY_END_OF_BUFFER:
        out_text(out, " *** ");
        return;
    default:
        if (*section == SECTION_METADATA)
            out_byte(out, '\n');
        *section = SECTION_CALLS;
        out_text(out, xray_is_function(kind) ? "-  " : "*  ");
    }
}

static void put_buffer(struct dump_command *command, uint64_t buffer, struct out *out)
{
    const struct xray_log *log = &command->common.input.log;
    enum section section = SECTION_PREAMBLE;
    struct xray_cursor cursor;
    struct xray_record record;
    xray_cursor_buffer(&cursor, log, buffer);
    while (!out_failed(out) && xray_next(&cursor, &record)) {
        // A buffer that is not in use: nothing comes after the extents of nothing.
        if (record.kind == XRAY_FAULT && buffer >= log->buffers.count + log->duplicate_buffers)
            continue;
        if (record.kind == XRAY_FAULT) {
            trace_damage_add(&command->damage, &record.fault);
            continue;
        }
        if (command->by_block && record.kind == XRAY_EXTENTS)
            continue;
        if (command->by_block)
            put_lead(&section, record.kind, out);
        if (xray_is_function(record.kind)) {
            static const char *const names[] = {"Enter", "Exit", "Tail Exit", "Enter With Arg"};
            out_text(out, "<Function ");
            out_text(out, names[record.kind]);
            out_text(out, ": #");
            out_u64(out, record.function);
            out_text(out, " delta = +");
            out_u64(out, (uint64_t)record.delta);
            out_byte(out, '>');
        } else if (record.kind == XRAY_CUSTOM_EVENT || record.kind == XRAY_TYPED_EVENT) {
            char text[128];
            bool is_typed = record.kind == XRAY_TYPED_EVENT;
            const char *name = is_typed ? "Typed" : "Custom";
            int length;
            if (log->header.version < 5)
                length = snprintf(text, sizeof text,
                                  "<%s Event: tsc = %" PRIu64 ", %s = %" PRIu32 ", size = ", name,
                                  record.value, is_typed ? "type" : "cpu",
                                  is_typed || log->header.version == 4 ? record.number : 0);
            else if (is_typed)
                length =
                    snprintf(text, sizeof text,
                             "<%s Event: delta = %+" PRId64 ", type = %" PRIu32 ", size = ", name,
                             record.delta, record.number);
            else
                length = snprintf(text, sizeof text,
                                  "<%s Event: delta = %+" PRId64 ", size = ", name, record.delta);
            out_bytes(out, text, (size_t)length);
            out_u64(out, record.payload_bytes);
            out_text(out, ", data = '");
            out_bytes(out, record.payload, record.payload_bytes);
            out_text(out, "'>");
        } else {
            put_metadata(&record, out);
        }
        out_byte(out, '\n');
    }
}

// --- All buffers ---------------------------------------------------------------------------------

struct placed {
    uint64_t offset, buffer;
};

ORDER_BY(compare_offsets, struct placed, offset)

// Writes all buffers in the order of the file; by block, those that are read, in the order of
// threads and time. False: no memory.
static bool put_buffers(struct dump_command *command, struct out *out)
{
    const struct xray_log *log = &command->common.input.log;
    size_t count = log->buffers.count + (command->by_block ? 0 : (size_t)log->hidden_buffers);
    struct placed *order = calloc(count + 1, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct placed){log->buffers.items[i].offset, i};
    if (!command->by_block)
        qsort(order, count, sizeof *order, compare_offsets);
    for (size_t i = 0; i < count && !out_failed(out); i++)
        put_buffer(command, order[i].buffer, out);
    free(order);
    return true;
}

static bool report(void *self)
{
    struct dump_command *command = self;
    struct xray_command *common = &command->common;
    if (!xray_command_open(common))
        return false;
    bool is_yaml = common->input.log.made != NULL;
    if (is_yaml || common->input.log.header.type != XRAY_FDR)
        return xray_fail_with(common, STATUS_INPUT, "%s: a %s log, which has no buffers to show",
                              common->input.path, is_yaml ? "YAML" : "basic");
    if (!xray_command_output(common))
        return false;
    xray_command_watch(common, &common->input, 1, true);
    if (!put_buffers(command, &common->out))
        return xray_fail_with(common, STATUS_MEMORY, "%s: no memory", common->input.path);
    xray_command_damage(common, &common->input, &command->damage);
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    (void)parser;
    (void)option;
    (void)match;
    struct dump_command *command = self;
    command->by_block = true;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct dump_command command = {0};
    return xray_command_run(&command.common, self, argc, argv, &command, take, report);
}

static const struct option_spec own_options[] = {
    {OPTION_VERIFY, 0, "verify", NULL, "block by block, thread by thread"},
    {XRAY_OPTION_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)"},
    {0},
};

const struct command_spec xray_dump_command = {
    .name = "xray dump",
    .option_set = OPTIONS_TRAWL,
    .summary = "the records of a flight data recorder log, one a line; also 'xray fdr-dump'",
    .description =
        "Prints the records of a flight data recorder log in the order of the file, one a line: "
        "the buffers of the threads, and in each its metadata, entries, exits and events. The "
        "times of functions (delta) are ticks of the log's clock since the record before. Shows "
        "where a log is damaged.",
    .groups = (const struct option_group[]){{"options", own_options}, {0}},
    .positionals = xray_log_positional,
    .examples = "trawl xray dump xray-log.prog.123\n",
    .takes_one_dash = true,
    .run = run,
};
