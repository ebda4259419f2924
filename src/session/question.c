#include "session/question.h"

#include "base/unnamed.h"
#include "query/point.h"
#include "session/index_files.h"
#include "session/index_plan.h"
#include "session/index_restarts.h"
#include "session/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct finding {
    struct session *session;
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

// --- Opening -------------------------------------------------------------------------------------

static enum status keep_path(struct session *session, const char *path, enum status opened,
                             struct error *err)
{
    if (opened != STATUS_OK)
        return opened;
    session->view_path = strdup(path);
    session->view_stamp = index_view_stamp(&session->view);
    return session->view_path ? STATUS_OK : error_set(err, STATUS_MEMORY, "no memory");
}

// Opens the index at `path`, whether it fits or not.
static enum status open_path(struct session *session, const char *path, struct error *err)
{
    return keep_path(session, path, index_view_open(&session->view, path, session->reading, err),
                     err);
}

// Opens the view of the index that was found; judging it may already have opened it.
static enum status open_found(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    struct trawl_index *index = finding->file.index;
    enum status status;
    finding->file.index = NULL;
    if (finding->file.fit == INDEX_STRANGE)
        return file_role_refuse(finding->file.path, finding->file.role, ROLE_INDEX, err);
    if (!index)
        return open_path(session, finding->file.path, err);
    // Everything that is shown covers only the beginning.
    if (session->is_of_beginning && !index_files_cut(index, session->trace->source))
        return error_set(err, STATUS_MEMORY, "%s: no memory", session->path);
    status = keep_path(session, finding->file.path,
                       index_view_adopt(&session->view, index, session->reading, err), err);
    if (status == STATUS_OK && session->trace && finding->file.fit == INDEX_FITS)
        index_restarts_give(session->view.index, session->trace->source);
    return status;
}

// --- Building ------------------------------------------------------------------------------------

// Builds at `path`, or in the open `file`; then `path` is only used in messages.
static enum status build_at(struct finding *finding, const char *path, const int *file,
                            struct error *err)
{
    struct session *session = finding->session;
    struct indexing_options how = index_plan(session, path, &finding->fingerprint, file == NULL);
    const struct pass_request request = session_calls(session, NULL, NULL);
    how.file = file;
    how.preview = session->index.preview;
    enum status status = session_run(session, &request, &how, err);
    if (status != STATUS_OK)
        return status;
    session_report_left_out(session);
    if (!file)
        return open_path(session, path, err);
    status = index_view_open_file(&session->view, *file, path, session->reading, err);
    return keep_path(session, path, status, err);
}

