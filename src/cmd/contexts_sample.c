// Contexts from stacks that are unwound along the trace, which are right where calls are not: tail
// calls, jumps out of many frames, calls that never return.
#include "cmd/contexts.h"
#include "cmd/unwinding.h"

struct sampling {
    struct contexts *contexts;
    struct query *query;
    struct unwinding unwinding;
    uint64_t lane;
};

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the stacks");
}

static enum status sample_at(struct sampling *sampling, uint64_t in_lane, struct error *err)
{
    struct trawl_event at;
    const struct index_view *view = query_view(sampling->query);
    enum status status = index_view_event_of_lane(view, sampling->lane, in_lane, &at, err);
    if (status != STATUS_OK)
        return status;
    if (!query_wants_event(sampling->query, &at))
        return STATUS_OK;
    status = unwinding_at(&sampling->unwinding, &at, err);
    if (status != STATUS_OK)
        return status;
    const struct image_set *images = &sampling->query->common.session.names.images;
    return contexts_add_stack(sampling->contexts, images, &sampling->unwinding.stack, 1)
               ? STATUS_OK
               : no_memory(err);
}

static enum status sample_lane(struct sampling *sampling, uint64_t every, struct error *err)
{
    const struct trawl_lane *lane = &sampling->query->common.session.view.lanes[sampling->lane];
    enum status status = STATUS_OK;
    if (lane->root == TRAWL_NONE)
        return STATUS_OK;
    for (uint64_t at = lane->root; status == STATUS_OK && at < lane->events;) {
        status = sample_at(sampling, at, err);
        if (every > lane->events - at)
            break;
        at += every;
    }
    return status;
}

// Samples each lane, or the requested one.
static enum status sample_lanes(struct sampling *sampling, uint64_t every, struct error *err)
{
    struct query *query = sampling->query;
    enum status status = STATUS_OK;
    for (uint64_t lane = 0; status == STATUS_OK && lane < query->common.session.view.info.lanes;
         lane++) {
        if (query->lane != TRAWL_ANY_LANE && query->lane != lane)
            continue;
        sampling->lane = lane;
        if (!contexts_begin_stacks(sampling->contexts))
            return no_memory(err);
        status = sample_lane(sampling, every, err);
        if (status == STATUS_OK &&
            !contexts_end_stacks(sampling->contexts, query->common.session.view.lanes[lane].name))
            status = no_memory(err);
    }
    return status;
}

static enum status sample(struct sampling *sampling, enum unwind_method how, uint64_t every,
                          struct error *err)
{
    struct query *query = sampling->query;
    struct trace_command *command = &query->common;
    if (query->common.session.view.info.lanes == 0)
        return error_set(err, STATUS_INPUT, "%s: has no instructions", command->session.path);
    enum status status = unwinding_open(&sampling->unwinding, query, how, err);
    if (status == STATUS_OK)
        status = sample_lanes(sampling, every, err);
    if (status == STATUS_OK && !contexts_hide(sampling->contexts, &command->session))
        status = no_memory(err);
    if (status == STATUS_OK && command->session.filter.function &&
        !contexts_focus(sampling->contexts, &command->session))
        status = no_memory(err);
    return status;
}

bool contexts_sample(struct contexts *contexts, struct query *query, enum unwind_method how,
                     uint64_t every, enum exit_status *status)
{
    struct sampling sampling = {.contexts = contexts, .query = query};
    struct error err;
    contexts_free(contexts); // of an earlier try, whose index was damaged
    *contexts = (struct contexts){0};
    enum status result = sample(&sampling, how, every, &err);
    if (result == STATUS_OK)
        unwinding_warn(&sampling.unwinding);
    unwinding_free(&sampling.unwinding);
    if (result != STATUS_OK)
        *status = query_error(query, &err);
    return result == STATUS_OK;
}
