#include "analysis/xray_stacks.h"

#include "base/parallel.h"

#include <stdlib.h>

enum { SLOTS_MIN = 256 };

// --- The tree ------------------------------------------------------------------------------------

static uint64_t key_of(uint32_t parent, uint32_t function)
{
    return (uint64_t)parent << 32 | function;
}

static ALWAYS_INLINE size_t first_slot(const struct xray_stack_tree *tree, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> tree->shift);
}

static void put_slot(struct xray_stack_tree *tree, uint64_t key, uint32_t stack)
{
    size_t at = first_slot(tree, key);
    while (tree->slots[at].stack)
        at = (at + 1) & (tree->slot_count - 1);
    tree->slots[at] = (struct xray_stack_slot){key, stack};
}

static bool grow_slots(struct xray_stack_tree *tree)
{
    size_t count = tree->slot_count ? tree->slot_count * 2 : SLOTS_MIN;
    struct xray_stack_slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(tree->slots);
    tree->slots = slots;
    tree->slot_count = count;
    tree->shift = 64 - (unsigned)__builtin_ctzll(count);
    for (size_t i = 1; i < tree->stacks.count; i++)
        put_slot(tree, key_of(tree->stacks.items[i].parent, tree->stacks.items[i].function),
                 (uint32_t)i);
    return true;
}

bool xray_stacks_begin(struct xray_stack_tree *tree)
{
    if (tree->stacks.count)
        return true;
    if (!VEC_ROOM(&tree->stacks, 1) || !grow_slots(tree))
        return false;
    tree->stacks.items[tree->stacks.count++] = (struct xray_stack){.parent = XRAY_NO_STACK};
    return true;
}

// XRAY_NO_STACK: no memory.
static NEVER_INLINE uint32_t add_child(struct xray_stack_tree *tree, uint32_t parent,
                                       uint32_t function)
{
    uint32_t stack = (uint32_t)tree->stacks.count;
    if (stack == XRAY_NO_STACK || !VEC_ROOM(&tree->stacks, 1) ||
        (tree->stacks.count * 2 >= tree->slot_count && !grow_slots(tree)))
        return XRAY_NO_STACK;
    tree->stacks.items[tree->stacks.count++] =
        (struct xray_stack){.function = function, .parent = parent};
    put_slot(tree, key_of(parent, function), stack);
    return stack;
}

// The child of a stack, which is near from then on.
static NEVER_INLINE uint32_t look_up_child(struct xray_stack_tree *tree, uint32_t parent,
                                           uint32_t function)
{
    uint64_t key = key_of(parent, function);
    size_t at = first_slot(tree, key);
    while (tree->slots[at].stack && tree->slots[at].key != key)
        at = (at + 1) & (tree->slot_count - 1);
    uint32_t child =
        tree->slots[at].stack ? tree->slots[at].stack : add_child(tree, parent, function);
    if (child != XRAY_NO_STACK) {
        struct xray_stack *stack = &tree->stacks.items[parent];
        stack->near_functions[child % XRAY_NEAR_CHILDREN] = function;
        stack->near_children[child % XRAY_NEAR_CHILDREN] = child;
    }
    return child;
}

static ALWAYS_INLINE uint32_t child_of(struct xray_stack_tree *tree, uint32_t parent,
                                       uint32_t function)
{
    const struct xray_stack *stack = &tree->stacks.items[parent];
    for (unsigned i = 0; i < XRAY_NEAR_CHILDREN; i++) {
        if (stack->near_functions[i] == function && stack->near_children[i])
            return stack->near_children[i];
    }
    return look_up_child(tree, parent, function);
}

uint32_t xray_stack_child(struct xray_stack_tree *tree, uint32_t parent, uint32_t function)
{
    return child_of(tree, parent, function);
}

static void add_sum(struct xray_stack_sum *to, const struct xray_stack_sum *from)
{
    to->count += from->count;
    to->ticks += from->ticks;
}

bool xray_stacks_merge(struct xray_stack_tree *tree, const struct xray_stack_tree *other)
{
    uint32_t *places =
        calloc(other->stacks.count + 1, sizeof *places); // in `tree`, of each of `other`
    bool is_whole = places && xray_stacks_begin(tree);
    for (size_t i = 1; i < other->stacks.count && is_whole; i++) {
        const struct xray_stack *stack = &other->stacks.items[i];
        places[i] = child_of(tree, places[stack->parent], stack->function);
        is_whole = places[i] != XRAY_NO_STACK;
        if (is_whole) {
            add_sum(&tree->stacks.items[places[i]].leaves, &stack->leaves);
            add_sum(&tree->stacks.items[places[i]].inner, &stack->inner);
        }
    }
    free(places);
    return is_whole;
}

