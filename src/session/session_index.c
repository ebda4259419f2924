#include "session/session_index.h"

#include "base/spool.h"
#include "idx/index.h"
#include "idx/index_write.h"
#include "session/index_access_points.h"
#include "session/index_files.h"
#include "session/index_names.h"
#include "session/index_plan.h"
#include "session/prefix_index.h"
#include "session/run.h"
#include "session/shard_build.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- The policy ----------------------------------------------------------------------------------

static enum index_choice choose_for_pass(const struct index_wish *wish, enum index_fit fit)
{
    if (wish->is_in_memory)
        return INDEX_USE_NONE;
    if (wish->needs_trace && wish->use == INDEX_ONLY)
        return INDEX_BUILD_IT;
    if (wish->needs_trace) {
        bool is_built = wish->use == INDEX_FORCE ||
                        (wish->use == INDEX_AS_NEEDED && wish->is_named && fit != INDEX_FITS);
        return is_built ? INDEX_BUILD_AND_FORGET : INDEX_USE_NONE;
    }
    if (wish->use == INDEX_NO_BUILD)
        return INDEX_READ_AS_IT_IS;
    if (wish->use == INDEX_FORCE || (wish->use == INDEX_ONLY && !wish->is_indexing))
        return INDEX_BUILD_IT;
    if (fit == INDEX_FITS)
        return INDEX_READ_IT;
    bool is_renewed = fit == INDEX_OTHER_FUNCTIONS && wish->may_replace;
    return wish->is_named || wish->is_indexing || is_renewed ? INDEX_BUILD_IT : INDEX_USE_NONE;
}

enum index_choice index_choose(const struct index_wish *wish, enum index_fit fit)
{
    bool may_read = wish->use == INDEX_AS_NEEDED || wish->use == INDEX_NO_BUILD;
    switch (wish->need) {
    case INDEX_FOR_ANSWERS:
        if (wish->is_verified)
            return INDEX_READ_AS_IT_IS;
        if (may_read && !wish->is_in_memory && !wish->is_spoiled &&
            (fit == INDEX_FITS || fit == INDEX_OF_BEGINNING))
            return INDEX_READ_IT;
        return wish->use == INDEX_NO_BUILD ? INDEX_READ_AS_IT_IS : INDEX_BUILD_IT;
    case INDEX_FOR_PASS:
        return choose_for_pass(wish, fit);
    case INDEX_FOR_TEXT:
    case INDEX_FOR_NAMES:
        return may_read && !wish->is_in_memory && fit == INDEX_FITS ? INDEX_READ_IT
                                                                    : INDEX_USE_NONE;
    case INDEX_FOR_DESCRIPTION:
        return wish->is_in_memory ? INDEX_USE_NONE
               : fit == INDEX_FITS || fit == INDEX_OTHER_OPTIONS || wish->use == INDEX_NO_BUILD
                   ? INDEX_READ_AS_IT_IS
                   : INDEX_USE_NONE;
    }
    ASSERT(false);
    return INDEX_USE_NONE;
}

bool session_index_is_asked_for(const struct index_policy *index)
{
    return index->path || index->use != INDEX_AS_NEEDED || index->is_purpose;
}

// --- Finding it ----------------------------------------------------------------------------------

struct finding {
    struct session *session;
    enum index_need need;
    struct fingerprint fingerprint;
    struct index_wanted wanted;
    struct index_file file;
};

static void say(const struct finding *finding, const char *what_follows)
{
    const struct session_listener *listener = &finding->session->listener;
    if (listener->about_index)
        listener->about_index(listener->self, &finding->file, what_follows);
}

static void ignore(const struct session *session, const char *text)
{
    if (session->listener.ignoring)
        session->listener.ignoring(session->listener.self, text);
}

void session_tell_damaged(const struct session *session, const struct trawl_index *index)
{
    const struct finding finding = {.session = (struct session *)(uintptr_t)session,
                                    .file = {.path = index->path, .fit = INDEX_DAMAGED}};
    say(&finding, "not using it");
}

