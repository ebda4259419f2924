// annotate: a function with how often and how long each of its lines and instructions was executed.
#include "cmd/browsing.h"
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/driver.h"
#include "cmd/option_rows.h"
#include "export/annotation_formats.h"
#include "query/annotation.h"

#include <stdlib.h>

enum {
    OPTION_ANNOTATE_FORMAT = OPTION_OWN,
    OPTION_ANNOTATE_SOURCE,
    OPTION_ANNOTATE_SOURCE_MAP,
};

enum format { FORMAT_TEXT, FORMAT_HTML, FORMAT_JSON };

static const char *const formats[] = {"text", "html", "json", NULL};

struct annotate {
    struct command common;
    unsigned format; // enum format
    struct source_search search;
    struct source_lines lines;
    uint64_t whole_ticks;
};

// --- Writing -------------------------------------------------------------------------------------

struct writer {
    struct annotate *annotate;
    struct out *out;
    struct json json;
};

static void put(struct writer *writer, const struct annotation *annotation)
{
    struct annotate *annotate = writer->annotate;
    struct annotation_sources sources = {.search = &annotate->search,
                                         .lines = &annotate->lines,
                                         .names = &annotate->common.session.names};
    if (annotate->format == FORMAT_TEXT)
        annotation_write_text(annotation, &sources, annotate->whole_ticks, writer->out);
    else if (annotate->format == FORMAT_HTML)
        annotation_write_html(annotation, &sources, annotate->whole_ticks, writer->out);
    else
        annotation_write_json(annotation, &sources, annotate->whole_ticks, &writer->json);
    if (sources.unread)
        diag_warning(&annotate->common.diag,
                     "%s: cannot be read (%s): its source lines are left out", sources.unread,
                     strerror(sources.error));
    annotation_sources_close(&sources);
}

// --- Functions -----------------------------------------------------------------------------------

static uint64_t start_of(const struct annotate *annotate, uint64_t pc)
{
    uint64_t start;
    return names_start_of(&annotate->common.session.names, pc, &start) ? start : pc;
}

// Counts of one function are consecutive, unless another function lies inside it: then it is shown
// in pieces.
static bool put_functions(struct annotate *annotate, struct writer *writer,
                          const struct pc_count *counts, size_t count)
{
    struct session *session = &annotate->common.session;
    const struct annotation_source source = {
        .names = &session->names,
        .lines = &annotate->lines,
        .trace = session->trace,
        .how = {.reading = session->reading,
                .implicit_state = session->implicit_thumb ? STATE_IS_THUMB : STATE_BY_SIZE,
                .prefix = session->prefix},
    };
    bool has_memory = true;
    for (size_t i = 0, next; i < count && has_memory; i = next) {
        const uint64_t start = start_of(annotate, counts[i].pc);
        for (next = i + 1; next < count && start_of(annotate, counts[next].pc) == start;)
            next++;
        struct annotation annotation;
        has_memory = annotation_make(&annotation, &source, start, counts + i, next - i);
        if (has_memory)
            put(writer, &annotation);
        annotation_free(&annotation);
    }
    return has_memory && !source_lines_lacked_memory(&annotate->lines) &&
           !session->names.lacks_memory;
}

// --- The report ----------------------------------------------------------------------------------

static bool write_all(struct annotate *annotate, const struct pc_count *counts, size_t count)
{
    struct command *command = &annotate->common;
    if (!command_output(command))
        return false;
    struct writer writer = {.annotate = annotate, .out = &command->out};
    if (annotate->format == FORMAT_HTML)
        annotation_begin_html(writer.out, annotate->common.session.path);
    if (annotate->format == FORMAT_JSON) {
        json_begin(&writer.json, writer.out, 4);
        json_begin_object(&writer.json);
        json_key(&writer.json, "functions");
        json_begin_array(&writer.json);
    }
    if (!put_functions(annotate, &writer, counts, count))
        return command_no_memory(command);
    if (annotate->format == FORMAT_HTML)
        annotation_end_html(writer.out);
    if (annotate->format == FORMAT_JSON) {
        json_end_array(&writer.json);
        json_end_object(&writer.json);
        json_end(&writer.json);
    }
    return command_end(command);
}

