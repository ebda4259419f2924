// doctor: the kind of a trace file, how much of it is understood, and what looks wrong.
#include "cmd/command.h"
#include "cmd/commands.h"
#include "cmd/option_rows.h"
#include "cmd/report_damage.h"
#include "cmd/trace_pass.h"

#include "flow/call_consumer.h"
#include "query/doubt_text.h"
#include "report/out.h"
#include "session/indexing.h"
#include "session/run.h"
#include "trace/examination.h"

#include <inttypes.h>

enum { OPTION_ANONYMIZE = OPTION_OWN };

// Lines shown of a file that is not a trace.
enum { FOREIGN_SHAPES = 3 };

// Address spaces whose registers are shown.
enum { SHOWN_SPACES = 16 };

struct doctor {
    struct command common;
    bool is_anonymous;
    struct examination examination;
};

// --- Output --------------------------------------------------------------------------------------

static void put_padded(struct out *out, const char *name)
{
    out_text(out, name);
    for (size_t i = strlen(name); i < 18; i++)
        out_byte(out, ' ');
}

static void put_fact(struct out *out, const char *name, const char *text)
{
    put_padded(out, name);
    out_clean(out, text);
    out_byte(out, '\n');
}

// Whether it is not a trace, but recognized as something else.
static bool is_unknown_format(const struct doctor *doctor)
{
    return doctor->examination.is_no_trace && doctor->common.session.trace->seems;
}

static void put_shapes(const struct doctor *doctor, struct out *out)
{
    const struct examination *examination = &doctor->examination;
    size_t count = examination->shapes.count;
    size_t shown = is_unknown_format(doctor) ? u64_min(count, FOREIGN_SHAPES) : count;
    uint64_t others = examination->lines_of_other_shapes;
    if (count)
        out_text(out, "\nnot understood\n");
    for (size_t i = 0; i < shown; i++) {
        const struct examined_shape *shape = &examination->shapes.items[i];
        char example[EXAMINED_TEXT_BYTES];
        memcpy(example, shape->example, sizeof example);
        if (doctor->is_anonymous)
            anonymize_line(example);
        out_text(out, "* ");
        out_u64(out, shape->count);
        out_text(out, shape->count == 1 ? " line, " : " lines, the first is ");
        out_u64(out, shape->line);
        out_text(out, ": ");
        out_clean(out, shape->reason);
        out_text(out, "\n  ");
        out_clean(out, example);
        out_byte(out, '\n');
    }
    for (size_t i = shown; i < count; i++)
        others += examination->shapes.items[i].count;
    if (!others)
        return;
    out_text(out, "* ");
    out_u64(out, others);
    out_text(out, others == 1 ? " more line of another shape\n" : " more lines of other shapes\n");
}

// --- Examining -----------------------------------------------------------------------------------

static void take_warning(void *self, const char *text)
{
    examination_finding(self, "reports say so as well", "%s", text);
}

static void take_loss(void *self, const char *text)
{
    struct examination *to = self;
    to->lines_not_understood++;
    examination_finding(to, "reports say so as well, and end with status 3", "%s", text);
}

// Adds what reports on the trace say of it as well: a pass finds it as it matches calls.
static enum status take_doubts(struct doctor *doctor, struct error *err)
{
    struct trace *trace = doctor->common.session.trace;
    struct pass_options options =
        session_pass_options(&doctor->common.session, &call_consumer_none, NULL);
    struct indexing_doubts found = {0};
    const struct pass_observer silent = {0};
    struct pass_result result = {0};
    if (!trace_can(trace, TRACE_CALLS) || doctor->examination.is_no_trace)
        return STATUS_OK;
    source_rewind(trace->source);
    trace->progress = NULL; // it was shown once
    options.segments = indexing_doubts_only(&found);
    enum status status = trace->kind->run(trace, &options, &silent, &result, err);
    result.doubts.of[DOUBT_LOADS] = found.contradictions;
    if (status == STATUS_OK) {
        // Tells how many address spaces memory was accessed in, and the first ones, if they are
        // more than memory at its addresses.
        const struct space_count *spaces = &found.spaces;
        const size_t count = spaces->spaces.count;
        if (spaces->has_places) {
            examination_fact(&doctor->examination, "address spaces", "%s%zu",
                             count == LIMIT_SPACES ? "at least " : "", count);
            for (size_t i = 0; i < count && i < SHOWN_SPACES; i++) {
                const struct counted_space *space = &spaces->spaces.items[i];
                char text[INDEX_SPACE_TEXT_BYTES];
                index_space_text(&space->space, text);
                examination_fact(&doctor->examination, "", "%s: %" PRIu64 " accesses", text,
                                 space->accesses);
            }
        }
    }
    for (enum doubt_kind kind = 0; status == STATUS_OK && kind < DOUBT_KINDS; kind++) {
        char text[DOUBT_TEXT_BYTES];
        const char *effect, *advice;
        if (!result.doubts.of[kind].count)
            continue;
        doubt_describe(trace, kind, &result.doubts.of[kind], text, &effect, &advice);
        examination_finding(&doctor->examination, advice, "%s", text);
    }
    pass_result_free(&result);
    indexing_doubts_free(&found);
    return status;
}

