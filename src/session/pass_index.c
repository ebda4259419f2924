#include "session/pass_index.h"

#include "idx/index_write.h"
#include "session/follow.h"
#include "session/index_names.h"
#include "session/index_plan.h"
#include "session/index_restarts.h"
#include "session/merging.h"
#include "session/surveys.h"
#include "trace/trace.h"

// --- Where shards begin --------------------------------------------------------------------------

// Where the pieces of a trace begin.

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

// --- The index of a pass -------------------------------------------------------------------------

struct use {
    struct session *session;
    const struct pass_request *request;
    struct fingerprint fingerprint;
    struct index_wanted wanted;
    struct index_file file;
    bool *is_done;
};

static void say(const struct use *use, const char *what_follows)
{
    const struct session_listener *listener = &use->session->listener;
    // For a foreign file, nothing follows except the refusal to replace it.
    if (listener->about_index && use->file.fit != INDEX_STRANGE)
        listener->about_index(listener->self, &use->file, what_follows);
}

static void ignore(const struct session *session, const char *text)
{
    if (session->listener.ignoring)
        session->listener.ignoring(session->listener.self, text);
}

// --- Reading it ----------------------------------------------------------------------------------

// Makes passes read the current index. STATUS_DAMAGED: it is damaged.
static enum status adopt(struct use *use, struct error *err)
{
    struct trace *trace = use->session->trace;
    enum status status = trace_take_index(trace, use->file.index, err);
    if (status == STATUS_OK)
        status = names_take_index(&use->session->names, use->file.index, err);
    if (status != STATUS_OK)
        return status;
    if (use->file.fit == INDEX_FITS)
        index_restarts_give(use->file.index, trace->source);
    trace->index = use->file.index;
    use->file.index = NULL;
    return STATUS_OK;
}

// Makes passes read the trace again.
static enum status forsake(struct use *use, enum status status)
{
    if (status == STATUS_DAMAGED)
        use->file.fit = INDEX_DAMAGED;
    pass_result_free(&use->session->result);
    use->session->names.index = NULL;
    trace_forget_index(use->session->trace);
    return STATUS_OK;
}

// Runs the request over the index. If *is_done is false afterwards, the index turned out to be
// unusable, and nothing was reported.
static enum status replay(struct use *use, bool is_silent, struct error *err)
{
    struct session *session = use->session;
    const struct pass_request *request = use->request;
    const struct pass_observer silent = {0};
    *use->is_done = true;
    if (!trace_can(session->trace, TRACE_CALLS)) // the index has everything
        return STATUS_OK;
    enum status status = adopt(use, err);
    if (status == STATUS_OK && !is_silent)
        session_compare_functions(session, session->trace->index, use->file.path);
    if (status == STATUS_OK)
        status = request->run(request->self, session->trace, &request->options,
                              is_silent ? &silent : &session->listener.pass, &session->result, err);
    if (status == STATUS_OK && !index_view_is_intact(session->trace->index))
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read", use->file.path);
    if (status == STATUS_DAMAGED || status == STATUS_LIMIT) {
        *use->is_done = false;
        return forsake(use, status);
    }
    session->is_replayed = true;
    if (status != STATUS_OK)
        return error_set(err, status, "%s: no memory for the report", use->file.path);
    if (!is_silent)
        status = session_report_damage(session, err);
    session->is_damage_told |= is_silent;
    return status == STATUS_OK ? session_judge(session, err) : status;
}