// What an index must be made from. The byte order affects only memory, and the functions of images
// only calls. Reports do not query memory, but the index that they build is also for commands that
// do.
static struct index_wanted wanted_of(struct session *session, enum index_need need,
                                     const struct fingerprint *fingerprint)
{
    bool is_for_answers = need == INDEX_FOR_ANSWERS;
    bool has_byte_order =
        session->byte_order != TRACE_ORDER_UNKNOWN || names_have_image(&session->names);
    bool by_memory = is_for_answers           ? has_byte_order
                     : need == INDEX_FOR_PASS ? session_index_is_asked_for(&session->index)
                                              : false;
    struct index_wanted wanted = index_plan_wanted(session, fingerprint, by_memory);
    bool asks_calls = is_for_answers ? session->asks_calls
                                     : need != INDEX_FOR_TEXT; // whose calls are those of the trace
    wanted.functions = asks_calls || session->programs.hash ? wanted.functions : 0;
    return wanted;
}

// Without the trace, the index at its place can be used.
static enum status find_without_trace(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    enum status status =
        index_file_find(&finding->file, session->index.path, &finding->wanted, err);
    if (status != STATUS_OK ||
        (finding->file.fit != INDEX_MISSING && access(session->path, F_OK) != 0))
        return status;
    *err = session->trace_error;
    return err->status;
}

// Finds the index, if there can be one, and judges it. *is_none: the decision is that there is
// none.
static enum status find(struct finding *finding, bool *is_none, struct error *err)
{
    struct session *session = finding->session;
    const struct index_policy *index = &session->index;
    bool is_for_answers = finding->need == INDEX_FOR_ANSWERS;
    bool is_for_pass = finding->need == INDEX_FOR_PASS;
    bool is_asked = is_for_pass && session_index_is_asked_for(index);
    finding->wanted = wanted_of(session, finding->need, &finding->fingerprint);
    *is_none = false;
    if (!session->trace && is_for_answers)
        return find_without_trace(finding, err);
    *is_none = !session->trace;
    // A trace that is read faster than its index.
    *is_none |= is_for_pass && !is_asked && !trace_can(session->trace, TRACE_REPLAYS);
    if (*is_none)
        return STATUS_OK;
    if (!is_for_answers && index->in_memory) {
        if (is_for_pass && index->use == INDEX_NO_BUILD)
            ignore(session, "Ignoring --no-index since index is in memory");
        if (is_for_pass && index->path)
            ignore(session, "Ignoring index file name since index is in memory");
        *is_none = true;
        return STATUS_OK;
    }
    if (!source_is_file(session->trace->source)) {
        *is_none = !is_for_answers && !is_asked;
        // Questions are answered from an index of what comes through a pipe, which is not kept.
        bool is_aside = is_for_answers && !index->path && index->use == INDEX_AS_NEEDED &&
                        !index->shard_number && !index->follows && !index->is_path_itself;
        if (is_aside) {
            finding->file.path = strdup(session->path);
            finding->file.fit = INDEX_MISSING;
            return finding->file.path ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory");
        }
        return *is_none ? STATUS_OK
                        : error_set(err, STATUS_INPUT,
                                    "%s: is not a file, so it cannot have an index", session->path);
    }
    enum status status = source_fingerprint(session->trace->source, &finding->fingerprint, err);
    *is_none = status == STATUS_INPUT && !is_for_answers && !is_asked; // it changes: none can fit
    if (*is_none || status != STATUS_OK)
        return *is_none ? STATUS_OK : status;
    if (index->shard_number) // whether an older part fits depends on the other parts
        return STATUS_OK;
    return index_file_find(&finding->file, index->path, &finding->wanted, err);
}

// --- Reading it ----------------------------------------------------------------------------------

static enum status keep_path(struct session *session, const char *path, enum status opened,
                             struct error *err)
{
    if (opened != STATUS_OK)
        return opened;
    session->view_path = strdup(path);
    session->view_stamp = index_view_stamp(&session->view);
    return session->view_path ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory");
}