// Reads a trace of a kind that is read as a whole.
static enum status read_whole(struct doctor *doctor, struct error *err)
{
    struct trace *trace = doctor->common.session.trace;
    const struct pass_options options = session_pass_options(&doctor->common.session, NULL, NULL);
    const struct pass_observer silent = {0};
    const struct trace_reporter reporter = {&doctor->examination, take_warning, take_loss, NULL};
    struct pass_result result = {0};
    if (!trace_can(trace, TRACE_CONTEXTS))
        return STATUS_OK; // opening it was enough
    enum status status = trace->kind->run(trace, &options, &silent, &result, err);
    if (status == STATUS_OK && !pass_result_has_events(&result)) {
        doctor->examination.lines_not_understood++;
        examination_finding(&doctor->examination, "check whether the run wrote any",
                            "there is no record");
    }
    if (status == STATUS_OK && trace->kind->telling.sum_up)
        trace->kind->telling.sum_up(trace, &result, &reporter);
    pass_result_free(&result);
    return status;
}

// What it found damaged.
static void take_damage(struct doctor *doctor)
{
    struct examination *to = &doctor->examination;
    const struct trace *trace = doctor->common.session.trace;
    const struct trace_damage *damage = &trace->damage;
    uint64_t shown = u64_min(damage->count, LIMIT_DAMAGE_KEPT);
    to->lines_not_understood += damage->count;
    if (damage->count)
        examination_finding(to, "the rest is read; the first ones are shown here",
                            "damaged %s: %" PRIu64 ", %" PRIu64 " bytes", trace->kind->words.parts,
                            damage->count, damage->size_bytes);
    for (uint64_t i = 0; i < shown; i++) {
        char text[TRACE_FAULT_TEXT_BYTES];
        trace->kind->telling.fault_text(&damage->first[i], text);
        examination_finding(to, "left out", "at byte %" PRIu64 ": %s", damage->first[i].offset,
                            text);
    }
}

// Where a compressed file ends early.
static void take_packed_damage(struct doctor *doctor)
{
    const struct source_fault fault = source_fault(doctor->common.session.trace->source);
    if (!fault.text)
        return;
    doctor->examination.lines_not_understood++;
    examination_finding(&doctor->examination, "everything after it is missing",
                        "the compressed data %s at byte %" PRIu64, fault.text, fault.packed_byte);
}

static enum status examine(struct doctor *doctor, struct error *err)
{
    struct session *session = &doctor->common.session;
    struct trace *trace = session->trace;
    struct examination *to = &doctor->examination;
    if (!trace->kind->telling.examine) {
        enum status status = read_whole(doctor, err);
        if (status != STATUS_OK)
            return status;
        take_damage(doctor);
        take_packed_damage(doctor);
        return to->has_no_memory ? error_set(err, STATUS_MEMORY, "no memory for the damage")
                                 : STATUS_OK;
    }
    const char *bytes;
    uint64_t size_bytes;
    enum status status = STATUS_OK;
    if (!source_is_file(trace->source)) // it is read twice
        status = source_read_all(trace->source, &bytes, &size_bytes, err);
    if (status == STATUS_OK)
        status = trace->kind->telling.examine(trace, to, err);
    progress_end(&doctor->common.progress);
    if (status == STATUS_OK)
        status = take_doubts(doctor, err);
    if (status != STATUS_OK) {
        const struct error cause = *err;
        return error_set(err, status, "%s: %s", session->path, cause.text);
    }
    take_packed_damage(doctor);
    if (trace->prefix_hint)
        examination_finding(to, "give that option, in quotes as it is here",
                            "each line begins with something before its record, which "
                            "--strip-prefix '%s' leaves out",
                            trace->prefix_hint);
    else if (trace->seems && to->shapes.count && !to->is_no_trace)
        examination_finding(to, "give a trace that trawl reads", "the file seems to be %s",
                            trace->seems);
    return status;
}

