// grep: the lines of a trace that match a regular expression.
#include "base/line_ends.h"
#include "base/ordered.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/report_damage.h"
#include "cmd/trace_pass.h"
#include "report/out.h"
#include "search/line_matcher.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPTION_COUNT = OPTION_OWN };

#define GREP_CHUNK_BYTES ((size_t)1 << 20)

// The work of one thread.
struct slot {
    struct source_chunk chunk;
    struct source_buffer buffer;
    struct line_matcher *matcher;
    VEC(, struct line_place) hits; // places in the chunk, with lines counted from 0
    uint64_t line_count;           // that end in the chunk
    uint64_t hit_count;
    bool lacks_memory;
};

struct grep {
    struct command common;
    const char *pattern;
    bool counts_only;
    struct slot *slots;
    enum status status; // of the first failure
    struct error err;
    // The output, in order.
    uint64_t lines, hits;    // so far
    struct trace_lines text; // all of it, for --context
    struct line_place next;  // after the last line shown; line 0: none yet
    uint64_t last_hit;
    bool is_answered; // status 1 means that no line matches
};

// --- Chunks --------------------------------------------------------------------------------------

static bool take(void *self, unsigned worker)
{
    struct grep *grep = self;
    struct slot *slot = &grep->slots[worker];
    if (grep->status != STATUS_OK)
        return false;
    grep->status = source_next(grep->common.session.trace->source, GREP_CHUNK_BYTES, &slot->buffer,
                               &slot->chunk, &grep->err);
    return grep->status == STATUS_OK && slot->chunk.size_bytes;
}

// A line that began in the previous chunk belongs to that one.
static const char *first_line(const struct source_chunk *chunk)
{
    const char *end = chunk->data + chunk->size_bytes;
    const char *newline = chunk->starts_in_line ? line_end_at(chunk->data, end) : NULL;
    return !newline ? chunk->data : newline < end ? newline + 1 : end;
}

static bool keep_hit(struct slot *slot, const char *line, const char **counted)
{
    const char *data = slot->chunk.data;
    slot->line_count += line_count_in(*counted, line);
    *counted = line;
    if (!VEC_ROOM(&slot->hits, 1))
        return false;
    slot->hits.items[slot->hits.count++] =
        (struct line_place){slot->line_count, (uint64_t)(line - data)};
    return true;
}

static void find(void *self, unsigned worker)
{
    struct grep *grep = self;
    struct slot *slot = &grep->slots[worker];
    const struct source *source = grep->common.session.trace->source;
    const char *end = slot->chunk.data + slot->chunk.size_bytes, *counted = slot->chunk.data;
    source_populate(source, &slot->chunk);
    slot->hits.count = 0;
    slot->hit_count = slot->line_count = 0;
    slot->lacks_memory = false;
    line_matcher_begin(slot->matcher, end, end);
    if (grep->counts_only) {
        slot->hit_count = line_matcher_count(slot->matcher, first_line(&slot->chunk));
        return;
    }
    for (const char *at = first_line(&slot->chunk);
         at < end && !slot->lacks_memory && (at = line_matcher_next(slot->matcher, at));
         at = line_end_at(at, end) + 1) {
        slot->hit_count++;
        slot->lacks_memory = !keep_hit(slot, at, &counted);
    }
    slot->line_count += line_count_in(counted, end);
}

struct line_cells {
    uint64_t line, position;
    const char *text;
};

#define VALUE(name) FIELD_VALUE(struct line_cells, name)

static const struct field fields[] = {
    {"Line", "line", COLUMN_LINE, VALUE(line)},
    {"Byte", "position", COLUMN_U64, VALUE(position)},
    {"Text", "text", COLUMN_WHOLE, VALUE(text)},
};

// --- Lines ---------------------------------------------------------------------------------------

static void put_line(struct grep *grep, const struct trace_lines *lines,
                     const struct line_place *place, uint64_t number, char mark)
{
    char text[FILE_PLACE_BYTES];
    const char *place_in_file = file_place_of_line(grep->common.session.trace, number, text);
    if (place_in_file)
        out_clean(&grep->common.out, place_in_file);
    else
        out_u64(&grep->common.out, number);
    out_byte(&grep->common.out, mark);
    text_around_put_line(&grep->common.out, lines, place);
    out_byte(&grep->common.out, '\n');
}

