// tfile frames: the frames of a trace file, one per line.
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/tfile/commands.h"

struct frames {
    struct command common;
    struct out collected; // of one frame
};

struct frame_cells {
    uint64_t frame, tracepoint, byte, bytes;
    const uint64_t *pc;
    const char *function, *marks, *collected;
};

#define VALUE(name) FIELD_VALUE(struct frame_cells, name)

static const struct field fields[] = {
    {"Frame", "frame", COLUMN_U64, VALUE(frame)},
    {"Tracepoint", "tracepoint", COLUMN_U64, VALUE(tracepoint)},
    {"PC", "pc", COLUMN_ADDRESS, VALUE(pc)},
    {"Function", "function", COLUMN_TEXT, VALUE(function)},
    {"Byte", "byte", COLUMN_U64, VALUE(byte)},
    {"Bytes", "bytes", COLUMN_U64, VALUE(bytes)},
    {"Marks", "marks", COLUMN_TEXT, VALUE(marks)},
    {"Collected", "collected", COLUMN_TEXT, VALUE(collected)},
};

// --- What was collected --------------------------------------------------------------------------

static void put_block(struct frames *frames, const struct tfile_block *block)
{
    const struct tfile *file = tfile_file(&frames->common);
    struct out *out = &frames->collected;
    const struct tfile_variable *variable;
    switch (block->kind) {
    case TFILE_REGISTERS:
        out_text(out, "registers");
        break;
    case TFILE_MEMORY:
        out_u64(out, block->size_bytes);
        out_text(out, block->size_bytes == 1 ? " byte at 0x" : " bytes at 0x");
        out_hex(out, block->address, 1);
        break;
    case TFILE_VARIABLE:
        variable = tfile_variable_numbered(file, block->variable);
        out_byte(out, '$');
        if (variable)
            out_text(out, variable->name);
        else
            out_u64(out, (uint32_t)block->variable);
        break;
    case TFILE_STATIC:
        out_text(out, "static data");
        break;
    default:
        out_text(out, "unreadable bytes: ");
        out_u64(out, block->size_bytes);
    }
}

static const char *collected(struct frames *frames, const struct tfile_frame *frame)
{
    const struct tfile *file = tfile_file(&frames->common);
    struct tfile_cursor cursor = tfile_blocks(file, frame);
    struct tfile_block block;
    out_clear(&frames->collected);
    for (bool is_first = true; tfile_next(file, &cursor, &block); is_first = false) {
        out_text(&frames->collected, is_first ? "" : ", ");
        put_block(frames, &block);
    }
    return out_memory_text(&frames->collected);
}

// --- The command ---------------------------------------------------------------------------------

static bool report(void *self)
{
    struct frames *frames = self;
    struct command *command = &frames->common;
    struct error err;
    if (!tfile_is_open(command))
        return false;
    if (out_open_memory(&frames->collected, &err) != STATUS_OK)
        return command_fail(command, &err);
    const struct tfile *file = tfile_file(command);
    bool is_open = command_fields(command, fields, ARRAY_COUNT(fields), 0);
    for (uint64_t i = 0; is_open && i < file->frames.count && !out_failed(&command->out); i++) {
        const struct tfile_frame *frame = &file->frames.items[i];
        uint64_t pc;
        if (!tfile_wants_frame(command, i))
            continue;
        bool has_pc = tfile_frame_pc(file, frame, &pc);
        const char *text = collected(frames, frame);
        command_row(command,
                    &(struct frame_cells){.frame = i,
                                          .tracepoint = frame->number,
                                          .byte = frame->offset,
                                          .bytes = frame->size_bytes,
                                          .pc = has_pc ? &pc : NULL,
                                          .function = has_pc ? tfile_function(command, pc) : NULL,
                                          .marks = tfile_frame_marks(file, frame),
                                          .collected = *text ? text : NULL},
                    NULL);
    }
    out_abandon(&frames->collected);
    return is_open;
}

static bool check(void *self, struct options_parser *parser)
{
    struct frames *frames = self;
    struct command *command = &frames->common;
    if (!command->format || table_format_named_with_tsv(command->format, &command->table_format))
        return true;
    options_error(parser, "'--format': '%s': expected table, csv, tsv or json", command->format);
    return false;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct frames frames = {0};
    tfile_begin(&frames.common, self);
    return command_run(&frames.common, argc, argv,
                       &(struct command_steps){&frames, NULL, check, report});
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT", "table (default), csv, tsv or json"},
    {ROW_WIDE},
    {0},
};

const struct command_spec tfile_frames_command = {
    .name = "tfile frames",
    .option_set = OPTIONS_TRAWL,
    .summary = "lists the frames: tracepoint, PC, function, what was collected",
    .description =
        "Lists the frames of a GDB trace file. PC is the register if it was collected, otherwise "
        "the address of the tracepoint if that is certain. A frame is 'recovered' if it was found "
        "after a damaged part of the file, 'damaged' if some of its blocks cannot be read, "
        "'short' if the target's buffer was too full for some of them, 'cut' if the file ends "
        "within it.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", tfile_filter_options},
                                            {"how to read the file", tfile_read_options},
                                            {"how to run", tfile_run_options},
                                            {0}},
    .positionals = tfile_positional,
    .examples = "trawl tfile frames --image prog run.tf\n"
                "trawl tfile frames --lane tp2 --format tsv run.tf\n",
    .alternatives = trace_alternatives,
    .run = run,
};