bool xray_stacks_link(struct xray_stack_tree *tree)
{
    free(tree->links);
    tree->links = calloc(tree->stacks.count + 1, sizeof *tree->links);
    for (size_t i = 0; i < tree->stacks.count && tree->links; i++) {
        uint32_t parent = tree->stacks.items[i].parent;
        tree->links[i] = (struct xray_stack_links){XRAY_NO_STACK, XRAY_NO_STACK};
        if (parent == XRAY_NO_STACK)
            continue;
        tree->links[i].older_sibling = tree->links[parent].newest_child;
        tree->links[parent].newest_child = (uint32_t)i;
    }
    return tree->links != NULL;
}

void xray_stacks_free(struct xray_stack_tree *tree)
{
    free(tree->stacks.items);
    free(tree->slots);
    free(tree->links);
    *tree = (struct xray_stack_tree){0};
}

// --- A thread ------------------------------------------------------------------------------------

struct frame {
    uint64_t entered_tsc;
    uint32_t function, stack;
};

struct walk {
    struct xray_stack_tree *tree;
    VEC(, struct frame) frames;
    bool is_after_exit; // the last call that began or ended has ended
};

static ALWAYS_INLINE void end_call(struct walk *walk, uint64_t tsc)
{
    const struct frame *frame = &walk->frames.items[--walk->frames.count];
    struct xray_stack *stack = &walk->tree->stacks.items[frame->stack];
    struct xray_stack_sum *sum = walk->is_after_exit ? &stack->inner : &stack->leaves;
    sum->count++;
    sum->ticks += tsc >= frame->entered_tsc ? tsc - frame->entered_tsc : frame->entered_tsc - tsc;
    walk->is_after_exit = true;
}

static void exit_from_below(struct walk *walk, uint32_t function, uint64_t tsc)
{
    size_t found = walk->frames.count;
    while (found && walk->frames.items[found - 1].function != function)
        found--;
    walk->tree->unmatched_exits += !found;
    while (found && walk->frames.count >= found)
        end_call(walk, tsc);
}

static ALWAYS_INLINE bool enter(struct walk *walk, uint32_t function, uint64_t tsc)
{
    size_t depth = walk->frames.count;
    uint32_t parent = depth ? walk->frames.items[depth - 1].stack : 0;
    uint32_t stack = child_of(walk->tree, parent, function);
    if (UNLIKELY(stack == XRAY_NO_STACK) || !VEC_ROOM(&walk->frames, 1))
        return false;
    __builtin_prefetch(&walk->tree->stacks.items[stack], 1); // its end is not far
    walk->frames.items[walk->frames.count++] = (struct frame){tsc, function, stack};
    walk->is_after_exit = false;
    return true;
}

static ALWAYS_INLINE bool take_call(void *self, enum xray_kind kind, uint32_t function,
                                    uint64_t tsc)
{
    struct walk *walk = self;
    size_t depth = walk->frames.count;
    if (xray_is_enter(kind))
        return enter(walk, function, tsc);
    if (LIKELY(depth && walk->frames.items[depth - 1].function == function))
        end_call(walk, tsc);
    else
        exit_from_below(walk, function, tsc);
    return true;
}

struct job {
    const struct xray_log *log;
    struct xray_stack_tree *trees;
};

static bool take_thread(void *self, unsigned worker, uint64_t thread)
{
    (void)worker;
    struct job *job = self;
    struct walk walk = {.tree = &job->trees[thread]};
    struct xray_cursor cursor;
    struct xray_record record;
    bool is_whole = xray_stacks_begin(walk.tree);
    xray_cursor_thread(&cursor, job->log, (uint32_t)thread);
    while (is_whole && (is_whole = xray_take_calls(&cursor, &walk, take_call)) &&
           xray_next(&cursor, &record)) {
        if (record.kind == XRAY_FAULT)
            xray_damage_add(&walk.tree->damage, &record.fault);
        else if (xray_is_function(record.kind))
            is_whole = take_call(&walk, record.kind, record.function, record.tsc);
    }
    walk.tree->open_calls = walk.frames.count;
    free(walk.frames.items);
    return is_whole;
}

bool xray_stacks_run(const struct xray_log *log, unsigned threads, struct xray_stack_tree *trees)
{
    struct job job = {log, trees};
    memset(trees, 0, log->threads.count * sizeof *trees);
    return parallel_run(threads, log->threads.count, &job, take_thread);
}
