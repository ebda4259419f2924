// show: the lines of a trace around a place.
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "cmd/report_damage.h"
#include "session/session_index.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CONTEXT_DEFAULT = 5 };

struct show {
    struct command common;
    struct trace_lines lines;
    struct line_place place;
    struct position position; // of the text
};

struct line_cells {
    uint64_t line, position;
    const char *current, *text;
};

#define VALUE(name) FIELD_VALUE(struct line_cells, name)

static const struct field fields[] = {
    {"Line", "line", COLUMN_LINE, VALUE(line)},
    {"Byte", "position", COLUMN_U64, VALUE(position)},
    {"Current", "current", COLUMN_TEXT, VALUE(current)},
    {"Text", "text", COLUMN_WHOLE, VALUE(text)},
};

// --- The lines -----------------------------------------------------------------------------------

// False: no memory.
static bool put_rows(struct show *show)
{
    struct command *command = &show->common;
    struct line_place at = show->place;
    uint64_t context = command->context.count;
    text_around_go_back(&show->lines, &at, context);
    do {
        char *text = trace_context_copy(&show->lines, &at);
        if (!text)
            return false;
        command_row(command,
                    &(struct line_cells){.line = at.line,
                                         .position = at.position,
                                         .current = at.line == show->place.line ? "yes" : NULL,
                                         .text = text},
                    NULL);
        free(text);
    } while (at.line < show->place.line + context && text_around_next(&show->lines, &at));
    return true;
}

// Nothing is shown of a trace that was changed meanwhile.
static bool put(struct show *show)
{
    struct command *command = &show->common;
    const struct source *source = command->session.trace->source;
    const char *path = command->session.path;
    struct error err;
    bool has_memory = true;
    if (command->table_format != TABLE_TEXT) {
        if (!command_fields(command, fields, ARRAY_COUNT(fields), 0))
            return false;
        has_memory = put_rows(show);
        table_end(&command->table);
        command->has_table = false;
    } else if (!command_output(command)) {
        return false;
    } else {
        text_around_put(&command->out, &show->lines, &show->place, command->context.count);
    }
    enum status view = source_view_status(source, &err);
    if (view == STATUS_OK && !has_memory)
        view = error_set(&err, STATUS_MEMORY, "%s: no memory for a line", path);
    if (view == STATUS_OK && !source_is_intact(source))
        view = error_set(&err, STATUS_INPUT, "%s: the trace was changed while it was read", path);
    if (view == STATUS_OK)
        view = command_close(command, &err);
    if (view != STATUS_OK)
        return command_fail(command, &err);
    command_say_of_growth(command);
    report_packed_damage(&command->diag, source);
    command_done(command);
    command->status = diag_end(&command->diag, path, "lines");
    return true;
}

// --- Places of the text --------------------------------------------------------------------------

// Positions in the text, which need no index.
static bool is_of_text(struct command *command, struct position *position)
{
    struct error err;
    struct point_names none = {0};
    const struct expression_names names = point_names(&none);
    // FILE:LINE is known once the trace and its files are open.
    if (command->session.files.typed.count && command_detect(command) &&
        file_position_parse(position, command->at, &names, command->session.trace, &err) ==
            STATUS_OK &&
        position->kind == POSITION_LINE)
        return true;
    return (strncmp(command->at, "line:", 5) == 0 || strncmp(command->at, "byte:", 5) == 0 ||
            strcmp(command->at, "start") == 0 || strcmp(command->at, "end") == 0) &&
           position_parse(position, command->at, &names, &err) == STATUS_OK;
}

// A line at or before the requested one, from the index, for text that is not in memory.
static bool find_before(struct show *show, bool is_line, uint64_t wanted)
{
    const struct index_view *view = &show->common.session.view;
    struct trawl_event about;
    struct trawl_error failed;
    struct error err;
    uint64_t event;
    show->place = (struct line_place){1, 0};
    if (!view->index)
        return false;
    enum trawl_status status = is_line
                                   ? trawl_event_at_line(view->index, wanted, &event, &failed)
                                   : trawl_event_at_position(view->index, wanted, &event, &failed);
    if (status != TRAWL_OK)
        return false;
    if (event == TRAWL_START) // before all events
        return true;
    if (index_view_event(view, event, &about, &err) != STATUS_OK)
        return false;
    const struct line_place place = {about.line, about.position};
    bool is_right =
        text_around_has(&show->lines, &place) && (is_line ? place.line : place.position) <= wanted;
    show->place = is_right ? place : show->place;
    return is_right;
}

static enum status find_line(struct show *show, uint64_t line, struct error *err)
{
    const struct trace_lines *lines = &show->lines;
    struct line_place *place = &show->place;
    bool is_found = lines->size_bytes &&
                    (find_before(show, true, line)
                         ? text_around_go_to_line(lines, place, line)
                         : text_around_find_line(lines, line, show->common.session.threads, place));
    if (is_found)
        return STATUS_OK;
    uint64_t count = lines->size_bytes ? place->line : 0;
    return error_set(err, STATUS_NOT_FOUND, "the trace has %" PRIu64 " line%s", count,
                     plural(count));
}