// Uses the existing index, whether it fits or not.
static enum status use_as_it_is(struct use *use, struct error *err)
{
    char text[480];
    struct trawl_error from;
    if (use->session->index.is_purpose && use->file.fit != INDEX_FITS) {
        index_file_describe(&use->file, use->session->path, text, sizeof text);
        return error_set(err, STATUS_INPUT, "%s", text);
    }
    if (use->file.fit == INDEX_STRANGE && use->session->reading == READING_TTU)
        return error_set(err, STATUS_INPUT, "%s: magic number did not match", use->file.path);
    if (use->file.fit == INDEX_STRANGE)
        return file_role_refuse(use->file.path, use->file.role, ROLE_INDEX, err);
    if (!use->file.index) {
        enum trawl_status opened = trawl_open(&use->file.index, use->file.path, &from);
        if (opened != TRAWL_OK)
            return index_status(opened, &from, err);
    }
    enum status status = replay(use, false, err);
    if (status != STATUS_OK || *use->is_done)
        return status;
    return error_set(err, STATUS_INPUT, "%s: damaged", use->file.path);
}

// --- Building it ---------------------------------------------------------------------------------

// Reports why an index that was requested lacks names that were given.
static void say_why_not(const struct session *session, const char *why_not)
{
    if (session->index.is_purpose && why_not)
        ignore(session, why_not);
}

// Only a trace that is read in order, and is not compressed, can be followed.
static bool can_follow(const struct session *session)
{
    const struct trace *trace = session->trace;
    return trace_can(trace, TRACE_CHUNKS) && source_can_be_followed(trace->source) &&
           session->reading == READING_TRUE;
}

// Plans how to build it. Fails if it must not be built.
static enum status plan(struct use *use, struct indexing_options *how, struct error *err)
{
    struct session *session = use->session;
    const struct trace_kind *kind = session->trace->kind;
    const char *lacking = kind->indexing.lacks ? kind->indexing.lacks(session->trace) : NULL;
    struct trawl_info valid = {.trace_bytes = 0}; // how much of the trace a valid index covers
    if (use->file.index && (use->file.fit == INDEX_FITS || use->file.fit == INDEX_OF_BEGINNING))
        trawl_info(use->file.index, &valid);
    trawl_close(use->file.index);
    use->file.index = NULL;
    if (index_file_is_foreign(&use->file))
        return index_file_refuse(&use->file, err);
    if (session->index.follow && !can_follow(session))
        return error_set(err, STATUS_INPUT, "%s: cannot be followed: it is %s", session->path,
                         trace_can(session->trace, TRACE_CHUNKS) ? "compressed" : kind->words.a);
    if (lacking)
        return error_set(err, STATUS_INPUT, "%s: %s", session->path, lacking);
    *how = index_plan(session, use->file.path, &use->fingerprint, true);
    if (session->index.follow) {
        session->index.follow->published_bytes = valid.trace_bytes;
        how->follow = session->index.follow;
        how->io = FILE_WRITER_PWRITE; // a ring cannot be combined with forks
    }
    return STATUS_OK;
}

// After it was built: makes the report from it, unless only the index was wanted.
static enum status report_from_it(struct use *use, struct error *err)
{
    struct session *session = use->session;
    pass_result_free(&session->result);
    *use->is_done = false;
    if (use->file.index) {
        enum status status = replay(use, true, err);
        if (status != STATUS_OK || *use->is_done)
            return status;
    }
    return error_set(err, STATUS_INPUT, "%s: cannot be read back", use->file.path);
}

static enum status build(struct use *use, struct error *err)
{
    struct session *session = use->session;
    const struct session_listener *listener = &session->listener;
    const char *why_not;
    struct indexing_options how;
    enum status status = plan(use, &how, err);
    if (status == STATUS_OK)
        status = session_run(session, use->request, &how, err);
    if (status == STATUS_OK && how.follow) // it covers what existed at the end
        status = source_fingerprint(session->trace->source, &use->fingerprint, err);
    if (status == STATUS_OK)
        status = index_file_judge(&use->file, &use->wanted, err);
    if (status != STATUS_OK)
        return status;
    *use->is_done = true;
    index_plan_keeps_names(session, &why_not);
    say_why_not(session, why_not);
    session_report_left_out(session);
    if (listener->built)
        listener->built(listener->self, &use->file);
    bool is_all = session->index.is_purpose || session->index.use == INDEX_ONLY;
    return is_all ? STATUS_OK : report_from_it(use, err);
}

