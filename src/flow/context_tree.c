#include "flow/context_tree.h"

#include <stdlib.h>

// The two words of a call's content.
enum {
    CONTENT_NODE,  // a nameless node whose children are the calls, or CONTEXT_NONE
    CONTENT_TICKS, // sum over these calls
};

// What identifies a context below its parent.
struct context_key {
    uint64_t pc;
    unsigned kind;
};

static struct context_key key_of(const struct context_node *node)
{
    return (struct context_key){node->pc, node->kind};
}

static size_t slot_of(const struct context_tree *tree, uint32_t parent, struct context_key key)
{
    uint64_t parent_and_kind = (uint64_t)key.kind << 32 | parent;
    return (size_t)hash_keys(&tree->seed, parent_and_kind, key.pc) & (tree->slot_count - 1);
}

// The slot of the child, or the free one where it would go.
static size_t probe(const struct context_tree *tree, uint32_t parent, struct context_key key)
{
    size_t at = slot_of(tree, parent, key);
    for (; tree->slots[at]; at = (at + 1) & (tree->slot_count - 1)) {
        const struct context_node *node = &tree->nodes.items[tree->slots[at]];
        if (node->parent == parent && node->pc == key.pc && node->kind == key.kind)
            break;
    }
    return at;
}

// Up to this many slots, a table grows fourfold, because moving its contexts is slower than the
// memory is worth.
#define SLOTS_FEW ((size_t)1 << 16)

static bool grow_slots(struct context_tree *tree)
{
    struct context_tree grown = *tree;
    size_t times = tree->slot_count < SLOTS_FEW ? 4 : 2;
    grown.slot_count = tree->slot_count ? tree->slot_count * times : 1024;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < tree->slot_count; i++) {
        const struct context_node *node = &tree->nodes.items[tree->slots[i]];
        if (tree->slots[i])
            grown.slots[probe(&grown, node->parent, key_of(node))] = tree->slots[i];
    }
    free(tree->slots);
    tree->slots = grown.slots; // nothing else: make_chunk may read the other fields meanwhile
    tree->slot_count = grown.slot_count;
    return true;
}

static void remove_slot(struct context_tree *tree, size_t hole)
{
    size_t mask = tree->slot_count - 1;
    for (size_t at = (hole + 1) & mask; tree->slots[at]; at = (at + 1) & mask) {
        const struct context_node *node = &tree->nodes.items[tree->slots[at]];
        size_t home = slot_of(tree, node->parent, key_of(node));
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            tree->slots[hole] = tree->slots[at];
            hole = at;
        }
    }
    tree->slots[hole] = 0;
    tree->used_count--;
}

bool context_tree_init(struct context_tree *tree)
{
    *tree = (struct context_tree){.seed = hash_seed_new()};
    if (!VEC_ROOM(&tree->nodes, 64) || !grow_slots(tree))
        return false;
    tree->nodes.items[0] = (struct context_node){0};
    tree->nodes.count = 1;
    return true;
}

void context_tree_free(struct context_tree *tree)
{
    free(tree->nodes.items);
    free(tree->slots);
    free(tree->work.items);
    *tree = (struct context_tree){0};
}

static uint32_t new_node(struct context_tree *tree)
{
    uint32_t at = tree->free;
    if (at) {
        tree->free = tree->nodes.items[at].next_sibling;
    } else {
        if (tree->nodes.count > UINT32_MAX - 1 || !VEC_ROOM(&tree->nodes, 1))
            return CONTEXT_NONE;
        at = (uint32_t)tree->nodes.count++;
    }
    tree->nodes.items[at] = (struct context_node){0};
    return at;
}

static void free_node(struct context_tree *tree, uint32_t at)
{
    tree->nodes.items[at].parent = CONTEXT_NONE; // so that it is not mistaken for a recent child
    tree->nodes.items[at].next_sibling = tree->free;
    tree->free = at;
}

