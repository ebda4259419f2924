#include "cmd/xray/sums.h"

enum { IS_HIDDEN = 1, IS_SHOWN };

static bool hides(struct xray_hiding *hiding, uint32_t function)
{
    struct latency *row = latency_row(&hiding->answers, function);
    if (!row)
        return false;
    if (!row->max)
        row->max = hiding->hider->hides(hiding->hider->self, function) ? IS_HIDDEN : IS_SHOWN;
    return row->max == IS_HIDDEN;
}

bool xray_hiding_enter(struct xray_hiding *hiding, const struct xray_match *match,
                       uint32_t function, uint64_t tsc)
{
    if (!hiding->hider || !(hides(hiding, function) || hiding->outer))
        return false;
    if (!hiding->outer) {
        hiding->outer = xray_match_depth(match) + 1;
        hiding->since = tsc;
        hiding->was_after_exit = match->is_after_exit;
    }
    return true;
}

bool xray_hiding_leave(struct xray_hiding *hiding, struct xray_match *match, uint64_t tsc)
{
    size_t depth = xray_match_depth(match) + 1;
    if (!hiding->outer || depth < hiding->outer)
        return false;
    if (depth > hiding->outer)
        return true;
    uint64_t ticks = xray_ticks_between(hiding->since, tsc);
    hiding->outer = 0;
    hiding->ticks += ticks;
    hiding->all_ticks += hiding->is_shared ? 0 : ticks;
    hiding->all_calls += !hiding->is_shared;
    match->is_after_exit = hiding->was_after_exit;
    return true;
}
