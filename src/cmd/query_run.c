#include "cmd/query_run.h"

#include "cmd/query_index.h"
#include "cmd/trace_filter.h"
#include "cmd/trace_open.h"

#include <inttypes.h>
#include <stdlib.h>

static bool find_lane(struct query *query, enum exit_status *status)
{
    struct error err;
    struct lane_names names = {.kind = "core"};
    const char *name = query->common.lane;
    if (!name)
        return true;
    query->lane = index_view_lane_named(&query->view, name);
    if (query->lane != TRAWL_NONE)
        return true;
    for (uint64_t i = 0; i < query->view.info.lanes; i++)
        lane_names_add(&names, query->view.lanes[i].name);
    trace_filter_no_lane(&query->common, &names, &err);
    *status = query_error(query, &err);
    return false;
}

// With --strict the index must be of a trace that was read whole.
static bool is_strict_enough(struct query *query, enum exit_status *status)
{
    struct error err;
    const struct trawl_info *info = &query->view.info;
    if (!query->common.strict || !info->damaged_lines)
        return true;
    error_set(&err, STATUS_INPUT, "%s: %" PRIu64 " lines cannot be read", query->common.trace,
              info->damaged_lines);
    *status = query_error(query, &err);
    return false;
}

static bool open_point(struct query *query, enum exit_status *status)
{
    *status = EXIT_STATUS_FAILED;
    query->event = TRAWL_START;
    return query_index(query, status) && is_strict_enough(query, status) &&
           find_lane(query, status) &&
           query_point(query, "--at", query->at ? query->at : "end", &query->event, status);
}

static void close_damaged(struct query *query)
{
    index_view_close(&query->view);
    free(query->index_path);
    query->index_path = NULL;
    query->is_rebuildable = query->is_damaged = false;
    query->is_rebuilt = true;
}

enum exit_status query_run(struct query *query, enum exit_status (*report)(void *self), void *self)
{
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_open_images(&query->common, &status))
        return status;
    for (;;) {
        if (query->common.index_use == INDEX_ONLY)
            return query_index(query, &status) ? query_sum_up(query) : status;
        if (open_point(query, &status))
            status = report(self);
        if (!query->is_damaged)
            return status;
        close_damaged(query);
    }
}