// Makes room for another child. Adding it then moves no slots. False: no memory.
static bool slot_room(struct context_tree *tree)
{
    return LIKELY(2 * (tree->used_count + 1) <= tree->slot_count) || grow_slots(tree);
}

// Makes `at`, whose key is set, a child of `parent`, in the free slot found for it.
static void attach(struct context_tree *tree, uint32_t parent, uint32_t at, size_t slot)
{
    struct context_node *nodes = tree->nodes.items, *node = &nodes[at];
    node->parent = parent;
    node->previous_sibling = CONTEXT_NONE;
    node->next_sibling = nodes[parent].first_child;
    if (node->next_sibling)
        nodes[node->next_sibling].previous_sibling = at;
    nodes[parent].first_child = at;
    nodes[parent].child_count++;
    tree->slots[slot] = at;
    tree->used_count++;
}

static void detach(struct context_tree *tree, uint32_t at)
{
    struct context_node *nodes = tree->nodes.items, *node = &nodes[at];
    remove_slot(tree, probe(tree, node->parent, key_of(node)));
    if (node->previous_sibling)
        nodes[node->previous_sibling].next_sibling = node->next_sibling;
    else
        nodes[node->parent].first_child = node->next_sibling;
    if (node->next_sibling)
        nodes[node->next_sibling].previous_sibling = node->previous_sibling;
    nodes[node->parent].child_count--;
}

static void add_figures(struct context_node *into, const struct context_node *from)
{
    into->count += from->count;
    into->ticks += from->ticks;
    into->ticks_inside += from->ticks_inside;
}

static bool push_work(struct context_tree *tree, uint32_t into, uint32_t from)
{
    if (!VEC_ROOM(&tree->work, 1))
        return false;
    tree->work.items[tree->work.count++] = (uint64_t)into << 32 | from;
    return true;
}

// Moves the child `at` below `into`, or, if there is a child with its key, adds the pair to the
// work. Of two that merge, the one with more children stays.
static bool move_child(struct context_tree *tree, uint32_t into, uint32_t at)
{
    struct context_node *nodes = tree->nodes.items;
    detach(tree, at);
    size_t slot = probe(tree, into, key_of(&nodes[at]));
    uint32_t there = tree->slots[slot];
    if (!there) {
        attach(tree, into, at, slot);
        return true;
    }
    if (nodes[at].child_count > nodes[there].child_count) {
        detach(tree, there);
        attach(tree, into, at, probe(tree, into, key_of(&nodes[at])));
        uint32_t larger = at;
        at = there;
        there = larger;
    }
    add_figures(&nodes[there], &nodes[at]);
    if (LIKELY(!nodes[at].first_child)) {
        free_node(tree, at);
        return true;
    }
    return push_work(tree, there, at);
}

// Moves all children of `from` below `into`, merging equal stacks, and frees `from`.
static bool merge_children(struct context_tree *tree, uint32_t into, uint32_t from)
{
    tree->work.count = 0;
    if (!push_work(tree, into, from))
        return false;
    while (tree->work.count) {
        uint64_t pair = tree->work.items[--tree->work.count];
        uint32_t to = (uint32_t)(pair >> 32), source = (uint32_t)pair;
        while (tree->nodes.items[source].first_child) {
            if (!move_child(tree, to, tree->nodes.items[source].first_child))
                return false;
        }
        free_node(tree, source);
    }
    return true;
}

static bool merge_content(void *self, struct call_content *into, const struct call_content *from)
{
    struct context_tree *tree = self;
    uint32_t a = (uint32_t)into->words[CONTENT_NODE], b = (uint32_t)from->words[CONTENT_NODE];
    into->words[CONTENT_TICKS] += from->words[CONTENT_TICKS];
    if (!a || !b) {
        into->words[CONTENT_NODE] = a | b;
        return true;
    }
    bool b_is_larger = tree->nodes.items[b].child_count > tree->nodes.items[a].child_count;
    into->words[CONTENT_NODE] = b_is_larger ? b : a;
    return merge_children(tree, b_is_larger ? b : a, b_is_larger ? a : b);
}