static bool put_row(struct grep *grep, const struct trace_lines *lines,
                    const struct line_place *place, uint64_t number, uint64_t position)
{
    char *text = trace_context_copy(lines, place);
    if (!text)
        return false;
    command_row(&grep->common, &(struct line_cells){number, position, text},
                &(struct line_place){number, position});
    free(text);
    return true;
}

// Shows lines without matches after the last one shown, up to `last` and to the line at `position`.
static void put_between(struct grep *grep, uint64_t last, uint64_t position)
{
    struct line_place *next = &grep->next;
    while (next->line && next->line <= last && next->position < position) {
        put_line(grep, &grep->text, next, next->line, '-');
        if (!text_around_next(&grep->text, next))
            *next = (struct line_place){UINT64_MAX, grep->text.size_bytes};
    }
}

static bool put_hit(struct grep *grep, const struct slot *slot, const struct line_place *hit)
{
    const struct trace_lines lines = {slot->chunk.data, slot->chunk.size_bytes, NULL};
    const struct line_place place = {grep->lines + hit->line + 1,
                                     slot->chunk.offset + hit->position};
    if (grep->common.table_format != TABLE_TEXT)
        return put_row(grep, &lines, hit, place.line, place.position);
    if (grep->common.context.is_wanted) {
        struct line_place *next = &grep->next, before = place;
        uint64_t context = grep->common.context.count;
        put_between(grep, grep->last_hit + context, place.position);
        text_around_go_back(&grep->text, &before, context);
        if (next->line && before.position > next->position)
            out_text(&grep->common.out, "--\n");
        if (!next->line || before.position > next->position)
            *next = before;
        put_between(grep, place.line, place.position);
        put_line(grep, &grep->text, &place, place.line, ':');
        grep->last_hit = place.line;
        *next = place;
        if (!text_around_next(&grep->text, next))
            *next = (struct line_place){UINT64_MAX, grep->text.size_bytes};
    } else {
        put_line(grep, &lines, hit, place.line, ':');
    }
    return true;
}

static bool put(void *self, unsigned worker)
{
    struct grep *grep = self;
    struct slot *slot = &grep->slots[worker];
    bool has_memory = !slot->lacks_memory;
    for (size_t i = 0; i < slot->hits.count && has_memory && !out_failed(&grep->common.out); i++)
        has_memory = put_hit(grep, slot, &slot->hits.items[i]);
    grep->lines += slot->line_count;
    grep->hits += slot->hit_count;
    source_release(grep->common.session.trace->source, &slot->chunk);
    if (!has_memory)
        grep->common.session.names.lacks_memory = true; // which the output depends on
    return has_memory && !out_failed(&grep->common.out);
}

// --- The report ----------------------------------------------------------------------------------

static bool end(struct grep *grep)
{
    struct command *command = &grep->common;
    const struct session *session = &command->session;
    struct error err = grep->err;
    enum status status = grep->status;
    if (grep->counts_only) {
        out_u64(&command->out, grep->hits);
        out_byte(&command->out, '\n');
    } else if (command->has_table) {
        table_end(&command->table);
    } else {
        put_between(grep, grep->last_hit + command->context.count, UINT64_MAX);
    }
    command->has_table = false;
    if (status == STATUS_OK && !source_is_intact(session->trace->source))
        status = error_set(&err, STATUS_INPUT, "%s: the trace was changed while it was read",
                           session->path);
    command->has_output = status != STATUS_OK; // to be discarded
    if (status == STATUS_OK)
        status = command_close(command, &err);
    report_packed_damage(&command->diag, session->trace->source);
    if (status != STATUS_OK)
        return command_fail(command, &err);
    command_say_of_growth(command);
    grep->is_answered = true;
    enum exit_status ended = diag_end(&command->diag, session->path, "lines");
    if (!grep->hits && !grep->counts_only)
        command_fail_with(command, STATUS_NOT_FOUND, "%s: no line matches '%.200s'", session->path,
                          grep->pattern);
    command_done(command);
    command->status = grep->hits || ended != EXIT_STATUS_DONE ? ended : EXIT_STATUS_NO_MATCH;
    return true;
}