// Opens the view of the index at `path`, whether it fits or not.
static enum status open_path(struct session *session, const char *path, struct error *err)
{
    return keep_path(session, path, index_view_open(&session->view, path, session->reading, err),
                     err);
}

// Opens the view of the index that was found; judging it may already have opened it.
static enum status open_view(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    struct trawl_index *index = finding->file.index;
    finding->file.index = NULL;
    if (finding->file.fit == INDEX_STRANGE)
        return file_role_refuse(finding->file.path, finding->file.role, ROLE_INDEX, err);
    if (!index)
        return open_path(session, finding->file.path, err);
    // Everything that is shown covers only the beginning.
    if (session->is_of_beginning && !index_files_cut(index, session->trace->source))
        return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    enum status status =
        keep_path(session, finding->file.path,
                  index_view_adopt(&session->view, index, session->reading, err), err);
    if (status == STATUS_OK && session->trace && finding->file.fit == INDEX_FITS)
        index_access_points_give(session->view.index, session->trace->source);
    return status;
}

// Lets the trace know what passes over an index need.
static enum status prepare_trace(struct trace *trace, struct trawl_index *index, struct error *err)
{
    enum status status = STATUS_OK;
    if (trace->kind->indexing.read)
        status = trace->kind->indexing.read(trace, index, err);
    if (status == STATUS_OK && trace->kind->indexing.check_rows)
        status = trace->kind->indexing.check_rows(trace, index, err);
    return status;
}

// Makes passes read the index that was found. STATUS_DAMAGED, STATUS_LIMIT: it cannot be used.
static enum status open_for_pass(struct finding *finding, enum pass_input input, struct error *err)
{
    struct session *session = finding->session;
    struct trawl_error from;
    if (!trace_can(session->trace, TRACE_CALLS)) { // the index has everything
        session->pass_input = PASS_OVER_NOTHING;
        return STATUS_OK;
    }
    if (finding->file.fit == INDEX_STRANGE && session->reading == READING_TTU)
        return error_set(err, STATUS_INPUT, "%s: magic number did not match", finding->file.path);
    if (finding->file.fit == INDEX_STRANGE)
        return file_role_refuse(finding->file.path, finding->file.role, ROLE_INDEX, err);
    if (!finding->file.index) {
        enum trawl_status opened = trawl_open(&finding->file.index, finding->file.path, &from);
        if (opened != TRAWL_OK)
            return index_status(opened, &from, err);
    }
    session->pass_input = input;
    enum status status = prepare_trace(session->trace, finding->file.index, err);
    if (status == STATUS_OK)
        status = names_take_index(&session->names, finding->file.index, err);
    if (status != STATUS_OK)
        return session_pass_failure(session, status, finding->file.path, err);
    if (finding->file.fit == INDEX_FITS)
        index_access_points_give(finding->file.index, session->trace->source);
    session->trace->index = finding->file.index;
    finding->file.index = NULL;
    if (input != PASS_OVER_NEW_INDEX)
        session_compare_functions(session, session->trace->index, finding->file.path);
    return STATUS_OK;
}

enum status session_pass_over_view(struct session *session, struct error *err)
{
    struct index_view again;
    session->pass_input = PASS_OVER_TRACE;
    if (!trace_can(session->trace, TRACE_REPLAYS))
        return STATUS_OK;
    enum status status = index_view_open_again(&again, &session->view, err);
    if (status == STATUS_OK)
        status = prepare_trace(session->trace, again.index, err);
    if (status == STATUS_OK) {
        session->trace->index = again.index;
        again.index = NULL;
    }
    index_view_close(&again);
    return status;
}

// --- Building it ---------------------------------------------------------------------------------

static const char *next_step(enum index_fit fit)
{
    return fit == INDEX_FITS      ? "not rebuilding it"
           : fit == INDEX_MISSING ? "building it"
                                  : "rebuilding it";
}