static void set_key(struct context_node *node, struct context_key key)
{
    node->pc = key.pc;
    node->kind = key.kind & (CONTEXT_TASK | CONTEXT_HANDLER | CONTEXT_PLACE | CONTEXT_GUESS);
}

// The child of `parent` with this key. If `inner` is a node with what was called from the child, it
// becomes the child or is merged into it. CONTEXT_NONE: no memory.
static uint32_t child_for_call(struct context_tree *tree, uint32_t parent, struct context_key key,
                               uint32_t inner)
{
    if (!slot_room(tree))
        return CONTEXT_NONE;
    size_t slot = probe(tree, parent, key);
    uint32_t at = tree->slots[slot];
    if (at && inner && tree->nodes.items[inner].child_count > tree->nodes.items[at].child_count) {
        add_figures(&tree->nodes.items[inner], &tree->nodes.items[at]);
        detach(tree, at);
        set_key(&tree->nodes.items[inner], key);
        attach(tree, parent, inner, probe(tree, parent, key));
        return merge_children(tree, inner, at) ? inner : CONTEXT_NONE;
    }
    if (at)
        return !inner || merge_children(tree, at, inner) ? at : CONTEXT_NONE;
    at = inner ? inner : new_node(tree);
    if (!at)
        return CONTEXT_NONE;
    set_key(&tree->nodes.items[at], key);
    attach(tree, parent, at, slot);
    return at;
}

static uint32_t child_of_key(struct context_tree *tree, uint32_t parent, struct context_key key);

// The place of an instruction. CONTEXT_NONE: no memory.
static ALWAYS_INLINE uint32_t place_below(struct context_tree *tree, uint32_t content, uint64_t pc)
{
    pc &= ~UINT64_C(1);
    if (tree->places)
        pc = place_table_first(tree->places, pc);
    uint32_t recent = tree->nodes.items[content].recent_child;
    const struct context_node *node = &tree->nodes.items[recent];
    if (LIKELY(node->parent == content && node->pc == pc && node->kind == CONTEXT_PLACE))
        return recent;
    uint32_t at = child_of_key(tree, content, (struct context_key){pc, CONTEXT_PLACE});
    tree->nodes.items[content].recent_child = at;
    return at;
}

static bool add_instruction(void *self, struct call_content *into, const struct node_ref *node,
                            bool is_executed, uint64_t ticks)
{
    struct context_tree *tree = self;
    if (!into->words[CONTENT_NODE] && !(into->words[CONTENT_NODE] = new_node(tree)))
        return false;
    uint32_t at = place_below(tree, (uint32_t)into->words[CONTENT_NODE], node->pc);
    if (!at)
        return false;
    tree->nodes.items[at].count += is_executed;
    tree->nodes.items[at].ticks += ticks;
    return true;
}

static bool fold_call(void *self, struct call_content *into, const struct call *call,
                      const struct call_content *inner)
{
    struct context_tree *tree = self;
    uint64_t ticks = call->exit.time + call->exit_ticks - call->entry.time;
    tree->has_tasks |= (call->how & CALL_TASK) != 0;
    if (!into->words[CONTENT_NODE] && !(into->words[CONTENT_NODE] = new_node(tree)))
        return false;
    // The parent is the content around the call, or, with places, the place where it was made.
    // Tasks have no caller.
    uint32_t parent = (uint32_t)into->words[CONTENT_NODE];
    if (tree->tells_places && !(call->how & CALL_TASK))
        parent = place_below(tree, parent, call->from);
    struct context_key key = {call->entry.pc, call->how & CALL_TASK ? CONTEXT_TASK : 0};
    if (tree->tells_handlers && call->how & CALL_EXCEPTION)
        key.kind |= CONTEXT_HANDLER;
    if (UNLIKELY(call->how & CALL_GUESSED))
        key.kind |= CONTEXT_GUESS;
    uint32_t at = parent ? child_for_call(tree, parent, key, (uint32_t)inner->words[CONTENT_NODE])
                         : CONTEXT_NONE;
    if (!at)
        return false;
    struct context_node *node = &tree->nodes.items[at];
    node->count += !(call->how & CALL_RESUMED);
    node->ticks += ticks;
    node->ticks_inside += inner->words[CONTENT_TICKS];
    into->words[CONTENT_TICKS] += ticks;
    return true;
}