// Builds in a file that disappears when the session ends for any reason.
static enum status build_aside(struct finding *finding, struct error *err)
{
    char name[64 + PATH_MAX];
    int file = unnamed_open(unnamed_directory());
    if (file < 0)
        return error_set_errno(err, unnamed_directory(),
                               "cannot make a temporary file for the index");
    snprintf(name, sizeof name, "unnamed file in %s", unnamed_directory());
    enum status status = build_at(finding, name, &file, err);
    close(file);
    return status;
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

static enum status build(struct finding *finding, struct error *err)
{
    const struct session_index *index = &finding->session->index;
    bool is_foreign = index_file_is_foreign(&finding->file);
    // If the trace is read faster than its index, no index remains unless it was requested.
    bool is_wanted = index->path || index->use == INDEX_FORCE || index->use == INDEX_ONLY ||
                     trace_can(finding->session->trace, TRACE_REPLAYS);
    bool is_aside = index->in_memory || !is_wanted ||
                    (!index->path && (is_foreign || !index_file_is_writable(finding->file.path)));
    if (!is_aside && is_foreign)
        return index_file_refuse(&finding->file, err);
    say(finding, is_aside ? "building one for this command" : "building it");
    enum status status = lay_out(finding->session, err);
    if (status != STATUS_OK)
        return status;
    return is_aside ? build_aside(finding, err) : build_at(finding, finding->file.path, NULL, err);
}

// --- The decision --------------------------------------------------------------------------------

static struct index_wish wish_of(const struct session *session)
{
    return (struct index_wish){
        .use = session->index.use,
        .is_named = session->index.path != NULL,
        .is_in_memory = session->index.in_memory,
        .is_question = true,
        .is_verified = session->index.is_verified,
        .is_spoiled = session->is_rebuilt,
    };
}

static enum status decide(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    const struct index_wish wish = wish_of(session);
    if (session->is_rebuilt && finding->file.fit == INDEX_FITS)
        finding->file.fit = INDEX_DAMAGED; // in parts that only the query read
    switch (index_choose(&wish, finding->file.fit)) {
    case INDEX_READ_IT:
        say(finding, "using it");
        session->is_of_beginning = finding->file.fit == INDEX_OF_BEGINNING;
        session->grown_bytes = finding->fingerprint.size_bytes;
        session->is_rebuildable = session->index.use != INDEX_NO_BUILD;
        break;
    case INDEX_BUILD_IT:
        return build(finding, err);
    default:
        if (finding->file.fit == INDEX_STRANGE)
            return open_found(finding, err);
        if (session->index.is_verified && finding->file.fit == INDEX_MISSING)
            return error_set(err, STATUS_INPUT,
                             "%s: has no index: there is no %s; 'trawl index' builds it",
                             session->path, finding->file.path);
        if (!session->index.is_verified && finding->file.fit != INDEX_MISSING &&
            session->listener.misfit)
            session->listener.misfit(session->listener.self, &finding->file);
    }
    return open_found(finding, err);
}

// The byte order matters if something determines it.
static bool has_byte_order(const struct session *session)
{
    return session->byte_order != TRACE_ORDER_UNKNOWN || names_have_image(&session->names);
}

// Which functions there are only matters to questions about calls.
static struct index_wanted wanted_of(const struct session *session,
                                     const struct fingerprint *fingerprint)
{
    struct index_wanted wanted = index_plan_wanted(session, fingerprint, has_byte_order(session));
    wanted.functions = session->asks_calls ? wanted.functions : 0;
    return wanted;
}

static enum status find(struct finding *finding, struct error *err)
{
    struct session *session = finding->session;
    finding->wanted = wanted_of(session, &finding->fingerprint);
    if (!session->trace) { // then only the index at its place can be used
        enum status found =
            index_file_find(&finding->file, session->index.path, &finding->wanted, err);
        if (found != STATUS_OK)
            return found;
        if (finding->file.fit != INDEX_MISSING && access(session->path, F_OK) != 0)
            return open_found(finding, err);
        *err = session->trace_error;
        return err->status;
    }
    if (!source_is_file(session->trace->source))
        return index_plan_no_file(session, err);
    enum status status = source_fingerprint(session->trace->source, &finding->fingerprint, err);
    if (status == STATUS_OK)
        status = index_file_find(&finding->file, session->index.path, &finding->wanted, err);
    return status == STATUS_OK ? decide(finding, err) : status;
}

static enum status open_view(struct session *session, struct error *err)
{
    struct finding finding = {.session = session};
    if (session->index.is_path_itself)
        return open_path(session, session->path, err);
    enum status status = find(&finding, err);
    index_file_free(&finding.file);
    return status;
}

bool session_open_view_that_fits(struct session *session)
{
    struct finding finding = {.session = session};
    struct error err;
    bool is_wanted = session->index.use == INDEX_AS_NEEDED || session->index.use == INDEX_NO_BUILD;
    if (!session->trace || !is_wanted || session->index.in_memory)
        return false;
    finding.wanted = wanted_of(session, &finding.fingerprint);
    bool is_open =
        source_fingerprint(session->trace->source, &finding.fingerprint, &err) == STATUS_OK &&
        index_file_find(&finding.file, session->index.path, &finding.wanted, &err) == STATUS_OK &&
        finding.file.fit == INDEX_FITS && open_found(&finding, &err) == STATUS_OK;
    index_file_free(&finding.file);
    return is_open;
}

// Names that cannot be read are damage like any other, but no query was answered yet that would
// have to be repeated.
enum status session_open_view(struct session *session, struct error *err)
{
    enum status status = open_view(session, err);
    if (status != STATUS_OK)
        return status;
    status = names_take_index(&session->names, session->view.index, err);
    if (status == STATUS_OK && session->asks_calls)
        session_compare_functions(session, session->view.index, session->view_path);
    if (session_forsake_view(session, status))
        status = open_view(session, err);
    return status;
}

bool session_forsake_view(struct session *session, enum status status)
{
    if (status != STATUS_DAMAGED || !session->is_rebuildable)
        return false;
    session->names.index = NULL;
    index_view_close(&session->view);
    free(session->view_path);
    session->view_path = NULL;
    session->is_rebuildable = false;
    session->is_rebuilt = true;
    return true;
}

// --- An index that is replaced -------------------------------------------------------------------

// Whether a query of one index means the same in the other.
static bool is_alike(const struct index_view *a, const struct index_view *b)
{
    return a->info.events == b->info.events && a->info.lines == b->info.lines &&
           a->info.lanes == b->info.lanes && a->info.is_snapshots == b->info.is_snapshots &&
           ((a->info.options ^ b->info.options) & TRAWL_USES_AARCH64) == 0;
}

// Determines whether the index at the path of the view fits, like any other index that is found.
static enum status judge_anew(struct session *session, struct index_file *file, struct error *err)
{
    struct fingerprint fingerprint;
    enum status status = source_fingerprint(session->trace->source, &fingerprint, err);
    if (status != STATUS_OK)
        return status;
    const struct index_wanted wanted = wanted_of(session, &fingerprint);
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
    if (is_alike(&session->view, fresh))
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
}

// --- The filter ----------------------------------------------------------------------------------

static bool takes_lane(uint64_t wanted, uint64_t lane)
{
    return wanted == TRAWL_ANY_LANE || wanted == lane;
}

enum status session_find_lane(const struct session *session, uint64_t *lane, struct error *err)
{
    const struct index_view *view = &session->view;
    *lane = TRAWL_ANY_LANE;
    if (!session->filter.lane)
        return STATUS_OK;
    *lane = index_view_lane_named(view, session->filter.lane);
    if (*lane != TRAWL_NONE)
        return STATUS_OK;
    struct lane_names names = {.kind = session->trace ? session->trace->kind->words.lane : "core"};
    for (uint64_t i = 0; i < view->info.lanes; i++)
        lane_names_add(&names, view->lanes[i].name);
    return filter_no_lane(&session->filter, session->path, &names, err);
}

enum status session_event_bounds(const struct session *session, uint64_t lane, uint64_t *first,
                                 uint64_t *last, struct error *err)
{
    const struct index_view *view = &session->view;
    const struct call_range *range = &session->filter.range;
    struct trawl_error from;
    *first = UINT64_MAX;
    *last = 0;
    if (index_view_has_snapshots(&session->view)) {
        *first = range->first_event;
        *last = range->last_event;
        return STATUS_OK;
    }
    for (uint64_t i = 0; i < view->info.lanes; i++) {
        uint64_t events = view->lanes[i].events, ends[2];
        if (!takes_lane(lane, i) || events <= range->first_event)
            continue;
        enum trawl_status status =
            trawl_event_of_lane(view->index, i, range->first_event, &ends[0], &from);
        if (status == TRAWL_OK)
            status = trawl_event_of_lane(view->index, i, u64_min(range->last_event, events - 1),
                                         &ends[1], &from);
        if (status != TRAWL_OK)
            return index_status(status, &from, err);
        *first = u64_min(*first, ends[0]);
        *last = u64_max(*last, ends[1]);
    }
    return STATUS_OK;
}

// The number of events of the lane that are not later than the end of the range.
static enum status count_until(const struct session *session, uint64_t lane, uint64_t *count,
                               struct error *err)
{
    const struct call_range *range = &session->filter.range;
    struct trawl_event about;
    struct trawl_error from;
    uint64_t event;
    enum trawl_status read =
        trawl_event_at_time(session->view.index, lane, range->last_time, &event, &from);
    *count = 0;
    if (read != TRAWL_OK || event == TRAWL_START)
        return index_status(read, &from, err);
    enum status status = point_in_lane(&session->view, lane, event, &about, err);
    *count = about.in_lane + 1;
    if (range->last_event < *count)
        *count = range->last_event + 1;
    return status;
}

// Whether the lane has an event in the range; extends `extent` by that of the lane.
static enum status look_at_lane(const struct session *session, uint64_t lane,
                                struct filter_extent *extent, bool *is_in_range, struct error *err)
{
    const struct call_range *range = &session->filter.range;
    uint64_t events = session->view.lanes[lane].events, count;
    struct trawl_event first, last, latest;
    if (!events)
        return STATUS_OK;
    enum status status = index_view_event_of_lane(&session->view, lane, 0, &first, err);
    if (status == STATUS_OK)
        status = index_view_event_of_lane(&session->view, lane, events - 1, &last, err);
    if (status == STATUS_OK)
        status = count_until(session, lane, &count, err);
    if (status != STATUS_OK)
        return status;
    extent->has_times = true;
    extent->first_time = u64_min(extent->first_time, first.time);
    extent->last_time = u64_max(extent->last_time, last.time);
    extent->last_event = u64_max(extent->last_event, events - 1);
    // The last event within both upper limits; times of a lane only ascend.
    if (!count || (status = index_view_event_of_lane(&session->view, lane, count - 1, &latest,
                                                     err)) != STATUS_OK)
        return status;
    *is_in_range |= count - 1 >= range->first_event && latest.time >= range->first_time;
    return STATUS_OK;
}

enum status session_find_range(const struct session *session, uint64_t lane, struct error *err)
{
    struct filter_extent extent = {.first_time = UINT64_MAX};
    bool is_in_range = call_range_is_all(&session->filter.range);
    enum status status = STATUS_OK;
    if (index_view_has_snapshots(&session->view)) {
        extent.last_event = session->view.info.events - 1;
        extent.has_times = true;
        is_in_range |= session->filter.range.first_event < session->view.info.events;
    }
    for (uint64_t i = 0; i < session->view.info.lanes && !is_in_range && status == STATUS_OK; i++) {
        if (!index_view_has_snapshots(&session->view) && takes_lane(lane, i))
            status = look_at_lane(session, i, &extent, &is_in_range, err);
    }
    if (status != STATUS_OK || is_in_range)
        return status;
    return filter_no_range(&session->filter, session->path, &extent, err);
}