// Reports why an index that was requested lacks names that were given.
static void say_why_not(const struct session *session, const char *why_not)
{
    if (session->index.is_purpose && why_not)
        ignore(session, why_not);
}

// Decompresses the text that is shown while an index is made; the index is then also made from it.
static enum status lay_out(struct session *session, struct error *err)
{
    const struct session_listener *listener = &session->listener;
    bool is_shown = session->shows_text && session->index.use != INDEX_ONLY;
    enum status status = is_shown ? source_lay_out(session->trace->source, err) : STATUS_OK;
    if (status == STATUS_OK && listener->text_is_at_hand)
        listener->text_is_at_hand(listener->self);
    return status;
}

// Plans how to build it at its place. Fails if it must not be built.
static enum status plan(struct finding *finding, struct indexing_options *how, struct error *err)
{
    struct session *session = finding->session;
    const struct trace *trace = session->trace;
    struct trawl_info valid = {.trace_bytes = 0}; // how much of the trace a valid index covers
    if (finding->file.index &&
        (finding->file.fit == INDEX_FITS || finding->file.fit == INDEX_OF_BEGINNING))
        trawl_info(finding->file.index, &valid);
    trawl_close(finding->file.index);
    finding->file.index = NULL;
    if (index_file_is_foreign(&finding->file))
        return index_file_refuse(&finding->file, err);
    // Only a trace that is read in order, and is not compressed, can be followed.
    bool can_follow = trace_can(trace, TRACE_CHUNKS) && source_can_be_followed(trace->source) &&
                      session->reading == READING_TRUE;
    if (session->index.follows && !can_follow)
        return error_set(err, STATUS_INPUT, "%s: cannot be followed: it is %s", session->path,
                         trace_can(trace, TRACE_CHUNKS) ? "compressed" : trace->kind->words.a);
    *how = index_plan(session, finding->file.path, &finding->fingerprint, true);
    if (how->follows) {
        how->prefix_indexes->published_bytes = valid.trace_bytes;
        how->io = FILE_WRITER_PWRITE; // a ring cannot be combined with forks
    }
    return STATUS_OK;
}

// Builds it aside, in a file that disappears when the session ends for any reason, or at its place.
static enum status build_for_answers(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    const struct index_policy *index = &session->index;
    const struct pass_request request = session_calls(session, NULL, NULL);
    char path[64 + PATH_MAX];
    struct indexing_options how;
    int file = -1;
    bool is_foreign = index_file_is_foreign(&finding->file);
    // If the trace is read faster than its index, no index remains unless it was requested.
    bool is_wanted = index->path || index->use == INDEX_FORCE || index->use == INDEX_ONLY ||
                     trace_can(session->trace, TRACE_REPLAYS);
    bool is_aside = index->in_memory || !is_wanted || !source_is_file(session->trace->source) ||
                    (!index->path && (is_foreign || !index_file_is_writable(finding->file.path)));
    if (!is_aside && is_foreign)
        return index_file_refuse(&finding->file, err);
    say(finding, is_aside ? "building one for this command" : "building it");
    enum status status = lay_out(session, err);
    if (status == STATUS_OK && !is_aside)
        status = plan(finding, &how, err);
    if (status == STATUS_OK && is_aside) {
        snprintf(path, sizeof path, "unnamed file in %s", unnamed_directory());
        if ((file = unnamed_open(unnamed_directory())) < 0)
            return error_set_errno(err, unnamed_directory(),
                                   "cannot make a temporary file for the index");
        how = index_plan(session, path, &finding->fingerprint, false);
        how.file = &file;
    }
    if (status == STATUS_OK)
        status = session_run(session, &request, &how, err);
    if (status == STATUS_OK) {
        session->is_index_damaged = false;
        session->are_faults_told = true;
        session_report_left_out(session);
        status = is_aside ? index_view_open_file(&session->view, file, path, session->reading, err)
                          : index_view_open(&session->view, how.path, session->reading, err);
        status = keep_path(session, how.path, status, err);
    }
    if (file >= 0)
        close(file);
    return status;
}