static bool search(struct grep *grep)
{
    struct command *command = &grep->common;
    struct source *source = command->session.trace->source;
    const struct ordered_work work = {take, find, put};
    struct error err;
    bool is_table = !grep->counts_only && command->table_format != TABLE_TEXT;
    if (!command_context(command) ||
        !(is_table ? command_fields(command, fields, ARRAY_COUNT(fields), 0)
                   : command_output(command)))
        return false;
    grep->text = command->context.lines;
    // Lines are shown with their files if there are several.
    if (!grep->counts_only && source_find_files(source, &err) != STATUS_OK)
        return command_fail(command, &err);
    ordered_run(command->session.threads, grep, &work);
    return end(grep);
}

static enum status open_slots(struct grep *grep, struct error *err)
{
    unsigned threads = grep->common.session.threads;
    enum status status = STATUS_OK;
    grep->slots = calloc(threads, sizeof *grep->slots);
    if (!grep->slots)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    for (unsigned i = 0; i < threads && status == STATUS_OK; i++)
        status = line_matcher_open(&grep->slots[i].matcher, grep->pattern,
                                   grep->common.session.simd, err);
    return status;
}

static bool report(struct grep *grep)
{
    struct command *command = &grep->common;
    struct error cause;
    if (!command_detect(command) || !command_ensure_open(command))
        return false;
    enum status opened = open_slots(grep, &cause);
    return opened == STATUS_OK
               ? search(grep)
               : command_fail_with(command, opened, "'%.200s': %s", grep->pattern, cause.text);
}

static int take_own(void *self, struct options_parser *parser, int option,
                    const struct option_match *match)
{
    struct grep *grep = self;
    (void)parser;
    if (option == OPTION_POSITIONAL)
        grep->pattern = match->value;
    else
        grep->counts_only = true;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct grep grep = {.status = STATUS_OK};
    struct options_parser parser;
    command_begin(&grep.common, self);
    if (command_options(&grep.common, &parser, argc, argv,
                        &(struct command_steps){.self = &grep, .take = take_own}))
        report(&grep);
    else
        grep.common.status = parser.status;
    enum exit_status status = grep.common.status;
    for (unsigned i = 0; grep.slots && i < grep.common.session.threads; i++) {
        line_matcher_close(grep.slots[i].matcher);
        free(grep.slots[i].buffer.bytes);
        free(grep.slots[i].hits.items);
    }
    free(grep.slots);
    command_free(&grep.common);
    return status == EXIT_STATUS_FAILED && !grep.is_answered ? EXIT_STATUS_TROUBLE : status;
}

static const struct option_spec own_options[] = {
    {OPTION_COUNT, 'c', "count", NULL, "only how many lines there are"},
    TRACE_CONTEXT_OPTION,
    {ROW_FORMAT},
    {ROW_STRIP_PREFIX},
    {ROW_OUTPUT},
    {ROW_THREADS},
    {0},
};

const struct command_spec grep_command = {
    .name = "grep",
    .option_set = OPTIONS_TRAWL,
    .needs = TRACE_LINES,
    .describe_input = trace_inputs_describe,
    .summary = "the lines of a trace that match a regular expression",
    .description =
        "Prints the lines that match REGEX, a POSIX extended regular expression. Each line is "
        "preceded by its number, for --at line:N of other commands; CSV and JSON also give the "
        "byte offset at which it begins. Only the first 64 KiB of each line are searched. No "
        "index is needed.\n"
        "The exit status is 0 if a line matches, 1 if none does, 2 if the trace could not be "
        "searched, and 3 if damaged parts of it were left out.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the trace in several files", files_options},
                                            {0}},
    .positionals =
        (const struct positional_spec[]){
            {"TRACE", "{input} to read; - for standard input", NULL, false, false},
            {"REGEX", "what to look for", NULL, false, false},
            {0}},
    .examples = "trawl grep run.tarmac 'BL +.*malloc'\n"
                "trawl grep run.tarmac 'R pc' --count\n"
                "trawl grep run.tarmac ' E .*IRQ' --context 3\n",
    .alternatives =
        (const int[]){OPTION_COUNT, OPTION_CONTEXT, 0, OPTION_COUNT, OPTION_FORMAT, 0, 0},
    .answers = {"A line matches.", "None does."},
    .run = run,
};
