#include "session/lane_contexts.h"

#include "session/shown.h"
#include "session/tasks.h"

#include <stdlib.h>

static bool add_root(struct contexts *contexts, uint32_t root)
{
    if (!VEC_ROOM(&contexts->roots, 1))
        return false;
    contexts->roots.items[contexts->roots.count++] = root;
    return true;
}

// Adds the outermost contexts of the function below `root`, in preorder.
static bool add_function(struct contexts *contexts, struct session *session, uint32_t root)
{
    bool is_wanted;
    for (uint32_t at = root; at; at = context_tree_next(&contexts->tree, root, at, is_wanted)) {
        const struct context_node *node = &contexts->tree.nodes.items[at];
        is_wanted = !(node->kind & CONTEXT_PLACE) && session_takes_function(session, node->pc);
        if (is_wanted && !add_root(contexts, at))
            return false;
    }
    return true;
}

bool contexts_focus(struct contexts *contexts, struct session *session)
{
    uint32_t *roots = contexts->roots.items; // before the change
    bool is_whole = true;
    contexts->roots.items = NULL;
    contexts->roots.count = contexts->roots.capacity = 0;
    for (size_t i = 0; i < contexts->lanes.count; i++) {
        struct context_lane *lane = &contexts->lanes.items[i];
        size_t first = contexts->roots.count;
        for (size_t root = 0; is_whole && root < lane->root_count; root++)
            is_whole = add_function(contexts, session, roots[lane->first_root + root]);
        lane->first_root = first;
        lane->root_count = contexts->roots.count - first;
    }
    free(roots);
    return is_whole;
}

static bool hides(void *self, uint64_t pc)
{
    return session_hides(self, pc);
}

bool contexts_hide(struct contexts *contexts, struct session *session)
{
    struct context_hiding hiding = {.self = session, .hides = hides};
    struct context_roots roots = {0};
    bool is_whole = true;
    if (!session_hides_any(session))
        return true;
    for (size_t i = 0; i < contexts->lanes.count; i++) {
        struct context_lane *lane = &contexts->lanes.items[i];
        size_t first = roots.count;
        for (size_t root = 0; is_whole && root < lane->root_count; root++)
            is_whole = context_tree_hide(
                &contexts->tree, contexts->roots.items[lane->first_root + root], &hiding, &roots);
        lane->first_root = first;
        lane->root_count = roots.count - first;
    }
    context_hiding_free(&hiding);
    free(contexts->roots.items);
    contexts->roots = roots;
    session->hidden.ticks = hiding.ticks;
    session->hidden.calls = hiding.calls;
    return is_whole;
}

static int compare_tasks(const void *a_item, const void *b_item, void *context)
{
    const struct context_node *nodes = context;
    uint64_t a = nodes[*(const uint32_t *)a_item].pc, b = nodes[*(const uint32_t *)b_item].pc;
    return (a > b) - (a < b);
}

// Adds the tasks among the children of a root as separate roots.
static bool add_task_roots(struct contexts *contexts, uint32_t root)
{
    uint32_t next = contexts->tree.nodes.items[root].first_child, task;
    while ((task = context_tree_take_task(&contexts->tree, root, &next)) != CONTEXT_NONE) {
        if (!add_root(contexts, task))
            return false;
    }
    return true;
}

static bool add_lane(struct contexts *contexts, const struct lane_result *lane,
                     const struct call *activation)
{
    uint32_t root =
        context_tree_root(&contexts->tree, &lane->calls, &activation->entry, &activation->exit);
    if (!root || !VEC_ROOM(&contexts->lanes, 1))
        return false;
    struct context_lane *added = &contexts->lanes.items[contexts->lanes.count++];
    *added = (struct context_lane){lane->name, NULL, contexts->roots.count, 0};
    bool has_memory = add_root(contexts, root) && add_task_roots(contexts, root);
    added->root_count = contexts->roots.count - added->first_root;
    // The first call of a lane stays first; its tasks follow, ordered by their entries.
    if (added->root_count > 2)
        qsort_r(contexts->roots.items + added->first_root + 1, added->root_count - 1,
                sizeof *contexts->roots.items, compare_tasks, contexts->tree.nodes.items);
    return has_memory;
}