// Whether the trace cannot have an index that stays.
static enum status check_kind(const struct session *session, struct error *err)
{
    const struct trace_kind *kind = session->trace->kind;
    const char *lacking = kind->indexing.lacks ? kind->indexing.lacks(session->trace) : NULL;
    return lacking ? error_set(err, STATUS_INPUT, "%s: %s", session->path, lacking) : STATUS_OK;
}

// Makes passes read it afterwards, unless only the index was wanted.
static enum status build_for_pass(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    const struct session_listener *listener = &session->listener;
    const struct pass_request request = session_calls(session, NULL, NULL);
    const char *why_not;
    struct indexing_options how;
    enum status status = plan(finding, &how, err);
    if (status == STATUS_OK)
        status = check_kind(session, err);
    if (status == STATUS_OK)
        status = session_run(session, &request, &how, err);
    if (status == STATUS_OK && how.follows) // it covers what existed at the end
        status = source_fingerprint(session->trace->source, &finding->fingerprint, err);
    if (status == STATUS_OK)
        status = index_file_judge(&finding->file, &finding->wanted, err);
    if (status != STATUS_OK)
        return status;
    session->is_index_damaged = false;
    session->pass_input = PASS_OVER_NOTHING;
    index_plan_keeps_names(session, &why_not);
    say_why_not(session, why_not);
    session_report_left_out(session);
    if (listener->built)
        listener->built(listener->self, &finding->file);
    if (session->index.is_purpose || session->index.use == INDEX_ONLY)
        return STATUS_OK;
    pass_result_free(&session->result);
    session->pass_input = PASS_OVER_NEW_INDEX;
    return finding->file.index
               ? open_for_pass(finding, PASS_OVER_NEW_INDEX, err)
               : session_pass_failure(session, STATUS_DAMAGED, finding->file.path, err);
}

// For a report that needs the trace itself, which reports the messages then.
static enum status build_beside(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    const struct pass_request request = session_calls(session, NULL, NULL);
    const struct pass_observer silent = {0};
    struct indexing_options how;
    enum status status = plan(finding, &how, err);
    if (status == STATUS_OK)
        status = check_kind(session, err);
    if (status != STATUS_OK)
        return status;
    status = indexing_run(session->trace, &request.options, &silent, &how, &session->result, err);
    pass_result_free(&session->result);
    source_rewind(session->trace->source);
    return status;
}

// --- The decision --------------------------------------------------------------------------------

static struct index_wish wish_of(const struct finding *finding)
{
    const struct session *session = finding->session;
    const struct index_file *file = &finding->file;
    return (struct index_wish){
        .need = finding->need,
        .use = session->index.use,
        .is_named = session->index.path != NULL,
        .is_in_memory = session->index.in_memory,
        .is_indexing = session->index.is_purpose,
        .needs_trace = session->needs_trace,
        .is_verified = session->index.is_verified,
        .may_replace = file->fit == INDEX_OTHER_FUNCTIONS && index_file_is_writable(file->path),
        .is_spoiled = session->is_index_damaged,
    };
}

static enum status answer_by(struct finding *finding, enum index_choice choice, struct error *err)
{
    struct session *session = finding->session;
    const struct index_file *file = &finding->file;
    const struct session_listener *listener = &session->listener;
    if (choice == INDEX_BUILD_IT)
        return build_for_answers(finding, err);
    if (choice == INDEX_READ_IT) {
        say(finding, "using it");
        session->is_of_beginning = file->fit == INDEX_OF_BEGINNING;
        session->grown_bytes = finding->fingerprint.size_bytes;
        session->is_rebuildable = session->index.use != INDEX_NO_BUILD;
    } else if (session->index.is_verified && file->fit == INDEX_MISSING) {
        return error_set(err, STATUS_INPUT,
                         "%s: has no index: there is no %s; 'trawl index' builds it", session->path,
                         file->path);
    } else if (!session->index.is_verified && file->fit != INDEX_MISSING &&
               file->fit != INDEX_STRANGE && listener->misfit) {
        listener->misfit(listener->self, file);
    }
    return open_view(finding, err);
}

