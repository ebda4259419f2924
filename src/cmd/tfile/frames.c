// tfile frames: the frames of a trace file, one per line.
#include "cmd/tfile/commands.h"

struct frames {
    struct command common;
    struct out collected; // of one frame
    struct table table;
    bool is_tsv;
};

static const struct column columns[] = {
    {"Frame", "frame", COLUMN_U64},  {"Tracepoint", "tracepoint", COLUMN_U64},
    {"PC", "pc", COLUMN_ADDRESS},    {"Function", "function", COLUMN_TEXT},
    {"Byte", "byte", COLUMN_U64},    {"Bytes", "bytes", COLUMN_U64},
    {"Marks", "marks", COLUMN_TEXT}, {"Collected", "collected", COLUMN_TEXT},
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

// --- Rows ----------------------------------------------------------------------------------------

static void put_tsv_text(struct out *out, const char *text)
{
    out_byte(out, '\t');
    if (!text || !*text)
        text = "-";
    for (; *text; text++)
        out_byte(out, (unsigned char)*text < ' ' ? '?' : *text);
}

static void put_tsv(struct out *out, uint64_t number, const struct tfile_frame *frame,
                    const uint64_t *pc, const char *const texts[3])
{
    out_u64(out, number);
    out_byte(out, '\t');
    out_u64(out, frame->number);
    out_text(out, pc ? "\t0x" : "\t-");
    if (pc)
        out_hex(out, *pc, 1);
    put_tsv_text(out, texts[0]);
    out_byte(out, '\t');
    out_u64(out, frame->offset);
    out_byte(out, '\t');
    out_u64(out, frame->size_bytes);
    put_tsv_text(out, texts[1]);
    put_tsv_text(out, texts[2]);
    out_byte(out, '\n');
}

static void put_cells(struct table *table, uint64_t number, const struct tfile_frame *frame,
                      const uint64_t *pc, const char *const texts[3])
{
    table_u64(table, number);
    table_u64(table, frame->number);
    if (pc)
        table_address(table, *pc);
    else
        table_none(table);
    table_text(table, texts[0]);
    table_u64(table, frame->offset);
    table_u64(table, frame->size_bytes);
    table_text(table, texts[1]);
    table_text(table, *texts[2] ? texts[2] : NULL);
}

static void put_frames(struct frames *frames, struct out *out)
{
    struct command *command = &frames->common;
    const struct tfile *file = tfile_file(command);
    for (uint64_t i = 0; i < file->frames.count && !out_failed(out); i++) {
        const struct tfile_frame *frame = &file->frames.items[i];
        uint64_t pc;
        if (!tfile_wants_frame(command, i))
            continue;
        bool has_pc = tfile_frame_pc(file, frame, &pc);
        const char *const texts[] = {has_pc ? tfile_function(command, pc) : NULL,
                                     tfile_frame_marks(file, frame), collected(frames, frame)};
        if (frames->is_tsv)
            put_tsv(out, i, frame, has_pc ? &pc : NULL, texts);
        else
            put_cells(&frames->table, i, frame, has_pc ? &pc : NULL, texts);
    }
}

// --- The command ---------------------------------------------------------------------------------

static void put_tsv_heading(struct out *out)
{
    for (size_t i = 0; i < ARRAY_COUNT(columns); i++) {
        out_text(out, i ? "\t" : "");
        out_text(out, columns[i].key);
    }
    out_byte(out, '\n');
}

static enum exit_status report(struct frames *frames)
{
    struct command *command = &frames->common;
    struct out out;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!command_output(command, &out, &status))
        return status;
    if (frames->is_tsv)
        put_tsv_heading(&out);
    else if (!command_table(command, &frames->table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    put_frames(frames, &out);
    if (!frames->is_tsv)
        table_end(&frames->table);
    return command_end(command, &out);
}

static bool find_format(struct frames *frames, struct options_parser *parser)
{
    struct command *command = &frames->common;
    frames->is_tsv = command->format && strcmp(command->format, "tsv") == 0;
    if (!command->format || frames->is_tsv ||
        table_format_named(command->format, &command->table_format))
        return true;
    options_error(parser, "'--format': '%s': expected table, csv, tsv or json", command->format);
    return false;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    (void)self, (void)parser, (void)option, (void)match;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct frames frames = {0};
    struct options_parser parser;
    struct error err;
    enum exit_status status = EXIT_STATUS_FAILED;
    const struct command_own own = {&frames, take};
    bool is_taken = tfile_begin_command(&frames.common, self, &parser, argc, argv, &own) &&
                    find_format(&frames, &parser);
    if (!is_taken)
        status = parser.status;
    else if (out_open_memory(&frames.collected, &err) != STATUS_OK)
        status = command_error(&frames.common, &err);
    else if (tfile_open_trace(&frames.common, &status))
        status = report(&frames);
    if (is_taken)
        out_abandon(&frames.collected);
    command_free(&frames.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FORMAT, 0, "format", "FORMAT", "table (default), csv, tsv or json"},
    {0},
};

const struct command_spec tfile_frames_command = {
    .name = "tfile frames",
    .manner = MANNER_TRAWL,
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
