#include "cmd/contexts.h"
#include "cmd/trace_pass.h"

#include <stdlib.h>

static bool no_memory(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
    *status = trace_command_error(command, &err);
    return false;
}

static bool add_root(struct contexts *contexts, uint32_t root)
{
    if (!VEC_ROOM(&contexts->roots, 1))
        return false;
    contexts->roots.items[contexts->roots.count++] = root;
    return true;
}

// Adds the outermost contexts of the function below `root`, in preorder.
static bool add_function(struct contexts *contexts, struct trace_command *command, uint32_t root)
{
    const struct context_node *nodes = contexts->tree.nodes.items;
    for (uint32_t at = root;;) {
        bool is_wanted = session_takes_function(&command->session, nodes[at].pc);
        if (is_wanted && !add_root(contexts, at))
            return false;
        if (!is_wanted && nodes[at].first_child) {
            at = nodes[at].first_child;
            continue;
        }
        while (at != root && !nodes[at].next_sibling)
            at = nodes[at].parent;
        if (at == root)
            return true;
        at = nodes[at].next_sibling;
    }
}

bool contexts_focus(struct contexts *contexts, struct trace_command *command)
{
    uint32_t *roots = contexts->roots.items; // as they were
    bool is_whole = true;
    contexts->roots.items = NULL;
    contexts->roots.count = contexts->roots.capacity = 0;
    for (size_t i = 0; i < contexts->lanes.count; i++) {
        struct context_lane *lane = &contexts->lanes.items[i];
        size_t first = contexts->roots.count;
        for (size_t root = 0; is_whole && root < lane->root_count; root++)
            is_whole = add_function(contexts, command, roots[lane->first_root + root]);
        *lane = (struct context_lane){lane->name, first, contexts->roots.count - first};
    }
    free(roots);
    return is_whole;
}

static int compare_tasks(const void *a_item, const void *b_item, void *context)
{
    const struct context_node *nodes = context;
    uint64_t a = nodes[*(const uint32_t *)a_item].pc, b = nodes[*(const uint32_t *)b_item].pc;
    return (a > b) - (a < b);
}

// What a lane begins with stays first; its tasks follow by their entries.
static void sort_roots(struct contexts *contexts, const struct context_lane *lane)
{
    if (lane->root_count > 2)
        qsort_r(contexts->roots.items + lane->first_root + 1, lane->root_count - 1,
                sizeof *contexts->roots.items, compare_tasks, contexts->tree.nodes.items);
}

static bool add_lane(struct contexts *contexts, const struct lane_result *lane,
                     const struct call *activation)
{
    uint32_t root =
        context_tree_root(&contexts->tree, &lane->calls, &activation->entry, &activation->exit);
    if (!root || !VEC_ROOM(&contexts->lanes, 1))
        return false;
    struct context_lane *added = &contexts->lanes.items[contexts->lanes.count++];
    *added = (struct context_lane){lane->name, contexts->roots.count, 0};
    bool has_memory = add_root(contexts, root);
    uint32_t task;
    while (has_memory && (task = context_tree_take_task(&contexts->tree, root)) != CONTEXT_NONE)
        has_memory = add_root(contexts, task);
    added->root_count = contexts->roots.count - added->first_root;
    sort_roots(contexts, added);
    return has_memory;
}

static bool add_lanes(struct contexts *contexts, struct trace_command *command)
{
    for (size_t i = 0; i < command->session.result.lane_count; i++) {
        const struct lane_result *lane = &command->session.result.lanes[i];
        struct call activation;
        if (session_root(&command->session, lane, &activation) &&
            !add_lane(contexts, lane, &activation))
            return false;
    }
    return true;
}

bool contexts_gather(struct contexts *contexts, struct trace_command *command, bool focus,
                     enum exit_status *status)
{
    *contexts = (struct contexts){0};
    if (!context_tree_init(&contexts->tree))
        return no_memory(command, status);
    if (!trace_command_contexts(command, &contexts->tree, status))
        return false;
    bool is_whole = add_lanes(contexts, command) && (!focus || !command->session.filter.function ||
                                                     contexts_focus(contexts, command));
    return is_whole || no_memory(command, status);
}

void contexts_free(struct contexts *contexts)
{
    context_tree_free(&contexts->tree);
    free(contexts->roots.items);
    free(contexts->lanes.items);
}