// If an index that fits has the names of other images, replaces them by those of the given images.
static enum status renew_names(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    bool fits = true;
    enum status status = STATUS_OK;
    const char *why_not;
    if (!session->index.is_purpose)
        return STATUS_OK;
    if (index_plan_keeps_names(session, &why_not))
        status = index_names_fit(finding->file.index, &session->names, &fits, err);
    if (status == STATUS_OK && !fits)
        status = index_names_replace(finding->file.index, finding->file.path, &session->names,
                                     session->index.io, session->index.syncs,
                                     &session->names_left_out, err);
    say_why_not(session, why_not);
    session_report_left_out(session);
    return status;
}

static enum status pass_by(struct finding *finding, enum index_choice choice, struct error *err)
{
    struct session *session = finding->session;
    const struct index_policy *index = &session->index;
    const struct index_file *file = &finding->file;
    char text[480];
    bool is_strange =
        file->fit == INDEX_STRANGE; // nothing follows except the refusal to replace it
    bool is_asked = index->path || index->is_purpose;
    switch (choice) {
    case INDEX_READ_AS_IT_IS:
        if (!index->is_purpose || file->fit == INDEX_FITS)
            return open_for_pass(finding, PASS_OVER_INDEX_AS_IT_IS, err);
        index_file_describe(file, session->path, text, sizeof text);
        return error_set(err, STATUS_INPUT, "%s", text);
    case INDEX_BUILD_IT:
        // What is done is reported, unless the user requested it (INDEX_FORCE, or INDEX_ONLY in
        // commands that are not about the index).
        if (!is_strange &&
            (index->use == INDEX_AS_NEEDED || (index->is_purpose && index->use != INDEX_FORCE)))
            say(finding, next_step(file->fit));
        return build_for_pass(finding, err);
    case INDEX_BUILD_AND_FORGET:
        if (!is_strange && index->path && index->use == INDEX_AS_NEEDED)
            say(finding, next_step(file->fit));
        return build_beside(finding, err);
    case INDEX_READ_IT:
        say(finding, is_asked ? next_step(file->fit) : "using it");
        enum status status = renew_names(finding, err);
        bool is_read = status == STATUS_OK && !session->listener.pass.transfer; // no index has them
        return is_read ? open_for_pass(finding, PASS_OVER_INDEX, err) : status;
    case INDEX_USE_NONE:
        break;
    }
    if (is_strange)
        return STATUS_OK;
    if (session->needs_trace && index->path && index->use == INDEX_AS_NEEDED)
        say(finding, next_step(file->fit));
    else if (!session->needs_trace && file->fit != INDEX_MISSING)
        say(finding, "not using it");
    return STATUS_OK;
}

static enum status read_if_useful(struct finding *finding, enum index_choice choice,
                                  struct error *err)
{
    struct index_file *file = &finding->file;
    if (choice != INDEX_USE_NONE && file->index) {
        enum status status = open_view(finding, err);
        if (status != STATUS_DAMAGED)
            return status;
        file->fit = INDEX_DAMAGED;
    }
    bool is_lost = index_fit_is_lost(file->fit) ||
                   (file->foreign_file && index_fit_is_lost(file->foreign_fit));
    if (finding->need == INDEX_FOR_DESCRIPTION &&
        (file->fit != INDEX_MISSING || file->foreign_file))
        say(finding, "not telling of it");
    if (finding->need == INDEX_FOR_NAMES && is_lost)
        say(finding, "not using it");
    return STATUS_OK;
}

