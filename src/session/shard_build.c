#include "session/shard_build.h"

#include "session/index_plan.h"
#include "session/merging.h"
#include "session/run.h"

// --- Where shards begin --------------------------------------------------------------------------

// How much text is examined before the cut, and after it.
#define BEFORE_BYTES (UINT64_C(64) << 10)
#define AFTER_BYTES (UINT64_C(16) << 20)

// The first line that begins in [at, end); `at` is in the text. `end`: none.
static const char *line_from(const char *text, const char *at, const char *end)
{
    if (at == text || at[-1] == '\n')
        return at;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

// The first line in [first, end) with which an event begins, of a trace without times.
static const char *first_event(const struct trace *trace, const char *first, const char *end)
{
    for (const char *at = first; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (trace->kind->text->begins_event(trace, at, newline ? newline : end))
            return at;
        at = newline ? newline + 1 : end;
    }
    return first;
}

// The first line that begins at or after a byte, and whose time is higher than that of all lines
// shortly before it: no core continues an event there. If there is no such line nearby, any line;
// the byte itself, if the text cannot be read as that of a single file.
static uint64_t shard_cut(const struct trace *trace, uint64_t near)
{
    const char *text = source_bytes(trace->source);
    uint64_t size_bytes = source_size_bytes(trace->source), highest = 0;
    if (!text || source_is_synthesized(trace->source) || !trace->kind->text || near == 0 ||
        near >= size_bytes)
        return near;
    const char *end = text + u64_min(near + AFTER_BYTES, size_bytes);
    const char *first = line_from(text, text + near, end), *next;
    bool has_times = false;
    if (trace->kind->text->begins_event)
        return (uint64_t)(first_event(trace, first, end) - text);
    for (const char *at = line_from(text, text + near - u64_min(near, BEFORE_BYTES), end); at < end;
         at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        const struct line_stamp stamp =
            trace->kind->text->line_stamp(at, line_end, trace->options.prefix);
        next = newline ? newline + 1 : end;
        if (!stamp.has_time)
            continue;
        if (at >= first && has_times && stamp.time > highest)
            return (uint64_t)(at - text);
        highest = u64_max(highest, stamp.time);
        has_times = true;
    }
    return (uint64_t)(first - text);
}

// --- Building one --------------------------------------------------------------------------------

// The place of the shard in the text. STATUS_INPUT: it cannot be determined.
static enum status place_shard(const struct session *session, struct shard_place *place,
                               struct error *err)
{
    const struct index_policy *index = &session->index;
    uint64_t size_bytes = source_size_bytes(session->trace->source);
    const uint64_t *cuts = index->shard_cuts.items;
    uint32_t number = index->shard_number, count = index->shard_count;
    bool is_first = number == 1, is_last = number == count;
    if (!trace_can(session->trace, TRACE_CHUNKS))
        return error_set(err, STATUS_INPUT, "%s: is %s, which cannot be cut into shards",
                         session->path, session->trace->kind->words.a);
    if (!index->shard_cuts.count && count > 1 && source_is_synthesized(session->trace->source))
        return error_set(
            err, STATUS_INPUT, "%s: is %s, so where its shards begin must be given with --cut",
            session->path,
            source_packed_by(session->trace->source) ? "compressed" : "in several files");
    *place = (struct shard_place){.number = number, .count = count, .end = UINT64_MAX};
    if (index->shard_cuts.count) {
        place->from = is_first ? 0 : cuts[number - 2];
        place->end = is_last ? UINT64_MAX : cuts[number - 1];
    } else {
        place->from = (uint64_t)((unsigned __int128)size_bytes * (number - 1) / count);
        place->end =
            is_last ? UINT64_MAX : (uint64_t)((unsigned __int128)size_bytes * number / count);
    }
    place->from = shard_cut(session->trace, place->from);
    place->end = is_last ? UINT64_MAX : shard_cut(session->trace, place->end);
    return STATUS_OK;
}

// Builds the part with the surveys of the earlier shards, if there are any.
static enum status build_after(struct session *session, const struct fingerprint *fingerprint,
                               struct indexing_options *how, struct error *err)
{
    const struct text_list *paths = &session->index.surveys;
    const struct pass_request request = session_calls(session, NULL, NULL);
    struct surveys surveys = {0};
    struct error text_needed = {0}, surveyed;
    enum status status = STATUS_OK;
    if (paths->count && session->programs.hash) {
        error_set(&text_needed, STATUS_NOT_FOUND, "images share addresses");
    } else if (paths->count) {
        status = surveys_open(&surveys, (const char *const *)paths->items, paths->count, how->shard,
                              fingerprint, err);
        how->before = surveys.items;
        how->before_count = surveys.count;
        how->text_needed = &text_needed;
    }
    if (status == STATUS_OK)
        status = session_run(session, &request, how, err);
    surveys_free(&surveys);
    if (text_needed.status != STATUS_OK && session->listener.ignoring) {
        error_set(&surveyed, STATUS_NOT_FOUND,
                  "Reading the text before the piece as well, because %s", text_needed.text);
        session->listener.ignoring(session->listener.self, surveyed.text);
    }
    session_report_left_out(session);
    return status;
}

enum status shard_build(struct session *session, const struct fingerprint *fingerprint,
                        struct error *err)
{
    struct shard_place place;
    enum status status = place_shard(session, &place, err);
    if (status == STATUS_OK)
        status = merging_may_replace(session->index.path, true, err);
    if (status != STATUS_OK)
        return status;
    struct indexing_options how = index_plan(session, session->index.path, fingerprint, true);
    how.shard = &place;
    if (!session->index.is_survey)
        return build_after(session, fingerprint, &how, err);
    struct pass_options options = session_pass_options(session, NULL, NULL);
    options.programs = NULL; // which of them runs depends on everything before
    return survey_run(session->trace, &options, &session->listener.pass, &how, &session->result,
                      err);
}