static uint32_t child_of_key(struct context_tree *tree, uint32_t parent, struct context_key key)
{
    if (!slot_room(tree))
        return CONTEXT_NONE;
    size_t slot = probe(tree, parent, key);
    uint32_t at = tree->slots[slot];
    if (at || !(at = new_node(tree)))
        return at;
    set_key(&tree->nodes.items[at], key);
    attach(tree, parent, at, slot);
    return at;
}

uint32_t context_tree_child(struct context_tree *tree, uint32_t parent, uint64_t pc)
{
    if (!parent)
        return new_node(tree);
    uint32_t at = child_of_key(tree, parent, (struct context_key){pc, 0});
    if (at)
        tree->nodes.items[parent].recent_child = at;
    return at;
}

uint32_t context_tree_place(struct context_tree *tree, uint32_t parent, uint64_t pc)
{
    return child_of_key(tree, parent, (struct context_key){pc, CONTEXT_PLACE});
}

// Copies one node below `parent`. CONTEXT_NONE: no memory.
static uint32_t copy_node(struct context_tree *tree, uint32_t parent,
                          const struct context_node *node)
{
    uint32_t copy = parent ? child_of_key(tree, parent, key_of(node)) : new_node(tree);
    if (copy)
        add_figures(&tree->nodes.items[copy], node);
    return copy;
}

// Adds all contexts below `root` of another tree below `to`; with `called_only`, not those without
// calls. False: no memory.
static bool add_below(struct context_tree *tree, uint32_t to, const struct context_tree *from,
                      uint32_t root, bool called_only)
{
    const struct context_node *nodes = from->nodes.items;
    tree->has_tasks |= from->has_tasks;
    for (uint32_t at = nodes[root].first_child; at;) {
        uint32_t below = CONTEXT_NONE;
        if (nodes[at].count || !called_only) {
            below = copy_node(tree, to, &nodes[at]);
            if (!below)
                return false;
        }
        if (below && nodes[at].first_child) {
            to = below;
            at = nodes[at].first_child;
            continue;
        }
        while (!nodes[at].next_sibling && nodes[at].parent != root) {
            at = nodes[at].parent;
            to = tree->nodes.items[to].parent;
        }
        at = nodes[at].next_sibling;
    }
    return true;
}

bool context_tree_graft(struct context_tree *tree, const struct context_tree *from, uint32_t root,
                        struct call_content *outermost)
{
    uint32_t copy = copy_node(tree, CONTEXT_NONE, &from->nodes.items[root]);
    *outermost = (struct call_content){{copy, from->nodes.items[root].ticks_inside}};
    return copy && add_below(tree, copy, from, root, true);
}

// --- Chunks --------------------------------------------------------------------------------------

static void *make_chunk(void *self)
{
    const struct context_tree *tree = self;
    struct context_tree *chunk = calloc(1, sizeof *chunk);
    if (chunk && !context_tree_init(chunk)) {
        context_tree_free(chunk);
        free(chunk);
        return NULL;
    }
    if (chunk)
        chunk->tells_handlers = tree->tells_handlers;
    return chunk;
}

static void discard_chunk(void *store)
{
    context_tree_free(store);
    free(store);
}

