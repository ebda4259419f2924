#include "analysis/xray_stacks.h"

#include "analysis/open_functions.h"
#include "analysis/xray_ranges.h"
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
    for (size_t i = 1; i < tree->stacks.count; i++) {
        const struct xray_stack *stack = &tree->stacks.items[i];
        if (stack->parent != XRAY_NO_STACK) // else a base (see below)
            put_slot(tree, key_of(stack->parent, stack->function), (uint32_t)i);
    }
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

// Adds the stacks first to end - 1 of `other`, which stand below stacks whose places in `tree` are
// known.
static bool merge_range(struct xray_stack_tree *tree, const struct xray_stack_tree *other,
                        size_t first, size_t end, uint32_t *places)
{
    for (size_t i = first; i < end; i++) {
        const struct xray_stack *stack = &other->stacks.items[i];
        places[i] = child_of(tree, places[stack->parent], stack->function);
        if (places[i] == XRAY_NO_STACK)
            return false;
        add_sum(&tree->stacks.items[places[i]].leaves, &stack->leaves);
        add_sum(&tree->stacks.items[places[i]].inner, &stack->inner);
    }
    return true;
}

bool xray_stacks_merge(struct xray_stack_tree *tree, const struct xray_stack_tree *other)
{
    uint32_t *places = calloc(other->stacks.count + 1, sizeof *places);
    bool is_whole = places && xray_stacks_begin(tree) &&
                    merge_range(tree, other, 1, other->stacks.count, places);
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

// --- Calls ---------------------------------------------------------------------------------------

struct frame {
    uint64_t entered_tsc;
    uint32_t function, stack;
};

VEC(frames, struct frame);

// An exit that found no call of its range open.
struct lost_exit {
    uint64_t tsc;
    uint32_t function;
    bool is_after_exit; // a call ended in this range since the exit before
};

// A range of a thread is read as if nothing was open before it. What its outermost calls stand
// below is a base: a stack without a parent, a new one behind each exit that may have ended what
// the one before stands for. The stacks between two bases are below the first.
struct piece {
    struct xray_stack_tree tree;
    VEC(, struct lost_exit) exits;
    VEC(, uint32_t) bases; // one more than exits
    struct frames open;    // at the end, outermost first
    bool is_after_exit;    // at the end
    bool has_entered;      // since the last of the exits
    bool is_undecided; // an exit depends on what is open before: the thread has to be read as one
};

struct walk {
    struct xray_stack_tree *tree;
    struct piece *piece; // NULL: all of the thread, or what its pieces left over
    struct frames frames;
    struct open_functions open; // in frames
    uint32_t base;
    bool is_after_exit; // the last call that began or ended has ended
    bool has_entered;
};

static ALWAYS_INLINE void end_call(struct walk *walk, uint64_t tsc)
{
    const struct frame *frame = &walk->frames.items[--walk->frames.count];
    open_functions_closed(&walk->open, walk->frames.count, frame->function);
    struct xray_stack *stack = &walk->tree->stacks.items[frame->stack];
    struct xray_stack_sum *sum = walk->is_after_exit ? &stack->inner : &stack->leaves;
    sum->count++;
    sum->ticks += tsc >= frame->entered_tsc ? tsc - frame->entered_tsc : frame->entered_tsc - tsc;
    walk->is_after_exit = true;
}

static bool begin_base(struct walk *walk)
{
    struct xray_stack_tree *tree = walk->tree;
    uint32_t base = (uint32_t)tree->stacks.count;
    if (base == XRAY_NO_STACK || !VEC_ROOM(&tree->stacks, 1) || !VEC_ROOM(&walk->piece->bases, 1))
        return false;
    tree->stacks.items[tree->stacks.count++] = (struct xray_stack){.parent = XRAY_NO_STACK};
    walk->piece->bases.items[walk->piece->bases.count++] = base;
    walk->base = base;
    return true;
}

static bool lose_exit(struct walk *walk, uint32_t function, uint64_t tsc)
{
    if (!VEC_ROOM(&walk->piece->exits, 1))
        return false;
    walk->piece->exits.items[walk->piece->exits.count++] =
        (struct lost_exit){tsc, function, walk->has_entered};
    walk->has_entered = false;
    return begin_base(walk);
}

// An exit of a function that is not on top of the stack.
static NEVER_INLINE bool exit_from_below(struct walk *walk, uint32_t function, uint64_t tsc)
{
    size_t found = 0;
    if (walk->piece && !walk->frames.count)
        return lose_exit(walk, function, tsc);
    if (walk->frames.count)
        found = open_functions_find(&walk->open, &walk->frames.items->function,
                                    sizeof *walk->frames.items, walk->frames.count, function);
    if (walk->piece && !found) {
        walk->piece->is_undecided = true;
        return false;
    }
    walk->tree->unmatched_exits += !found;
    while (found && walk->frames.count >= found)
        end_call(walk, tsc);
    return true;
}

static ALWAYS_INLINE bool take_call(void *self, enum xray_kind kind, uint32_t function,
                                    uint64_t tsc)
{
    struct walk *walk = self;
    size_t depth = walk->frames.count;
    if (!xray_is_enter(kind)) {
        if (UNLIKELY(!depth || walk->frames.items[depth - 1].function != function))
            return exit_from_below(walk, function, tsc);
        end_call(walk, tsc);
        return true;
    }
    uint32_t parent = depth ? walk->frames.items[depth - 1].stack : walk->base;
    uint32_t stack = child_of(walk->tree, parent, function);
    if (UNLIKELY(stack == XRAY_NO_STACK) || !VEC_ROOM(&walk->frames, 1))
        return false;
    __builtin_prefetch(&walk->tree->stacks.items[stack], 1); // its end is not far
    walk->frames.items[depth] = (struct frame){tsc, function, stack};
    walk->frames.count = depth + 1;
    walk->is_after_exit = false;
    walk->has_entered = true;
    return true;
}

static bool take_all(struct walk *walk, struct xray_cursor *cursor)
{
    struct xray_record record;
    for (;;) {
        if (!xray_take_calls(cursor, walk, take_call))
            return false;
        if (!xray_next(cursor, &record))
            return true;
        if (record.kind == XRAY_FAULT)
            xray_damage_add(&walk->tree->damage, &record.fault);
        else if (xray_is_function(record.kind) &&
                 !take_call(walk, record.kind, record.function, record.tsc))
            return false;
    }
}

// --- Pieces --------------------------------------------------------------------------------------

struct job {
    const struct xray_log *log;
    struct xray_stack_tree *trees;
    struct xray_ranges ranges;
    struct piece *pieces; // of each range
    size_t *first_range;  // of each thread, and one more for the end
};

static bool take_piece(void *self, unsigned worker, uint64_t number)
{
    (void)worker;
    struct job *job = self;
    struct piece *piece = &job->pieces[number];
    const struct xray_range *range = &job->ranges.items[number];
    struct walk walk = {.tree = &piece->tree, .piece = piece};
    struct xray_cursor cursor;
    if (!xray_stacks_begin(&piece->tree) || !VEC_ROOM(&piece->bases, 1))
        return false;
    piece->bases.items[piece->bases.count++] = 0;
    xray_cursor_buffers(&cursor, job->log, range->first_buffer, range->end_buffer);
    bool is_whole = take_all(&walk, &cursor) && !walk.open.counts.lacks_memory;
    open_functions_free(&walk.open);
    piece->open = walk.frames;
    piece->is_after_exit = walk.is_after_exit;
    piece->has_entered = walk.has_entered;
    return is_whole || piece->is_undecided;
}

static void free_piece(struct piece *piece)
{
    xray_stacks_free(&piece->tree);
    free(piece->exits.items);
    free(piece->bases.items);
    free(piece->open.items);
    *piece = (struct piece){0};
}

// Calls that are open from earlier pieces go on; `places` has room for each stack of the piece.
static bool join_piece(struct walk *walk, const struct piece *piece, uint32_t *places)
{
    for (size_t i = 0; i < piece->bases.count; i++) {
        size_t base = piece->bases.items[i];
        size_t end =
            i + 1 < piece->bases.count ? piece->bases.items[i + 1] : piece->tree.stacks.count;
        size_t depth = walk->frames.count;
        places[base] = depth ? walk->frames.items[depth - 1].stack : 0;
        if (!merge_range(walk->tree, &piece->tree, base + 1, end, places))
            return false;
        if (i == piece->exits.count)
            break;
        const struct lost_exit *exit = &piece->exits.items[i];
        walk->is_after_exit |= exit->is_after_exit;
        if (!take_call(walk, XRAY_EXIT, exit->function, exit->tsc))
            return false;
    }
    for (size_t i = 0; i < piece->open.count; i++) {
        struct frame frame = piece->open.items[i];
        frame.stack = places[frame.stack];
        if (!VEC_ROOM(&walk->frames, 1))
            return false;
        walk->frames.items[walk->frames.count++] = frame;
    }
    if (piece->has_entered)
        walk->is_after_exit = piece->is_after_exit;
    xray_damage_merge(&walk->tree->damage, &piece->tree.damage);
    return true;
}

static bool join_pieces(struct walk *walk, struct piece *pieces, size_t count)
{
    bool is_whole = true;
    for (size_t i = 0; i < count && is_whole; i++) {
        uint32_t *places = calloc(pieces[i].tree.stacks.count + 1, sizeof *places);
        is_whole = places && join_piece(walk, &pieces[i], places);
        free(places);
        free_piece(&pieces[i]);
    }
    return is_whole;
}

static bool take_thread(void *self, unsigned worker, uint64_t thread)
{
    (void)worker;
    struct job *job = self;
    struct piece *pieces = &job->pieces[job->first_range[thread]];
    size_t count = job->first_range[thread + 1] - job->first_range[thread];
    struct walk walk = {.tree = &job->trees[thread]};
    struct xray_cursor cursor;
    bool is_undecided = false, is_whole = xray_stacks_begin(walk.tree);
    for (size_t i = 0; i < count; i++)
        is_undecided |= pieces[i].is_undecided;
    if (is_whole && is_undecided) {
        xray_cursor_thread(&cursor, job->log, (uint32_t)thread);
        is_whole = take_all(&walk, &cursor);
    } else if (is_whole) {
        is_whole = join_pieces(&walk, pieces, count);
    }
    is_whole = is_whole && !walk.open.counts.lacks_memory;
    open_functions_free(&walk.open);
    free(walk.frames.items);
    return is_whole;
}

static bool cut_pieces(struct job *job, unsigned threads)
{
    if (!xray_ranges_cut(&job->ranges, job->log, threads))
        return false;
    job->pieces = calloc(job->ranges.count + 1, sizeof *job->pieces);
    job->first_range = calloc(job->log->threads.count + 1, sizeof *job->first_range);
    if (!job->pieces || !job->first_range)
        return false;
    for (size_t i = 0; i < job->ranges.count; i++)
        job->first_range[job->ranges.items[i].thread + 1] = i + 1;
    return true;
}

bool xray_stacks_run(const struct xray_log *log, unsigned threads, struct xray_stack_tree *trees)
{
    struct job job = {.log = log, .trees = trees};
    memset(trees, 0, log->threads.count * sizeof *trees);
    bool is_whole = cut_pieces(&job, threads) &&
                    parallel_run(threads, job.ranges.count, &job, take_piece) &&
                    parallel_run(threads, log->threads.count, &job, take_thread);
    for (size_t i = 0; i < job.ranges.count && job.pieces; i++)
        free_piece(&job.pieces[i]);
    free(job.ranges.items);
    free(job.pieces);
    free(job.first_range);
    return is_whole;
}
