// The calling contexts of an XRay log, for profile and flame graph: threads in parallel, each from
// its root downwards, because a call is known when it begins.
#include "trace/xray/pass.h"

#include <stdlib.h>

struct contexts {
    struct xray_pass *pass;
    struct context_tree *trees; // one for each worker
    struct lane_place {
        unsigned worker;
        uint32_t root;
    } * places; // one for each lane
};

// The state of one thread.
struct walk {
    struct context_tree *tree;
    struct clip *clip;
    uint32_t at; // context of the innermost open call, or the root; CONTEXT_NONE: no memory
};

static bool on_enter(void *self, struct xray_lane *lane, struct xray_call *call,
                     const struct xray_record *record)
{
    struct walk *walk = self;
    (void)lane, (void)record;
    walk->at = context_tree_enter(walk->tree, walk->at, function_pc(xray_function(call->who)));
    return walk->at != CONTEXT_NONE;
}

static ALWAYS_INLINE void leave(struct walk *walk, uint64_t ticks)
{
    uint32_t at = walk->at;
    walk->at = walk->tree->nodes.items[at].parent;
    context_tree_leave(walk->tree, at, ticks);
}

// A call outside of the range adds nothing to its context; nor do the calls inside it.
static bool on_leave(void *self, struct xray_lane *lane, const struct xray_call *call,
                     const struct xray_record *record, bool is_unwound)
{
    struct walk *walk = self;
    uint64_t ticks;
    (void)record, (void)is_unwound;
    if (xray_lane_clip(lane, call, walk->clip, &ticks))
        leave(walk, ticks);
    else
        walk->at = walk->tree->nodes.items[walk->at].parent;
    return true;
}

static const struct xray_visitor visitor = {on_enter, on_leave, NULL, NULL};

// The same for plain records, if there is no range.
static ALWAYS_INLINE void step(void *self, struct xray_call *top, const struct xray_step *record)
{
    struct xray_lane_batch *batch = self;
    struct walk *walk = batch->self;
    xray_lane_step(batch, top, record);
    if (UNLIKELY(walk->at == CONTEXT_NONE))
        return;
    if (record->is_exit)
        leave(walk, batch->time - top->tsc);
    else
        walk->at = context_tree_enter(walk->tree, walk->at, function_pc(record->function));
}

static bool walk_lane(void *self, unsigned worker, struct xray_lane *lane, size_t number)
{
    const struct contexts *contexts = self;
    struct walk walk = {&contexts->trees[worker], &contexts->pass->result->lanes[number].clip,
                        CONTEXT_NONE};
    if (!walk.tree->nodes.count && !context_tree_init(walk.tree))
        return false;
    walk.at = context_tree_child(walk.tree, CONTEXT_NONE, 0);
    contexts->places[number] = (struct lane_place){worker, walk.at};
    if (!walk.at)
        return false;
    bool has_memory = call_range_is_all(&contexts->pass->range)
                          ? xray_lane_walk_batches(lane, &walk, &visitor, step)
                          : xray_lane_walk(lane, &walk, &visitor);
    if (!has_memory || walk.at == CONTEXT_NONE)
        return false;
    // The calls that are open at the end count up to there.
    for (size_t i = xray_match_depth(&lane->match); i > 0; i--)
        on_leave(&walk, lane, xray_lane_call(lane, i - 1), NULL, false);
    return true;
}

static bool graft_all(const struct contexts *contexts, struct context_tree *tree,
                      struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_place *place = &contexts->places[i];
        if (!context_tree_graft(tree, &contexts->trees[place->worker], place->root,
                                &result->lanes[i].calls))
            return false;
    }
    return true;
}

enum status xray_contexts_run(struct xray_pass *pass, struct context_tree *tree,
                              struct pass_result *result, struct error *err)
{
    struct contexts contexts = {pass, calloc(pass->threads, sizeof *contexts.trees),
                                calloc(pass->log->threads.count + 1, sizeof *contexts.places)};
    bool has_memory = contexts.trees && contexts.places;
    enum status status = STATUS_OK;
    *result = (struct pass_result){0};
    if (has_memory)
        status = xray_pass_run(pass, result, &contexts, walk_lane, err);
    if (has_memory && status == STATUS_OK)
        has_memory = graft_all(&contexts, tree, result);
    for (unsigned i = 0; i < pass->threads && contexts.trees; i++)
        context_tree_free(&contexts.trees[i]);
    free(contexts.trees);
    free(contexts.places);
    return has_memory ? status
                      : error_set(err, STATUS_MEMORY, "no memory for the contexts of calls");
}