// Whether another decision has to be made, because the index turned out to be damaged when it was
// opened: no question was answered yet that would have to be repeated.
static bool must_decide_again(struct session *session, enum index_need need, enum status *status)
{
    if (need == INDEX_FOR_ANSWERS)
        return session_forsake_view(session, *status);
    if (need != INDEX_FOR_PASS || !session_forsake_pass(session, *status))
        return false;
    *status = STATUS_OK;
    return session->pass_input == PASS_UNDECIDED;
}

enum status session_index(struct session *session, enum index_need need, struct error *err)
{
    bool is_for_answers = need == INDEX_FOR_ANSWERS, is_for_pass = need == INDEX_FOR_PASS;
    enum status status;
    if (is_for_answers && session->trace && !trace_can(session->trace, TRACE_EVENTS))
        return error_set(err, STATUS_INPUT, "%s: is %s, which has no single events", session->path,
                         session->trace->kind->words.a);
    do {
        struct finding finding = {.session = session, .need = need};
        bool is_path = is_for_answers && session->index.is_path_itself, is_none = is_path;
        status = is_path ? open_path(session, session->path, err) : find(&finding, &is_none, err);
        if (is_for_pass)
            session->pass_input = PASS_OVER_TRACE;
        // In parts that only reading it has shown.
        if (session->is_index_damaged && finding.file.fit == INDEX_FITS)
            finding.file.fit = INDEX_DAMAGED;
        const struct index_wish wish = wish_of(&finding);
        enum index_choice choice = index_choose(&wish, finding.file.fit);
        bool is_found = status == STATUS_OK && !is_none;
        if (is_found && is_for_answers) {
            status = session->trace ? answer_by(&finding, choice, err) : open_view(&finding, err);
        } else if (is_found && is_for_pass && session->index.shard_number) {
            session->pass_input = PASS_OVER_NOTHING;
            status = shard_build(session, &finding.fingerprint, err);
        } else if (is_found && is_for_pass) {
            status = pass_by(&finding, choice, err);
        } else if (is_found) {
            status = read_if_useful(&finding, choice, err);
        }
        index_file_free(&finding.file);
        if (is_for_answers && status == STATUS_OK) {
            status = names_take_index(&session->names, session->view.index, err);
            if (status == STATUS_OK)
                status = session_tell_idle_images(session, err);
            if (status == STATUS_OK && session->asks_calls)
                session_compare_functions(session, session->view.index, session->view_path);
        }
    } while (must_decide_again(session, need, &status));
    if (is_for_answers)
        session_use_image_memory(session);
    return status;
}

void session_close_view(struct session *session)
{
    session->names.index = NULL;
    index_view_close(&session->view);
    free(session->view_path);
    session->view_path = NULL;
}

enum status session_open_again(struct session *session, const struct session *first,
                               struct error *err)
{
    session_begin(session, first->reading, 1);
    enum status status = session_wish_as(session, first, err);
    if (status == STATUS_OK)
        status = session_be_of(session, first, err);
    session->index.use = INDEX_NO_BUILD;
    if (status == STATUS_OK)
        status = session_open_trace(session, err);
    if (status == STATUS_OK && source_is_synthesized(session->trace->source))
        source_share_view(session->trace->source, first->trace->source);
    if (status == STATUS_OK)
        status = session_open_images(session, err);
    if (status == STATUS_OK)
        status = index_view_open_again(&session->view, &first->view, err);
    if (status == STATUS_OK)
        status = names_take_index(&session->names, session->view.index, err);
    return status;
}

struct trawl_index *session_release_view(struct session *session)
{
    struct trawl_index *index = session->view.index;
    session->view.index = NULL;
    session_close_view(session);
    return index;
}

// --- An index that is damaged --------------------------------------------------------------------

bool session_forsake_view(struct session *session, enum status status)
{
    if (status != STATUS_DAMAGED || !session->is_rebuildable)
        return false;
    session_close_view(session);
    session->is_rebuildable = false;
    session->is_index_damaged = true;
    return true;
}