static bool report(struct doctor *doctor)
{
    struct command *command = &doctor->common;
    struct out *out = &command->out;
    struct error err;
    if (!command_ensure_open(command))
        return false;
    if (examine(doctor, &err) != STATUS_OK)
        return command_fail(command, &err);
    if (!command_output(command))
        return false;
    const struct session *session = &doctor->common.session;
    const struct trace *trace = session->trace;
    put_fact(out, "trace", doctor->is_anonymous ? "-" : session->path);
    put_fact(out, "kind", is_unknown_format(doctor) ? trace->seems : trace->kind->words.a);
    if (source_is_file(trace->source)) {
        put_padded(out, "bytes");
        out_u64(out, source_text_bytes(trace->source));
        out_byte(out, '\n');
    }
    for (size_t i = 0; !is_unknown_format(doctor) && i < doctor->examination.facts.count; i++)
        put_fact(out, doctor->examination.facts.items[i].about,
                 doctor->examination.facts.items[i].text);
    out_text(out, doctor->examination.findings.count ? "\nfindings\n" : "\nnothing looks wrong\n");
    for (size_t i = 0; i < doctor->examination.findings.count; i++) {
        const struct examined_text *finding = &doctor->examination.findings.items[i];
        out_text(out, "* ");
        out_clean(out, finding->text);
        out_text(out, "\n  ");
        out_text(out, finding->about);
        out_byte(out, '\n');
    }
    put_shapes(doctor, out);
    if (command_close(command, &err) != STATUS_OK)
        return command_fail(command, &err);
    command_done(command);
    if (doctor->examination.lines_not_understood || doctor->examination.is_no_trace)
        command->status = EXIT_STATUS_DAMAGED;
    return true;
}

static int take(void *self, struct options_parser *parser, int option,
                const struct option_match *match)
{
    struct doctor *doctor = self;
    (void)parser, (void)match;
    ASSERT(option == OPTION_ANONYMIZE);
    doctor->is_anonymous = true;
    return OPTION_END;
}

static enum exit_status run(const struct command_spec *self, int argc, char *const *argv)
{
    struct doctor doctor = {0};
    struct options_parser parser;
    command_begin(&doctor.common, self);
    if (command_options(&doctor.common, &parser, argc, argv,
                        &(struct command_steps){.self = &doctor, .take = take}))
        report(&doctor);
    else
        doctor.common.status = parser.status;
    enum exit_status status = doctor.common.status;
    examination_free(&doctor.examination);
    command_free(&doctor.common);
    return status;
}

static const struct option_spec own_options[] = {
    {OPTION_ANONYMIZE, 0, "anonymize", NULL,
     "show lines without their addresses, values and operands, for a bug report"},
    {ROW_STRIP_PREFIX},
    {ROW_OUTPUT},
    {ROW_QUIET},
    {0},
};

const struct command_spec doctor_command = {
    .name = "doctor",
    .option_set = OPTIONS_TRAWL,
    .summary = "what kind of trace a file is, and what looks wrong in it",
    .description =
        "Reads the whole trace and reports its dialect, how much of it is understood, what "
        "looks wrong (times that go backwards, registers that are never written, missing "
        "instructions) and what to do about it. Then shows the lines that are not understood: one "
        "example of each form, with the number of such lines. The exit status is 3 if there are "
        "any.",
    .groups = (const struct option_group[]){{"options", own_options},
                                            {"the trace in several files", files_options},
                                            {0}},
    .describe_input = trace_inputs_describe,
    .positionals = trace_positional,
    .examples = "trawl doctor run.tarmac\n"
                "trawl doctor --anonymize run.tarmac >report.txt\n",
    .run = run,
};
