// Contexts from stacks that are unwound along the trace, which see through what calls cannot show:
// tail calls, jumps out of many frames, calls that never return.
#include "analysis/unwind_trace.h"
#include "base/limits.h"
#include "cmd/contexts.h"

#include <inttypes.h>
#include <stdlib.h>

struct sampling {
    struct contexts *contexts;
    struct query *query;
    struct unwind_trace trace;
    struct unwind_stack stack;
    uint64_t lane;
    uint32_t top;                       // holds the outermost frames, and is none itself
    uint64_t sample_count, early_count; // stacks; those that do not reach the outermost frame
};

static void on_fault(void *self, const struct error *err)
{
    struct query *query = self;
    diag_warning(&query->common.diag, "SFrame: %s", err->text);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the stacks");
}

// A function is known by its start, so that all its PCs are one context.
static uint64_t function_of(const struct sampling *sampling, const struct unwind_frame *frame)
{
    struct image_place place;
    uint64_t pc = unwind_lookup_pc(frame);
    return image_set_by_address(&sampling->query->common.names.images, pc, &place) ? place.address
                                                                                   : pc;
}

// Counts the stack, from its outermost frame in.
static bool add_stack(struct sampling *sampling)
{
    struct context_tree *tree = &sampling->contexts->tree;
    uint32_t node = sampling->top;
    for (size_t i = sampling->stack.count; i-- > 0;) {
        uint32_t parent = node;
        node = context_tree_child(tree, parent, function_of(sampling, &sampling->stack.frames[i]));
        if (node == CONTEXT_NONE)
            return false;
        struct context_node *nodes = tree->nodes.items;
        nodes[node].ticks++;
        nodes[node].count += i == 0;
        nodes[parent].ticks_inside++;
    }
    return true;
}

static bool is_in_range(const struct sampling *sampling, const struct trawl_event *at)
{
    const struct call_range *range = &sampling->query->common.range;
    return at->time >= range->first_time && at->time <= range->last_time &&
           at->event >= range->first_event && at->event <= range->last_event;
}

static enum status sample_at(struct sampling *sampling, uint64_t in_lane, struct error *err)
{
    struct trawl_error from;
    struct trawl_event at;
    struct trawl_index *index = sampling->query->session.index;
    uint64_t event;
    enum trawl_status read = trawl_event_of_lane(index, sampling->lane, in_lane, &event, &from);
    if (read == TRAWL_OK)
        read = trawl_event(index, event, &at, &from);
    if (read != TRAWL_OK)
        return session_status(read, &from, err);
    if (!is_in_range(sampling, &at) || !point_is_aarch64(&sampling->query->session, &at))
        return STATUS_OK;
    enum status status = unwind_trace_at(&sampling->trace, &at, &sampling->stack, err);
    if (status != STATUS_OK)
        return status;
    sampling->sample_count++;
    sampling->early_count += sampling->stack.end != UNWIND_OUTERMOST;
    return add_stack(sampling) ? STATUS_OK : no_memory(err);
}

static enum status sample_lane(struct sampling *sampling, uint64_t every, struct error *err)
{
    const struct trawl_lane *lane = &sampling->query->session.lanes[sampling->lane];
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

// Every outermost frame is a root of the one lane.
static enum status add_lane(struct sampling *sampling, struct error *err)
{
    struct contexts *contexts = sampling->contexts;
    if (sampling->sample_count == 0)
        return STATUS_OK;
    const struct context_node *nodes = contexts->tree.nodes.items;
    for (uint32_t at = nodes[sampling->top].first_child; at; at = nodes[at].next_sibling) {
        if (!VEC_ROOM(&contexts->roots, 1))
            return no_memory(err);
        contexts->roots.items[contexts->roots.count++] = at;
    }
    if (!VEC_ROOM(&contexts->lanes, 1))
        return no_memory(err);
    contexts->lanes.items[contexts->lanes.count++] =
        (struct context_lane){.name = sampling->query->session.lanes[sampling->lane].name,
                              .root_count = contexts->roots.count};
    return STATUS_OK;
}

static enum status sample(struct sampling *sampling, uint64_t every, struct error *err)
{
    struct query *query = sampling->query;
    const struct sframe_faults faults = {query, on_fault};
    sampling->stack.capacity = LIMIT_STACK_FRAMES;
    sampling->stack.frames = calloc(sampling->stack.capacity, sizeof *sampling->stack.frames);
    if (!sampling->stack.frames || !context_tree_init(&sampling->contexts->tree) ||
        !(sampling->top = context_tree_child(&sampling->contexts->tree, CONTEXT_NONE, 0)))
        return no_memory(err);
    enum status status = query_one_lane(query, "--unwind", &sampling->lane, err);
    if (status == STATUS_OK)
        status = unwind_trace_open(&sampling->trace, &query->session, &query->common.names.images,
                                   &faults, err);
    if (status == STATUS_OK)
        status = sample_lane(sampling, every, err);
    return status == STATUS_OK ? add_lane(sampling, err) : status;
}

bool contexts_sample(struct contexts *contexts, struct query *query, uint64_t every,
                     enum exit_status *status)
{
    struct sampling sampling = {.contexts = contexts, .query = query};
    struct error err;
    contexts_free(contexts); // of a run before, whose index was damaged
    *contexts = (struct contexts){0};
    enum status result = sample(&sampling, every, &err);
    if (result == STATUS_OK && sampling.early_count)
        diag_warning(&query->common.diag,
                     "%" PRIu64 " of %" PRIu64 " stacks end before the outermost frame",
                     sampling.early_count, sampling.sample_count);
    if (sampling.trace.flats)
        unwind_trace_free(&sampling.trace);
    free(sampling.stack.frames);
    if (result != STATUS_OK)
        *status = query_error(query, &err);
    return result == STATUS_OK;
}
