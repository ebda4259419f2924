#include "cmd/query_run.h"

#include "cmd/trace_listener.h"
#include "cmd/trace_open.h"

#include <inttypes.h>

// Damage for which the index can be rebuilt is left to the caller.
static bool open_view(struct query *query, enum exit_status *status)
{
    struct session *session = &query->common.session;
    struct error err;
    enum status result = session_open_view(session, &err);
    query->is_damaged = result == STATUS_DAMAGED && session->is_rebuildable;
    return !query->is_damaged && trace_command_passed(&query->common, result, &err, status);
}

static bool find_lane(struct query *query, enum exit_status *status)
{
    struct error err;
    if (session_find_lane(&query->common.session, &query->lane, &err) == STATUS_OK)
        return true;
    *status = query_error(query, &err);
    return false;
}

// With --strict, the index must be of a trace that was read completely.
static bool is_strict_enough(struct query *query, enum exit_status *status)
{
    struct error err;
    const struct session *session = &query->common.session;
    uint64_t damaged = session->view.info.damaged_lines;
    if (!session->is_strict || !damaged)
        return true;
    error_set(&err, STATUS_INPUT, "%s: %" PRIu64 " line%s cannot be read", session->path, damaged,
              plural(damaged));
    *status = query_error(query, &err);
    return false;
}

static bool open_point(struct query *query, enum exit_status *status)
{
    *status = EXIT_STATUS_FAILED;
    query->event = TRAWL_START;
    return open_view(query, status) && is_strict_enough(query, status) &&
           find_lane(query, status) &&
           query_point(query, "--at", query->at ? query->at : "end", &query->event, status);
}

enum exit_status query_run(struct query *query, enum exit_status (*report)(void *self), void *self)
{
    struct session *session = &query->common.session;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_open_images(&query->common, &status))
        return status;
    if (session->index.use == INDEX_ONLY)
        return open_view(query, &status) ? query_sum_up(query) : status;
    for (;;) {
        if (open_point(query, &status))
            status = report(self);
        if (!query->is_damaged)
            return status;
        query->is_damaged = false;
        session_forsake_view(session, STATUS_DAMAGED);
    }
}
