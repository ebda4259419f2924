#include "browse/steps.h"

#include "base/limits.h"

// Events here are numbers in one lane, plus one: 0 is before the first.
struct place {
    struct timeline *timeline;
    const struct lane_calls *calls;
    uint64_t lane;
    uint64_t at; // number of events done
};

static uint64_t level_of(const struct place *place, uint64_t in_lane)
{
    return in_lane < place->calls->event_count ? place->calls->level(place->calls->self, in_lane)
                                               : 0;
}

// The call of level `level` around an event, which must have one.
static struct lane_call call_of(const struct place *place, uint64_t in_lane, uint64_t level)
{
    struct lane_call call;
    place->calls->around(place->calls->self, in_lane, level, &call);
    return call;
}

static enum status go(const struct place *place, uint64_t at, uint64_t *target)
{
    *target = at ? timeline_event_of(place->timeline, place->lane, at - 1) : TRAWL_START;
    return STATUS_OK;
}

// The calls that replaced each other, around one of them: from the one that was called to the one
// that returned.
static struct lane_call chain_of(const struct place *place, const struct lane_call *call)
{
    struct lane_call chain = *call, other = *call;
    unsigned followed = 0;
    while (followed++ < LIMIT_TAIL_CALLS && other.how & TRAWL_CALL_TAIL_ENTRY && other.entry > 0 &&
           level_of(place, other.entry - 1) >= call->level) {
        other = call_of(place, other.entry - 1, call->level);
        if (other.entry >= chain.entry)
            break;
        chain.entry = other.entry;
    }
    chain.how = other.how; // how the first began
    other = *call;
    followed = 0;
    while (followed++ < LIMIT_TAIL_CALLS && other.how & TRAWL_CALL_TAIL_EXIT &&
           level_of(place, other.exit + 1) >= call->level) {
        other = call_of(place, other.exit + 1, call->level);
        if (other.exit <= chain.exit)
            break;
        chain.exit = other.exit;
    }
    return chain;
}

// Whether a call was made by the event before it.
static bool is_called(const struct lane_call *call)
{
    return call->entry > 0 && !(call->how & (TRAWL_CALL_TASK | TRAWL_CALL_RESUMED));
}

// Whether the next event calls; `call` is that call, up to its return.
static bool is_before_call(const struct place *place, struct lane_call *call)
{
    uint64_t level = level_of(place, place->at) + 1;
    if (level_of(place, place->at + 1) < level)
        return false;
    struct lane_call called = call_of(place, place->at + 1, level);
    *call = chain_of(place, &called);
    return called.entry == place->at + 1 && is_called(call);
}

// Whether the event before the position returned; `call` is the call that returned.
static bool is_after_return(const struct place *place, struct lane_call *call)
{
    uint64_t level = level_of(place, place->at) + 1;
    if (!place->at || level_of(place, place->at - 1) < level)
        return false;
    struct lane_call returned = call_of(place, place->at - 1, level);
    *call = chain_of(place, &returned);
    return returned.exit == place->at - 1 && is_called(call);
}

// The call around the next event.
static bool is_inside(const struct place *place, struct lane_call *call)
{
    uint64_t level = level_of(place, place->at);
    if (!level)
        return false;
    struct lane_call innermost = call_of(place, place->at, level);
    *call = chain_of(place, &innermost);
    return true;
}

enum status step_from(struct timeline *timeline, uint64_t event, enum step step, uint64_t *target,
                      struct error *err)
{
    uint64_t in_lane = 0, first = event == TRAWL_START ? 0 : event;
    struct place place = {.timeline = timeline,
                          .lane = timeline_lane_of(timeline, first, &in_lane)};
    struct lane_call call;
    place.calls = &timeline->lanes[place.lane].calls;
    place.at = event == TRAWL_START ? 0 : in_lane + 1;
    bool is_back = step >= STEP_BACK_INTO && step <= STEP_BACK_OUT;
    if (is_back && place.at == 0)
        return error_set(err, STATUS_NOT_FOUND, "The trace begins here");
    if (!is_back && place.at >= place.calls->event_count)
        return error_set(err, STATUS_NOT_FOUND, "The trace ends here");
    switch (step) {
    case STEP_OVER:
        return go(&place, is_before_call(&place, &call) ? call.exit + 1 : place.at + 1, target);
    case STEP_BACK_OVER:
        return go(&place, is_after_return(&place, &call) ? call.entry - 1 : place.at - 1, target);
    case STEP_OUT:
    case STEP_BACK_OUT:
        if (!is_inside(&place, &call) || (is_back && !is_called(&call)))
            return error_set(err, STATUS_NOT_FOUND, "In no call that returns");
        return go(&place, is_back ? call.entry - 1 : call.exit + 1, target);
    case STEP_MATCH:
        if (is_before_call(&place, &call))
            return go(&place, call.exit, target);
        if (is_inside(&place, &call) && is_called(&call)) {
            if (call.exit == place.at)
                return go(&place, call.entry - 1, target);
            // A tail call ends with the return of the last one.
            if (call_of(&place, place.at, call.level).exit == place.at)
                return go(&place, call.exit, target);
        }
        return error_set(err, STATUS_NOT_FOUND, "Neither a call nor a return comes next");
    default:
        return go(&place, is_back ? place.at - 1 : place.at + 1, target);
    }
}