// Of a chunk, or of the whole trace.
static void clear(void *self)
{
    struct context_tree *tree = self;
    tree->nodes.count = 1;
    tree->nodes.items[0] = (struct context_node){0};
    tree->free = tree->used_count = 0;
    tree->has_tasks = false;
    memset(tree->slots, 0, tree->slot_count * sizeof *tree->slots);
}

// A run consists of its contents.
static struct call_mark mark_chunk(const void *store)
{
    (void)store;
    return (struct call_mark){0};
}

static bool take_run(void *self, void *store, struct call_mark until)
{
    (void)self, (void)store, (void)until;
    return true;
}

static void skip_run(void *store, struct call_mark until)
{
    (void)store, (void)until;
}

static bool merge_of_chunk(void *self, struct call_content *into, void *store,
                           const struct call_content *from)
{
    struct context_tree *tree = self;
    uint32_t node = (uint32_t)from->words[CONTENT_NODE];
    if (!node)
        return true;
    if (!into->words[CONTENT_NODE] && !(into->words[CONTENT_NODE] = new_node(tree)))
        return false;
    into->words[CONTENT_TICKS] += from->words[CONTENT_TICKS];
    return add_below(tree, (uint32_t)into->words[CONTENT_NODE], store, node, false);
}

static struct call_consumer consumer_of_chunk(void *store)
{
    return (struct call_consumer){.self = store, .fold = fold_call, .merge = merge_content};
}

static const struct call_stores tree_stores = {
    .make = make_chunk,
    .discard = discard_chunk,
    .clear = clear,
    .consumer = consumer_of_chunk,
    .mark = mark_chunk,
    .take = take_run,
    .skip = skip_run,
    .merge = merge_of_chunk,
};

struct call_consumer context_tree_consumer(struct context_tree *tree)
{
    return (struct call_consumer){
        .self = tree,
        .fold = fold_call,
        .merge = merge_content,
        .instruction = tree->tells_places ? add_instruction : NULL,
        .begin_again = clear,
        .stores = tree->tells_places ? NULL : &tree_stores,
    };
}

// --- Trees from call contents --------------------------------------------------------------------

uint32_t context_tree_root(struct context_tree *tree, const struct call_content *outermost,
                           const struct node_ref *entry, const struct node_ref *exit)
{
    uint32_t at = (uint32_t)outermost->words[CONTENT_NODE];
    if (!at && !(at = new_node(tree)))
        return CONTEXT_NONE;
    struct context_node *root = &tree->nodes.items[at];
    root->pc = entry->pc;
    root->count = 1;
    root->ticks = exit->time - entry->time;
    root->ticks_inside = outermost->words[CONTENT_TICKS];
    return at;
}

uint32_t context_tree_take_task(struct context_tree *tree, uint32_t root, uint32_t *next)
{
    struct context_node *nodes = tree->nodes.items;
    uint32_t at = tree->has_tasks ? *next : CONTEXT_NONE;
    while (at && !(nodes[at].kind & CONTEXT_TASK))
        at = nodes[at].next_sibling;
    if (!at)
        return CONTEXT_NONE;
    *next = nodes[at].next_sibling;
    detach(tree, at);
    nodes[at].parent = nodes[at].previous_sibling = nodes[at].next_sibling = CONTEXT_NONE;
    nodes[at].kind &= CONTEXT_HANDLER | CONTEXT_GUESS;
    nodes[root].ticks -= nodes[at].ticks;
    nodes[root].ticks_inside -= nodes[at].ticks;
    return at;
}

uint32_t context_tree_next(const struct context_tree *tree, uint32_t root, uint32_t at,
                           bool passes_over)
{
    const struct context_node *nodes = tree->nodes.items;
    if (!passes_over && nodes[at].first_child)
        return nodes[at].first_child;
    while (at != root && !nodes[at].next_sibling)
        at = nodes[at].parent;
    return at == root ? CONTEXT_NONE : nodes[at].next_sibling;
}
