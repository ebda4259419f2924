// Handlers of exceptions, of which each is known by itself, together: how long a core was in them,
// and since when they were pending.
#include "cmd/calls.h"

#include "query/irq_request.h"

#include <inttypes.h>
#include <stdlib.h>

// --- Until a task runs again ---------------------------------------------------------------------

static int compare_handled(const void *a, const void *b)
{
    const struct handled *left = a, *right = b;
    if (left->core != right->core)
        return left->core < right->core ? -1 : 1;
    if (left->begin != right->begin)
        return left->begin < right->begin ? -1 : 1;
    return left->end < right->end ? -1 : left->end > right->end;
}

// Joins times of a core between which no task ran: one handler follows the other.
static void join_handled(struct calls *calls)
{
    struct handled *items = calls->handled.items;
    size_t kept = 0;
    if (calls->handled.count)
        qsort(items, calls->handled.count, sizeof *items, compare_handled);
    for (size_t i = 0; i < calls->handled.count; i++) {
        struct handled *last = kept ? &items[kept - 1] : NULL;
        if (last && last->core == items[i].core && items[i].begin <= last->end) {
            last->is_open = items[i].end >= last->end ? items[i].is_open : last->is_open;
            last->end = u64_max(last->end, items[i].end);
        } else {
            items[kept++] = items[i];
        }
    }
    calls->handled.count = kept;
}

static void find_to_task(const struct calls *calls, struct call_row *row)
{
    const struct handled *items = calls->handled.items;
    size_t after; // the first that begins after the entry
    PARTITION_POINT(after, calls->handled.count,
                    items[middle].core < row->core ||
                        (items[middle].core == row->core && items[middle].begin <= row->entry));
    if (after && items[after - 1].core == row->core && !items[after - 1].is_open &&
        row->entry <= items[after - 1].end)
        row->to_task = items[after - 1].end - row->entry;
}

// --- Since when it was pending -------------------------------------------------------------------

struct entered {
    struct call_row *row;
    uint64_t lane, event, pc;
};

// By handlers of lanes, in the order of their entries.
static int compare_entered(const void *a, const void *b)
{
    const struct entered *left = a, *right = b;
    if (left->lane != right->lane)
        return left->lane < right->lane ? -1 : 1;
    if (left->pc != right->pc)
        return left->pc < right->pc ? -1 : 1;
    return left->event < right->event ? -1 : left->event > right->event;
}

static enum status find_requests(struct calls *calls, const struct entered *items, size_t count,
                                 size_t *unknown, struct error *err)
{
    const struct index_view *view = query_view(&calls->common);
    enum status status = STATUS_OK;
    uint32_t number = 0;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const struct entered *at = &items[i], *last = i ? &items[i - 1] : NULL;
        struct irq_request request;
        struct trawl_event about;
        uint64_t before = TRAWL_START; // when it ran last, also if that is not shown
        if (!last || last->lane != at->lane || last->pc != at->pc)
            number = irq_number(view, at->event, at->pc);
        if (number && at->event)
            trawl_visit(view->index, at->lane, at->pc & ~UINT64_C(1), at->event - 1, TRAWL_BACKWARD,
                        &before, NULL);
        status = number ? irq_request_find(view, at->lane, number, before, at->event, &request, err)
                        : STATUS_NOT_FOUND;
        if (status == STATUS_OK)
            status = index_view_event(view, request.event, &about, err);
        if (status == STATUS_OK && about.time <= at->row->entry) {
            at->row->pending = at->row->entry - about.time;
            at->row->request = request.name;
        }
        *unknown += at->row->pending == TICKS_UNKNOWN;
        status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
    }
    return status;
}

static bool find_pending(struct calls *calls)
{
    struct entered *items = malloc((calls->rows.count + 1) * sizeof *items);
    size_t count = 0, unknown = 0;
    if (!items)
        return calls_fail(calls, STATUS_MEMORY, "no memory");
    for (size_t i = 0; i < calls->rows.count; i++) {
        struct call_row *row = &calls->rows.items[i];
        struct trawl_event entry;
        if (calls_event(calls, row->line, &entry))
            items[count++] = (struct entered){row, entry.lane, entry.event, row->pc};
        else
            unknown++;
    }
    if (count)
        qsort(items, count, sizeof *items, compare_entered);
    if (find_requests(calls, items, count, &unknown, &calls->err) != STATUS_OK)
        calls->has_failed = true;
    free(items);
    if (!calls->has_failed && unknown)
        diag_note(&calls->common.diag,
                  "since when %zu of %zu handlers were pending is not known: only requests by "
                  "software are seen, those of devices are not in the trace",
                  unknown, calls->rows.count);
    return !calls->has_failed;
}

// --- Both ----------------------------------------------------------------------------------------

bool calls_finish_handlers(struct calls *calls)
{
    const struct session *session = &calls->common.session;
    // A handler that is not shown may have been running.
    const bool is_whole = !session->filter.function && session->filter.depth_max == UINT64_MAX &&
                          !session_hides_any(session) && !session->filter.task;
    join_handled(calls);
    for (size_t i = 0; i < calls->rows.count && is_whole; i++)
        find_to_task(calls, &calls->rows.items[i]);
    if (calls->wants_pending && !find_pending(calls))
        return false;
    for (size_t i = 0; i < calls->rows.count && calls->wants_latency; i++) {
        if (!calls_take_latency(calls, &calls->rows.items[i]))
            return false;
    }
    return true;
}
