#include "diff/lane_diff.h"

#include "diff/build_functions.h"

#include <stdlib.h>

static struct stack_node new_node(const char *name, uint32_t parent, uint32_t depth)
{
    return (struct stack_node){.name = name,
                               .parent = parent,
                               .first_child = STACK_DIFF_NONE,
                               .next_sibling = STACK_DIFF_NONE,
                               .depth = depth};
}

enum status stack_diff_begin(struct stack_diff *diff, struct error *err)
{
    *diff = (struct stack_diff){0};
    if (!VEC_ROOM(&diff->nodes, 1) || !VEC_ROOM(&diff->open, 1))
        return error_set(err, STATUS_MEMORY, "no memory for the stacks");
    diff->nodes.items[diff->nodes.count++] = new_node("all", STACK_DIFF_NONE, 0);
    diff->open.items[diff->open.count++] = 0;
    return STATUS_OK;
}

void stack_diff_free(struct stack_diff *diff)
{
    free(diff->nodes.items);
    hash_index_free(&diff->by_name);
    free(diff->open.items);
    arena_free(&diff->names);
}

// --- Adding --------------------------------------------------------------------------------------

// The child with that name of the innermost open node. STACK_DIFF_NONE: no memory.
static uint32_t node_of(struct stack_diff *diff, const char *name)
{
    uint32_t parent = diff->open.items[diff->open.count - 1];
    bool is_part;
    size_t length = diff->are_builds ? build_name_length(name, &is_part) : 0;
    if (diff->are_builds && name[length] && !(name = arena_copy_string(&diff->names, name, length)))
        return STACK_DIFF_NONE;
    uint64_t hash = hash_text(hash_index_seed(&diff->by_name), parent, name);
    const struct stack_node *nodes = diff->nodes.items;
    uint32_t node;
    HASH_INDEX_FIND(node, &diff->by_name, hash,
                    nodes[candidate].parent == parent && strcmp(nodes[candidate].name, name) == 0);
    if (node != HASH_INDEX_NONE)
        return node;
    node = (uint32_t)diff->nodes.count;
    if (!VEC_ROOM(&diff->nodes, 1) || diff->nodes.count >= STACK_DIFF_NONE - 1 ||
        !hash_index_add(&diff->by_name, hash, node))
        return STACK_DIFF_NONE;
    diff->nodes.items[diff->nodes.count++] =
        new_node(name, parent, diff->nodes.items[parent].depth + 1);
    return node;
}

bool stack_diff_enter(struct stack_diff *diff, const char *name)
{
    uint32_t node = node_of(diff, name);
    if (node == STACK_DIFF_NONE || !VEC_ROOM(&diff->open, 1))
        return false;
    diff->open.items[diff->open.count++] = node;
    return true;
}

void stack_diff_leave(struct stack_diff *diff)
{
    ASSERT(diff->open.count > 1);
    diff->open.count--;
}

static bool take(void *self, enum stack_event event, const struct stack_visit *visit)
{
    struct stack_diff *diff = self;
    if (event == STACK_OWN) {
        uint32_t number = node_of(diff, visit->name);
        if (number == STACK_DIFF_NONE)
            return false;
        struct stack_node *node = &diff->nodes.items[number];
        node->is_nameless = visit->is_nameless;
        node->is_cut |= visit->is_cut;
        node->pc = visit->pc;
        node->self[diff->side] += visit->self_ticks;
        node->count[diff->side] += visit->count;
        return true;
    }
    if (event == STACK_ENTER)
        return stack_diff_enter(diff, visit->name);
    stack_diff_leave(diff);
    return true;
}

struct stack_walk stack_diff_walk(struct stack_diff *diff)
{
    return (struct stack_walk){.self = diff, .event = take};
}

// --- The tree ------------------------------------------------------------------------------------

static int compare_nodes(const void *a_item, const void *b_item, void *context)
{
    const struct stack_node *nodes = context;
    const struct stack_node *a = &nodes[*(const uint32_t *)a_item];
    const struct stack_node *b = &nodes[*(const uint32_t *)b_item];
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return strcmp(a->name, b->name);
}

bool stack_diff_end(struct stack_diff *diff)
{
    struct stack_node *nodes = diff->nodes.items;
    uint32_t count = (uint32_t)diff->nodes.count;
    uint32_t *order = malloc(count * sizeof *order);
    if (!order)
        return false;
    // Children come after their parents.
    for (uint32_t i = count; i-- > 0;) {
        order[i] = i;
        for (int side = 0; side < 2; side++) {
            nodes[i].total[side] += nodes[i].self[side];
            if (i)
                nodes[nodes[i].parent].total[side] += nodes[i].total[side];
        }
    }
    qsort_r(order + 1, count - 1, sizeof *order, compare_nodes, nodes);
    for (uint32_t i = count; i-- > 1;) {
        struct stack_node *parent = &nodes[nodes[order[i]].parent];
        nodes[order[i]].next_sibling = parent->first_child;
        parent->first_child = order[i];
    }
    free(order);
    return true;
}

uint32_t stack_diff_next(const struct stack_diff *diff, uint32_t node)
{
    const struct stack_node *nodes = diff->nodes.items;
    if (nodes[node].first_child != STACK_DIFF_NONE)
        return nodes[node].first_child;
    while (node != STACK_DIFF_NONE && nodes[node].next_sibling == STACK_DIFF_NONE)
        node = nodes[node].parent;
    return node == STACK_DIFF_NONE ? node : nodes[node].next_sibling;
}
