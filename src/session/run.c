#include "session/run.h"

#include "base/interrupt.h"
#include "session/task_key.h"

#include <inttypes.h>
#include <stdio.h>

// --- Requests ------------------------------------------------------------------------------------

struct pass_options session_pass_options(const struct session *session,
                                         const struct call_consumer *consumer,
                                         const struct watch_list *watch)
{
    bool is_told = session->byte_order != TRACE_ORDER_UNKNOWN;
    return (struct pass_options){
        .how = {.reading = session->reading,
                .implicit_state = session->implicit_thumb,
                .prefix = session->prefix},
        .threads = session->threads,
        .chunk_bytes = session->chunk_bytes,
        .stop_at_fault = session->reading == READING_TTU || session->is_strict,
        .keep_open_calls = session->keeps_open_calls,
        .wants_tasks = session->splits_by_task,
        .splits_by_task = session->splits_by_task,
        .parts_interrupts = session->splits_by_task && session->parts_interrupts,
        .range = session->filter.range,
        .functions = session->functions.entry_count ? &session->functions : NULL,
        .task_key = session->task_key ? &session->task_key->key : NULL,
        .programs = session->programs.hash ? &session->programs : NULL,
        .has_images = session->names.images.members.count > 0,
        .watch = watch ? *watch : (struct watch_list){0},
        .consumer = consumer ? *consumer : (struct call_consumer){0},
        .big_endian =
            is_told ? session->byte_order == TRACE_BIG_ENDIAN : session->names.is_big_endian,
        .simd = session->simd,
        .pauses = session->pauses,
    };
}

struct pass_request session_calls(const struct session *session,
                                  const struct call_consumer *consumer,
                                  const struct watch_list *watch)
{
    return (struct pass_request){NULL, NULL, session_pass_options(session, consumer, watch)};
}

// --- What a pass showed --------------------------------------------------------------------------

enum status session_no_events(const struct session *session, struct error *err)
{
    if (session->reading == READING_TTU)
        return error_set(err, STATUS_INPUT, "error: trace file contains no events at all");
    return error_set(err, STATUS_INPUT, "%s: trace contains no events at all", session->path);
}

enum status session_no_instructions(const struct session *session, struct error *err)
{
    const struct pass_result *result = &session->result;
    const struct unknown_word *word = &result->unknown.most[0];
    const char *a = session->trace->kind->words.a;
    char hint[UNKNOWN_WORD_BYTES + 256] = "";
    if (session->trace->prefix_hint)
        snprintf(hint, sizeof hint,
                 "; each line begins with something before its record: give --strip-prefix '%s'",
                 session->trace->prefix_hint);
    else if (session->trace->seems)
        snprintf(hint, sizeof hint, "; it seems to be %s, not %s", session->trace->seems, a);
    else if (word->line_count)
        snprintf(hint, sizeof hint, "; is it %s? most common: '%s' (%" PRIu64 " line%s)", a,
                 word->text, word->line_count, plural(word->line_count));
    return error_set(err, STATUS_INPUT, "%s: no instructions found in %" PRIu64 " line%s%s",
                     session->path, result->lines, plural(result->lines), hint);
}

enum status session_judge(const struct session *session, struct error *err)
{
    const struct pass_result *result = &session->result;
    bool is_understood = trace_is_understood(session->trace, result);
    if (result->stopped_at_fault)
        return error_set(err, STATUS_STOPPED, "%s: stopped", session->path);
    if (source_is_cut_short(session->trace->source) && !is_understood)
        return error_set(err, STATUS_INPUT, "%s: interrupted before there was anything to report",
                         session->path);
    if (!is_understood && (result->unknown_events || result->damaged_lines))
        return session_no_instructions(session, err);
    if (!pass_result_has_events(result))
        return session_no_events(session, err);
    if (!is_understood)
        return session_no_instructions(session, err);
    struct lane_names names = {.kind = session->trace->kind->words.lane};
    for (size_t i = 0; i < result->lane_count; i++) {
        if (filter_takes_lane(&session->filter, result->lanes[i].name))
            return STATUS_OK;
        lane_names_add(&names, result->lanes[i].name);
    }
    return filter_no_lane(&session->filter, session->path, &names, err);
}

// --- Passes --------------------------------------------------------------------------------------

// Damage ends a strict reading, and explains why a trace shows nothing.
static enum status judge_packed(const struct session *session, struct error *err)
{
    const struct source_fault fault = source_fault(session->trace->source);
    bool shows_something = pass_result_has_events(&session->result) &&
                           trace_is_understood(session->trace, &session->result);
    if (!fault.text || (!session->is_strict && shows_something))
        return STATUS_OK;
    return error_set(err, STATUS_INPUT, "%s: the compressed data %s at byte %" PRIu64,
                     session->path, fault.text, fault.packed_byte);
}

// Reads the trace, or the part of it up to Ctrl-C. Errors contain the name of their file.
enum status session_run(struct session *session, const struct pass_request *request,
                        const struct indexing_options *how, struct error *err)
{
    struct trace *trace = session->trace;
    struct pass_observer observer = session->listener.pass;
    if (session->are_faults_told) {
        observer.note = NULL;
        observer.fault = NULL;
    }
    bool heeds = !how && session->ends_when_asked && trace_can(trace, TRACE_CHUNKS) &&
                 interrupt_catch(INTERRUPT_BY_KEY);
    source_end_when_asked(trace->source, heeds);
    enum status status =
        how ? indexing_run(trace, &request->options, &observer, how, &session->result, err)
        : request->run
            ? request->run(request->self, trace, &request->options, &observer, &session->result,
                           err)
            : trace->kind->run(trace, &request->options, &observer, &session->result, err);
    source_end_when_asked(trace->source, false);
    if (heeds)
        interrupt_let_go();
    if (status != STATUS_OK && !how) {
        const struct error cause = *err;
        return error_set(err, status, "%s: %s", session->path, cause.text);
    }
    if (status == STATUS_OK)
        status = session_report_damage(session, err);
    if (status == STATUS_OK)
        status = judge_packed(session, err);
    if (status == STATUS_OK)
        status = session_judge(session, err);
    return status == STATUS_OK ? session_tell_idle_images(session, err) : status;
}