bool session_forsake_pass(struct session *session, enum status status)
{
    bool is_unusable = status == STATUS_DAMAGED || status == STATUS_LIMIT;
    if (!is_unusable || session->pass_input != PASS_OVER_INDEX)
        return false;
    pass_result_free(&session->result);
    session->names.index = NULL;
    trace_forget_index(session->trace);
    session->is_index_damaged |= status == STATUS_DAMAGED;
    session->pass_input = status == STATUS_DAMAGED ? PASS_UNDECIDED : PASS_OVER_TRACE;
    return true;
}

enum status session_pass_failure(struct session *session, enum status status, const char *path,
                                 struct error *err)
{
    bool is_unusable = status == STATUS_DAMAGED || status == STATUS_LIMIT;
    session->is_replayed |= !is_unusable;
    if (!is_unusable)
        return error_set(err, status, "%s: no memory for the report", path);
    if (session->pass_input == PASS_OVER_INDEX) // another decision follows
        return status;
    return error_set(err, STATUS_INPUT, "%s: %s", path,
                     session->pass_input == PASS_OVER_NEW_INDEX ? "cannot be read back"
                                                                : "damaged");
}

// --- An index that is replaced -------------------------------------------------------------------

// Determines whether the index at the path of the view fits, like any other index that is found.
static enum status judge_anew(struct session *session, struct index_file *file, struct error *err)
{
    struct fingerprint fingerprint;
    enum status status = source_fingerprint(session->trace->source, &fingerprint, err);
    if (status != STATUS_OK)
        return status;
    const struct index_wanted wanted = wanted_of(session, INDEX_FOR_ANSWERS, &fingerprint);
    file->path = strdup(session->view_path);
    return file->path ? index_file_judge(file, &wanted, err)
                      : error_set(err, STATUS_MEMORY, "no memory");
}

static enum index_turn open_anew(struct session *session, struct index_file *file,
                                 struct index_view *fresh, struct error *err)
{
    enum status status = judge_anew(session, file, err);
    bool fits =
        file->fit == INDEX_FITS || (file->fit == INDEX_OF_BEGINNING && session->is_of_beginning);
    if (status == STATUS_OK && !fits) {
        index_file_describe(file, session->path, err->text, sizeof err->text);
        return INDEX_IS_UNFIT;
    }
    struct trawl_index *index = file->index;
    file->index = NULL;
    if (status == STATUS_OK)
        status = index_view_adopt(fresh, index, session->reading, err);
    if (status != STATUS_OK)
        return INDEX_IS_UNFIT;
    // Whether a query of one index means the same in the other.
    const struct trawl_info *now = &session->view.info, *then = &fresh->info;
    if (now->events == then->events && now->lines == then->lines && now->lanes == then->lanes &&
        now->is_snapshots == then->is_snapshots &&
        !((now->options ^ then->options) & TRAWL_USES_AARCH64))
        return INDEX_IS_NEW;
    index_view_close(fresh);
    error_set(err, STATUS_INPUT, "index file %.360s has different events", session->view_path);
    return INDEX_IS_UNFIT;
}

enum index_turn session_look_for_index(struct session *session, struct index_view *fresh,
                                       struct error *err)
{
    struct index_file file = {0};
    if (!session->view_path || !session->trace)
        return INDEX_STAYS;
    const struct file_stamp now = file_stamp_at(session->view_path);
    if (file_stamp_is_none(&now) || file_stamp_equals(&now, &session->view_stamp))
        return INDEX_STAYS;
    session->view_stamp = now; // it is checked only once
    enum index_turn turn = open_anew(session, &file, fresh, err);
    index_file_free(&file);
    return turn;
}

void session_take_view(struct session *session, struct index_view *fresh)
{
    struct error err;
    session->names.index = NULL;
    index_view_close(&session->view);
    session->view = *fresh;
    session->view_stamp = index_view_stamp(fresh);
    // If names cannot be read, there are none.
    names_take_index(&session->names, session->view.index, &err);
    session_use_image_memory(session);
}