static enum status find_byte(struct show *show, uint64_t position, struct error *err)
{
    const struct trace_lines *lines = &show->lines;
    if (position >= lines->size_bytes)
        return error_set(err, STATUS_NOT_FOUND, "the trace has %" PRIu64 " byte%s",
                         lines->size_bytes, plural(lines->size_bytes));
    if (find_before(show, false, position))
        text_around_go_to_byte(lines, &show->place, position);
    else
        text_around_find_byte(lines, position, show->common.session.threads, &show->place);
    return STATUS_OK;
}

static enum status find_in_text(struct show *show, const struct position *position,
                                struct error *err)
{
    switch (position->kind) {
    case POSITION_LINE:
        return find_line(show, position->value, err);
    case POSITION_BYTE:
        return find_byte(show, position->value, err);
    case POSITION_END:
        return find_byte(show, show->lines.size_bytes ? show->lines.size_bytes - 1 : 0, err);
    default:
        return find_line(show, 1, err);
    }
}

// Opens the text; a pipe is read to its end. Where an index says where its lines are, it is only
// read there: no line before has to be counted, decompressed or merged.
static bool read_text(struct show *show)
{
    struct session *session = &show->common.session;
    struct trace_lines *lines = &show->lines;
    struct error err = session->trace_error;
    bool is_viewed = session->trace && session_index(session, INDEX_FOR_TEXT, &err) == STATUS_OK &&
                     session->view.index;
    if (is_viewed && trace_lines_open(lines, session->trace->source, &err) == STATUS_OK)
        return true;
    if (!is_viewed && session->trace &&
        source_read_all(session->trace->source, &lines->text, &lines->size_bytes, &err) ==
            STATUS_OK)
        return true;
    return command_fail(&show->common, &err);
}

static bool show_text(struct show *show)
{
    struct command *command = &show->common;
    struct error err;
    if (!command_detect(command) || !read_text(show))
        return false;
    enum status found = find_in_text(show, &show->position, &err);
    if (found == STATUS_OK)
        return put(show);
    return source_view_status(command->session.trace->source, &err) != STATUS_OK
               ? command_fail(command, &err)
               : query_text_fail(command, "--at", command->at, &err);
}

// --- Places of events ----------------------------------------------------------------------------

static bool show_event(void *self)
{
    struct show *show = self;
    struct command *command = &show->common;
    const struct trace *trace = command->session.trace;
    struct trawl_event about;
    struct error err;
    show->place = (struct line_place){1, 0};
    if (command->event != TRAWL_START) {
        if (index_view_event(query_view(command), command->event, &about, &err) != STATUS_OK)
            return command_fail(command, &err);
        show->place = (struct line_place){about.line, about.position};
    }
    if (!trace)
        return command_fail(command, &command->session.trace_error);
    if (trace_lines_open(&show->lines, trace->source, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (text_around_has(&show->lines, &show->place))
        return put(show);
    if (source_view_status(trace->source, &err) != STATUS_OK)
        return command_fail(command, &err);
    return command_fail_with(command, STATUS_DAMAGED, "%s: no line begins where the index says",
                             command->session.view_path);
}

// --- The command ---------------------------------------------------------------------------------

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct show show = {0};
    struct command *command = &show.common;
    struct options_parser parser;
    const struct command_steps steps = {.self = &show};
    command_begin(command, self);
    command->context.count = CONTEXT_DEFAULT;
    bool is_taken = command_options(command, &parser, argc, argv, &steps);
    command->context.is_wanted = false; // the lines are the report themselves
    command->at = command->at ? command->at : "start";
    if (!is_taken) {
        command->status = parser.status;
    } else if (is_of_text(command, &show.position)) {
        if (!show_text(&show))
            command_abandon(command);
    } else {
        command->asks_index = true;
        if (command_open_images(command))
            command_report(command, show_event, &show);
    }
    enum exit_status status = command->status;
    command_free(command);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_AT, 0, "at", "POS",
     "line:N, byte:N, start (default), end; or of an event time:N, event:N, pc:ADDR[#K]"},
    {OPTION_CONTEXT, 0, "context", "N", "lines to show before and after it (default 5)"},
    {OPTION_LANE, 0, "lane", "NAME", "use events of this core, by its name in the trace (cpu0)"},
    {ROW_FORMAT},
    {0},
};

// No names are shown.
static const struct option_spec image_only_options[] = {
    {ROW_IMAGE},
    {ROW_LOAD_OFFSET},
    {ROW_FORCE_IMAGE},
    {0},
};

const struct command_spec show_command = {
    .name = "show",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_LINES | TRACE_REGISTERS,
    .describe_input = trace_inputs_describe,
    .summary = "the lines of a trace around a position",
    .description =
        "Prints the lines of the trace around a position, with line numbers; the line at POS is "
        "marked. The position of an event is the first of its lines. line:N and byte:N need no "
        "index, but find their lines faster with one; for other positions one is built if there is "
        "none.",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"names", image_only_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", query_index_options},
                                            {NULL, query_run_options},
                                            {0}},
    .positionals = query_positional,
    .examples = "trawl show run.tarmac --at line:51042\n"
                "trawl show --image prog.elf run.tarmac --at pc:main#3 --context 20\n",
    .alternatives = (const int[]){OPTION_LITTLE_ENDIAN, OPTION_BIG_ENDIAN, 0, OPTION_FORCE_INDEX,
                                  OPTION_NO_INDEX, 0, 0},
    .run = run,
};