static bool report(void *self)
{
    struct annotate *annotate = self;
    struct command *command = &annotate->common;
    struct session *session = &command->session;
    struct pc_counts counts = {0};
    struct pc_count *sorted = NULL;
    struct error err;
    // The text of instructions is read from the trace while they are counted.
    if (browsing_check_trace(session, "annotated", &err) != STATUS_OK ||
        source_lay_out(session->trace->source, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (!names_have_image(&session->names))
        return command_fail_with(command, STATUS_INPUT,
                                 "%s: annotate needs the image of the program: --image FILE",
                                 session->path);
    bool is_done = instruction_counts_add(command, &counts);
    if (is_done && !(sorted = pc_counts_sorted(&counts)))
        is_done = command_no_memory(command);
    // Keeps the counts of the requested functions.
    size_t kept = 0;
    for (size_t i = 0; is_done && i < counts.count; i++) {
        annotate->whole_ticks += sorted[i].ticks;
        if (session_takes_function(session, start_of(annotate, sorted[i].pc)))
            sorted[kept++] = sorted[i];
    }
    is_done =
        is_done && command_require_shown(command, kept != 0) && write_all(annotate, sorted, kept);
    free(sorted);
    pc_counts_free(&counts);
    source_places_end(command, &annotate->lines);
    return is_done;
}

// --- The command ---------------------------------------------------------------------------------

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct annotate *annotate = self;
    if (option == OPTION_ANNOTATE_SOURCE || option == OPTION_ANNOTATE_SOURCE_MAP)
        return browsing_take_source(&annotate->search, parser, match,
                                    option == OPTION_ANNOTATE_SOURCE_MAP);
    return options_choice(parser, match, formats, "text, html or json", &annotate->format);
}

static bool check(void *self, struct options_parser *parser)
{
    const struct annotate *annotate = self;
    return annotate->common.session.filter.function ||
           options_refuse(parser, "needs --function NAME");
}

static enum exit_status run(const struct command_spec *spec, int argc, char *const *argv)
{
    struct annotate annotate = {0};
    command_begin(&annotate.common, spec);
    annotate.common.session.index.in_memory = true;
    enum exit_status status = command_run(&annotate.common, argc, argv,
                                          &(struct command_steps){&annotate, take, check, report});
    source_search_free(&annotate.search);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_FUNCTION, 0, "function", "NAME", "the function to show (name or address)"},
    {OPTION_ANNOTATE_FORMAT, 0, "format", "FORMAT",
     "text (default); html: one file that loads nothing; json"},
    {OPTION_ANNOTATE_SOURCE, 0, ROW_SOURCE},
    {OPTION_ANNOTATE_SOURCE_MAP, 0, ROW_SOURCE_MAP},
    {0},
};

const struct command_spec annotate_command = {
    .name = "annotate",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_INSTRUCTIONS,
    .describe_input = trace_inputs_describe,
    .summary = "source lines and instructions of a function, with time and visits",
    .description =
        "Shows a function line by line: each source line that has code in it, with the ticks of "
        "its instructions and the visits of the one that was executed most; below it its "
        "instructions as the trace shows them, with their ticks and visits, how often a branch was "
        "taken and not taken, and how often an instruction was skipped by its condition. "
        "Instructions that were never executed are not shown, as no trace has them. A branch that "
        "an exception follows counts as neither taken nor not taken. Lines need an image with "
        "debugging information (gcc -g).",
    .common = &trace_common_options,
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"what to show", filter_options},
                                            {"how to read the trace", image_options},
                                            {NULL, no_offsets_options},
                                            {NULL, reading_options},
                                            {"the trace in several files", files_options},
                                            {"how to run", run_options},
                                            {0}},
    .positionals = trace_positional,
    .examples = "trawl annotate --function main --image prog.elf run.tarmac\n"
                "trawl annotate --function main --image prog.elf --format html -o main.html "
                "run.tarmac\n",
    .alternatives = trace_alternatives,
    .run = run,
};