// --- Building a part of it -----------------------------------------------------------------------

// The place of the shard in the text. STATUS_INPUT: it cannot be determined.
static enum status place_shard(const struct session *session, struct shard_place *place,
                               struct error *err)
{
    const struct session_index *index = &session->index;
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

static enum status survey(struct use *use, const struct shard_place *place, struct error *err)
{
    struct session *session = use->session;
    struct indexing_options how = index_plan(session, session->index.path, &use->fingerprint, true);
    how.shard = place;
    *use->is_done = true;
    return survey_run(session->trace, &use->request->options, &session->listener.pass, &how,
                      &session->result, err);
}

static enum status run_part(struct use *use, struct indexing_options *how, struct error *err)
{
    struct session *session = use->session;
    struct surveys surveys = {0};
    struct error text_needed = {0}, surveyed;
    enum status status = STATUS_OK;
    if (session->index.surveys.count) {
        status = surveys_open(&surveys, (const char *const *)session->index.surveys.items,
                              session->index.surveys.count, how->shard, &use->fingerprint, err);
        how->before = surveys.items;
        how->before_count = surveys.count;
        how->text_needed = &text_needed;
    }
    if (status == STATUS_OK)
        status = session_run(session, use->request, how, err);
    surveys_free(&surveys);
    if (text_needed.status != STATUS_OK) {
        error_set(&surveyed, STATUS_NOT_FOUND,
                  "Reading the text before the piece as well, because %s", text_needed.text);
        ignore(session, surveyed.text);
    }
    return status;
}

// A part is built whenever it is requested: whether an older one fits depends on the other parts.
static enum status build_part(struct use *use, struct error *err)
{
    struct session *session = use->session;
    const struct trace_kind *kind = session->trace->kind;
    const char *lacking = kind->indexing.lacks ? kind->indexing.lacks(session->trace) : NULL;
    struct shard_place place;
    enum status status = place_shard(session, &place, err);
    if (status == STATUS_OK && lacking)
        status = error_set(err, STATUS_INPUT, "%s: %s", session->path, lacking);
    if (status == STATUS_OK)
        status = merging_may_replace(session->index.path, true, err);
    if (status != STATUS_OK)
        return status;
    if (session->index.is_survey)
        return survey(use, &place, err);
    struct indexing_options how = index_plan(session, session->index.path, &use->fingerprint, true);
    how.shard = &place;
    *use->is_done = true;
    status = run_part(use, &how, err);
    session_report_left_out(session);
    return status;
}

// For a report that needs the trace itself, which reports the messages then.
static enum status build_beside(struct use *use, struct error *err)
{
    struct session *session = use->session;
    struct indexing_options how;
    const struct pass_observer silent = {0};
    enum status status = plan(use, &how, err);
    if (status != STATUS_OK)
        return status;
    status =
        indexing_run(session->trace, &use->request->options, &silent, &how, &session->result, err);
    pass_result_free(&session->result);
    source_rewind(session->trace->source);
    return status;
}

// --- The decision --------------------------------------------------------------------------------

static struct index_wish wish_of(const struct session *session, const struct index_file *file)
{
    return (struct index_wish){
        .use = session->index.use,
        .is_named = session->index.path != NULL,
        .is_in_memory = session->index.in_memory,
        .is_indexing = session->index.is_purpose,
        .needs_trace = session->needs_trace,
        .may_replace = file->fit == INDEX_OTHER_FUNCTIONS && index_file_is_writable(file->path),
    };
}

static const char *next_step(enum index_fit fit)
{
    return fit == INDEX_FITS      ? "not rebuilding it"
           : fit == INDEX_MISSING ? "building it"
                                  : "rebuilding it";
}

// If an index that fits has the names of other images, replaces them by those of the given images.
static enum status renew_names(struct use *use, struct error *err)
{
    struct session *session = use->session;
    bool fits = true;
    enum status status = STATUS_OK;
    const char *why_not;
    if (!session->index.is_purpose)
        return STATUS_OK;
    if (index_plan_keeps_names(session, &why_not))
        status = index_names_fit(use->file.index, &session->names, &fits, err);
    if (status == STATUS_OK && !fits)
        status =
            index_names_replace(use->file.index, use->file.path, &session->names, session->index.io,
                                session->index.syncs, &session->names_left_out, err);
    say_why_not(session, why_not);
    session_report_left_out(session);
    return status;
}

static enum status read_it(struct use *use, struct error *err)
{
    const struct session *session = use->session;
    bool may_build = session->index.path || session->index.is_purpose;
    say(use, may_build ? next_step(use->file.fit) : "using it");
    enum status renewed = renew_names(use, err);
    if (renewed != STATUS_OK)
        return renewed;
    return session->listener.pass.transfer ? STATUS_OK // an index does not contain transfers
                                           : replay(use, false, err);
}

static enum status decide(struct use *use, struct error *err)
{
    const struct session_index *index = &use->session->index;
    const struct index_wish wish = wish_of(use->session, &use->file);
    enum status status;
    switch (index_choose(&wish, use->file.fit)) {
    case INDEX_READ_AS_IT_IS:
        return use_as_it_is(use, err);
    case INDEX_BUILD_IT:
        // What is done is reported, unless the user requested it (INDEX_FORCE, or INDEX_ONLY in
        // commands that are not about the index).
        if (index->use == INDEX_AS_NEEDED || (index->is_purpose && index->use != INDEX_FORCE))
            say(use, next_step(use->file.fit));
        return build(use, err);
    case INDEX_BUILD_AND_FORGET:
        if (wish.is_named && wish.use == INDEX_AS_NEEDED)
            say(use, next_step(use->file.fit));
        return build_beside(use, err);
    case INDEX_READ_IT:
        status = read_it(use, err);
        // It may have turned out to be damaged, which requires another decision.
        if (status == STATUS_OK && !*use->is_done && use->file.fit != INDEX_FITS)
            return decide(use, err);
        return status;
    case INDEX_READ_TRACE:
        break;
    }
    bool needs_trace = use->session->needs_trace;
    if (needs_trace && index->path && index->use == INDEX_AS_NEEDED)
        say(use, next_step(use->file.fit));
    else if (!needs_trace && use->file.fit != INDEX_MISSING)
        say(use, "not using it");
    return STATUS_OK;
}

enum status session_pass_by_index(struct session *session, const struct pass_request *request,
                                  bool *is_done, struct error *err)
{
    struct use use = {.session = session, .request = request, .is_done = is_done};
    bool is_asked = index_plan_is_asked_for(&session->index);
    *is_done = false;
    if (!is_asked && !trace_can(session->trace, TRACE_REPLAYS)) // it is read faster than its index
        return STATUS_OK;
    if (session->index.in_memory) {
        if (session->index.use == INDEX_NO_BUILD)
            ignore(session, "Ignoring --no-index since index is in memory");
        if (session->index.path)
            ignore(session, "Ignoring index file name since index is in memory");
        return STATUS_OK;
    }
    if (!source_is_file(session->trace->source))
        return is_asked ? index_plan_no_file(session, err) : STATUS_OK;
    enum status status = source_fingerprint(session->trace->source, &use.fingerprint, err);
    if (status == STATUS_INPUT && !is_asked) // it changes: no index can fit it
        return STATUS_OK;
    if (status != STATUS_OK)
        return status;
    // Reports do not query memory, but the index that they build is also for commands that do.
    use.wanted = index_plan_wanted(session, &use.fingerprint, is_asked);
    if (session->index.shard_number)
        return build_part(&use, err);
    status = index_file_find(&use.file, session->index.path, &use.wanted, err);
    if (status == STATUS_OK)
        status = decide(&use, err);
    index_file_free(&use.file);
    return status;
}
