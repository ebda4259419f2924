#include "flow/context_hide.h"

#include <stdlib.h>

struct walk {
    struct context_tree *tree;
    struct context_hiding *hiding;
    VEC(, uint32_t) order;       // the shown contexts, each after its parent
    struct context_roots *roots; // new roots
};

// Records a context, after its parent. False: no memory.
static bool enter(struct walk *walk, uint32_t at, bool is_root)
{
    struct context_node *nodes = walk->tree->nodes.items, *node = &nodes[at];
    uint32_t *shown = walk->hiding->shown;
    uint32_t around = is_root ? CONTEXT_NONE : node->parent;
    bool is_around_hidden = around && shown[around] != around;
    bool is_handler = (node->kind & CONTEXT_HANDLER) != 0;
    node->kind &= CONTEXT_TASK | CONTEXT_GUESS;
    bool is_hidden = walk->hiding->hides(walk->hiding->self, node->pc);
    if (is_hidden && !is_around_hidden)
        walk->hiding->calls += node->count;
    if (is_hidden || (is_around_hidden && !is_handler)) {
        shown[at] = around ? shown[around] : CONTEXT_NONE;
        return true;
    }
    if (!VEC_ROOM(&walk->order, 1))
        return false;
    walk->order.items[walk->order.count++] = at;
    shown[at] = at;
    return true;
}

// Puts a context in its new place. False: no memory.
static bool put_below(struct walk *walk, uint32_t at, uint32_t parent)
{
    struct context_node *nodes = walk->tree->nodes.items, *node = &nodes[at];
    node->parent = parent;
    node->previous_sibling = node->next_sibling = CONTEXT_NONE;
    if (!parent) {
        if (!VEC_ROOM(walk->roots, 1))
            return false;
        walk->roots->items[walk->roots->count++] = at;
        return true;
    }
    node->next_sibling = nodes[parent].first_child;
    if (node->next_sibling)
        nodes[node->next_sibling].previous_sibling = at;
    nodes[parent].first_child = at;
    nodes[parent].child_count++;
    nodes[parent].ticks_inside += node->ticks;
    return true;
}

// Rebuilds the sums of the shown contexts, from inner to outer ones, from what each has itself and
// what is below it.
static bool join(struct walk *walk, uint32_t root)
{
    struct context_node *nodes = walk->tree->nodes.items;
    const uint32_t *shown = walk->hiding->shown; // the context itself, or, if it is hidden, the
                                                 // shown one around it
    for (size_t i = 0; i < walk->order.count; i++) {
        struct context_node *node = &nodes[walk->order.items[i]];
        node->ticks = context_self_ticks(node);
        node->ticks_inside = 0;
        node->first_child = CONTEXT_NONE;
        node->child_count = 0;
    }
    for (size_t i = walk->order.count; i-- > 0;) {
        uint32_t at = walk->order.items[i];
        uint32_t around = at == root ? CONTEXT_NONE : nodes[at].parent;
        nodes[at].ticks += nodes[at].ticks_inside;
        if (!put_below(walk, at, around ? shown[around] : CONTEXT_NONE))
            return false;
    }
    return true;
}

bool context_tree_hide(struct context_tree *tree, uint32_t root, struct context_hiding *hiding,
                       struct context_roots *roots)
{
    struct walk walk = {.tree = tree, .hiding = hiding, .roots = roots};
    uint64_t whole = tree->nodes.items[root].ticks;
    size_t first = roots->count;
    if (!hiding->shown)
        hiding->shown = calloc(tree->nodes.count, sizeof *hiding->shown);
    bool has_memory = hiding->shown != NULL;
    for (uint32_t at = root; at && has_memory; at = context_tree_next(tree, root, at, false))
        has_memory = enter(&walk, at, at == root); // each before those below it
    has_memory = has_memory && join(&walk, root);
    for (size_t i = first; i < roots->count && has_memory; i++)
        whole -= tree->nodes.items[roots->items[i]].ticks;
    hiding->ticks += has_memory ? whole : 0;
    free(walk.order.items);
    return has_memory;
}

void context_hiding_free(struct context_hiding *hiding)
{
    free(hiding->shown);
    hiding->shown = NULL;
}
