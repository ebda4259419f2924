// Contexts from complete stacks, which are counted one by one.
#include "cmd/contexts.h"

bool contexts_begin_stacks(struct contexts *contexts)
{
    if (!contexts->top && !context_tree_init(&contexts->tree))
        return false;
    contexts->top = context_tree_child(&contexts->tree, CONTEXT_NONE, 0);
    return contexts->top != CONTEXT_NONE;
}

// A function is identified by its start, so all its PCs are one context.
static uint64_t function_of(const struct image_set *images, const struct unwind_frame *frame)
{
    struct image_symbol place;
    uint64_t pc = unwind_lookup_pc(frame);
    return image_set_by_address(images, pc, &place) ? place.address : pc;
}

bool contexts_add_stack(struct contexts *contexts, const struct image_set *images,
                        const struct unwind_stack *stack, uint64_t ticks)
{
    struct context_tree *tree = &contexts->tree;
    uint32_t node = contexts->top;
    for (size_t i = stack->count; i-- > 0;) {
        uint32_t parent = node;
        node = context_tree_child(tree, parent, function_of(images, &stack->frames[i]));
        if (node == CONTEXT_NONE)
            return false;
        struct context_node *nodes = tree->nodes.items;
        nodes[node].ticks += ticks;
        nodes[node].count += i == 0;
        nodes[parent].ticks_inside += ticks;
    }
    return true;
}

bool contexts_end_stacks(struct contexts *contexts, const char *lane)
{
    const struct context_node *nodes = contexts->tree.nodes.items;
    const size_t first_root = contexts->roots.count;
    uint32_t first = nodes[contexts->top].first_child;
    if (!first)
        return true;
    for (uint32_t at = first; at; at = nodes[at].next_sibling) {
        if (!VEC_ROOM(&contexts->roots, 1))
            return false;
        contexts->roots.items[contexts->roots.count++] = at;
    }
    if (!VEC_ROOM(&contexts->lanes, 1))
        return false;
    contexts->lanes.items[contexts->lanes.count++] =
        (struct context_lane){lane, NULL, first_root, contexts->roots.count - first_root};
    return true;
}