// --- Tasks ---------------------------------------------------------------------------------------

// Adds the roots of a task: its outermost functions, and a root for the time outside of them, which
// counts for the function in which the task was first seen.
static bool add_roots_of_task(struct contexts *contexts, const struct task_name *task,
                              const struct call_content *calls, uint64_t ticks)
{
    const struct node_ref entry = {.pc = task->entry}, exit = {.time = ticks};
    uint32_t root = context_tree_root(&contexts->tree, calls, &entry, &exit);
    bool is_first = task->number == 0;
    if (!root || !add_task_roots(contexts, root))
        return false;
    struct context_node *rest = &contexts->tree.nodes.items[root];
    rest->count = is_first;
    return (!is_first && !rest->ticks && !rest->first_child) || add_root(contexts, root);
}

// Continues the lane's contexts of that name, or begins them.
static bool begin_task(struct contexts *contexts, const struct lane_result *lane, const char *task)
{
    size_t count = contexts->lanes.count;
    const struct context_lane *last = count ? &contexts->lanes.items[count - 1] : NULL;
    if (last && last->name == lane->name && strcmp(last->task, task) == 0)
        return true;
    if (!VEC_ROOM(&contexts->lanes, 1))
        return false;
    contexts->lanes.items[contexts->lanes.count++] =
        (struct context_lane){lane->name, task, contexts->roots.count, 0};
    return true;
}

static bool add_task(struct contexts *contexts, const struct lane_result *lane,
                     const struct task_name *task, uint64_t ticks)
{
    const struct call_content *calls = &lane->tasks.tasks.items[task->number].calls;
    if (!begin_task(contexts, lane, task->name) || !add_roots_of_task(contexts, task, calls, ticks))
        return false;
    struct context_lane *into = &contexts->lanes.items[contexts->lanes.count - 1];
    into->root_count = contexts->roots.count - into->first_root;
    return true;
}

static bool add_tasks(struct contexts *contexts, struct session *session, size_t number,
                      const struct call *activation)
{
    const struct lane_result *lane = &session->result.lanes[number];
    size_t count = lane->tasks.tasks.count;
    const struct task_name **sorted = calloc(count + 1, sizeof *sorted);
    uint64_t *ticks = calloc(count + 1, sizeof *ticks);
    bool has_memory = sorted && ticks;
    if (has_memory && count) {
        task_names_sort(&session->tasks, number, count, sorted);
        task_log_add_ticks(&lane->tasks, activation->entry.time, activation->exit.time, ticks);
    }
    for (size_t i = 0; i < count && has_memory; i++) {
        if (session_takes_task(session, sorted[i]))
            has_memory = add_task(contexts, lane, sorted[i], ticks[sorted[i]->number]);
    }
    free(sorted);
    free(ticks);
    return has_memory;
}

// --- All lanes -----------------------------------------------------------------------------------

bool contexts_add_lanes(struct contexts *contexts, struct session *session)
{
    for (size_t i = 0; i < session->result.lane_count; i++) {
        const struct lane_result *lane = &session->result.lanes[i];
        struct call activation;
        if (!session_root(session, lane, &activation))
            continue;
        if (session->splits_by_task ? !add_tasks(contexts, session, i, &activation)
                                    : !add_lane(contexts, lane, &activation))
            return false;
    }
    return true;
}

void contexts_free(struct contexts *contexts)
{
    context_tree_free(&contexts->tree);
    free(contexts->roots.items);
    free(contexts->lanes.items);
}

const uint32_t *contexts_roots_of(const struct contexts *contexts, const struct context_lane *lane)
{
    return lane->root_count ? contexts->roots.items + lane->first_root : NULL;
}

bool contexts_have_lanes(const struct contexts *contexts)
{
    size_t count = contexts->lanes.count;
    return count > 1 && contexts->lanes.items[0].name != contexts->lanes.items[count - 1].name;
}
