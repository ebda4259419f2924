#include "cmd/xray/sums.h"

#include "base/thread.h"
#include "trace/xray/log.h"
#include "trace/xray/match.h"

#include <stdlib.h>

enum { SLOTS_MIN = 256 };

// --- The tree ------------------------------------------------------------------------------------

// Where the search for a path begins.
static ALWAYS_INLINE size_t slot_of(const struct xray_stack_tree *tree, uint64_t path)
{
    return (size_t)(path >> tree->shift);
}

static void put_slot(struct xray_stack_tree *tree, uint32_t number)
{
    const struct xray_stack *stack = &tree->stacks.items[number];
    size_t at = slot_of(tree, stack->path);
    while (tree->slots[at].stack)
        at = (at + 1) & (tree->slot_count - 1);
    tree->slots[at] = (struct xray_stack_slot){number, (uint32_t)stack->path};
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
        if (stack->parent != XRAY_NO_STACK) // otherwise it is a base (see below)
            put_slot(tree, (uint32_t)i);
    }
    return true;
}

// Adds a stack without a parent. XRAY_NO_STACK: no memory. Paths begin with a number that is
// unknown to whoever might construct a log, so that nobody can make all stacks collide.
static uint32_t add_root(struct xray_stack_tree *tree)
{
    uint32_t stack = (uint32_t)tree->stacks.count;
    if (stack >= XRAY_SLOT_NEW || !VEC_ROOM(&tree->stacks, 1))
        return XRAY_NO_STACK;
    tree->stacks.items[tree->stacks.count++] =
        (struct xray_stack){.parent = XRAY_NO_STACK, .path = hash_key(&tree->seed, stack)};
    return stack;
}

bool xray_stacks_begin(struct xray_stack_tree *tree)
{
    if (!tree->stacks.count)
        tree->seed = hash_seed_new();
    return tree->stacks.count || (grow_slots(tree) && add_root(tree) != XRAY_NO_STACK);
}

// XRAY_NO_STACK: no memory.
static NEVER_INLINE uint32_t add_child(struct xray_stack_tree *tree, uint32_t parent,
                                       uint32_t function, uint64_t path)
{
    uint32_t stack = (uint32_t)tree->stacks.count;
    if (stack >= XRAY_SLOT_NEW || !VEC_ROOM(&tree->stacks, 1) ||
        (tree->stacks.count * 2 >= tree->slot_count && !grow_slots(tree)))
        return XRAY_NO_STACK;
    tree->stacks.items[tree->stacks.count++] =
        (struct xray_stack){.function = function, .parent = parent, .path = path};
    put_slot(tree, stack);
    return stack;
}

// Different stacks may have the same path, so it only determines where to search.
static ALWAYS_INLINE uint32_t by_path(struct xray_stack_tree *tree, uint32_t parent,
                                      uint32_t function, uint64_t path)
{
    size_t at = slot_of(tree, path);
    for (; tree->slots[at].stack; at = (at + 1) & (tree->slot_count - 1)) {
        const struct xray_stack *stack = &tree->stacks.items[tree->slots[at].stack];
        if (tree->slots[at].tag == (uint32_t)path && stack->parent == parent &&
            stack->function == function)
            return tree->slots[at].stack;
    }
    return add_child(tree, parent, function, path);
}

uint32_t xray_stack_by_path(struct xray_stack_tree *tree, uint32_t parent, uint32_t function,
                            uint64_t path)
{
    return by_path(tree, parent, function, path);
}

// --- Stacks of a batch ---------------------------------------------------------------------------

bool xray_stacks_of_batch(struct xray_stack_tree *tree, struct xray_match *match,
                          const struct xray_batch *batch, uint32_t entered[XRAY_BATCH])
{
    // Prefetches the memory that is needed next: trees of real logs are larger than caches.
    for (size_t i = 0; i < batch->entry_count; i++)
        __builtin_prefetch(&tree->slots[slot_of(tree, batch->entries[i].path)]);
    for (size_t i = 0; i < batch->entry_count; i++) {
        uint32_t stack = tree->slots[slot_of(tree, batch->entries[i].path)].stack;
        __builtin_prefetch(&tree->stacks.items[stack], 1);
    }
    for (size_t i = 0; i < batch->entry_count; i++) {
        const struct xray_entry *entry = &batch->entries[i];
        entered[i] =
            by_path(tree, xray_stack_of(entered, entry->outer), entry->function, entry->path);
        if (UNLIKELY(entered[i] == XRAY_NO_STACK))
            return false;
    }
    struct xray_call *call = xray_match_top(match);
    for (; xray_slot(call->who) & XRAY_SLOT_NEW; call--)
        call->who =
            xray_who_of(xray_function(call->who), xray_stack_of(entered, xray_slot(call->who)));
    return true;
}

// --- Trees ---------------------------------------------------------------------------------------

static uint32_t child_of(struct xray_stack_tree *tree, uint32_t parent, uint32_t function)
{
    return by_path(tree, parent, function, xray_path(tree->stacks.items[parent].path, function));
}

static void add_sum(struct xray_stack_sum *to, const struct xray_stack_sum *from)
{
    to->count += from->count;
    to->ticks += from->ticks;
}

// Adds the stacks first to end - 1 of `other`; the places in `tree` of their parents are known.
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
        tree->stacks.items[places[i]].inside_ticks += stack->inside_ticks;
        tree->stacks.items[places[i]].inside_open_ticks += stack->inside_open_ticks;
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

// An exit for which no call was open in its range.
struct lost_exit {
    uint64_t tsc;
    uint32_t function;
    bool is_after_exit; // a call ended in this range after the previous lost exit
    bool is_shared;
};

// A range of a thread is read as if nothing were open before it. The stack below its outermost
// calls is represented by a base, which is a stack without a parent. There is a new base after each
// exit that may have ended what the previous base represents. The stacks between two bases belong
// to the first.
struct chunk {
    struct xray_stack_tree tree;
    VEC(, struct lost_exit) exits;
    VEC(, uint32_t) bases;   // one more than exits
    struct xray_match match; // at the end
    bool has_entered;        // since the last of the exits
    bool is_undecided; // an exit depends on what is open before: the thread must be read as a whole
};

// The places of calls are their stacks.
struct walk {
    struct xray_stack_tree *tree;
    struct chunk *chunk; // NULL: the whole thread, or what was left over from its chunks
    struct xray_match match;
    bool has_entered;
    bool has_inside; // inside_ticks are requested
    bool is_shared;  // the current record is also in another log, where calls that it ends count
    struct xray_exits shared_exits;
    struct xray_hiding hiding;
    struct xray_batch batch;
    uint32_t entered[XRAY_BATCH]; // for the entries of the batch
};

static bool begin_walk(struct walk *walk)
{
    return xray_stacks_begin(walk->tree) &&
           xray_match_begin(&walk->match, walk->tree->stacks.items[0].path, 0);
}

// --- Records -------------------------------------------------------------------------------------

// A call that is counted in another log only takes its time from that of the call around it.
static ALWAYS_INLINE void add_call(struct walk *walk, uint32_t number, uint64_t ticks, bool is_leaf,
                                   bool is_shared)
{
    struct xray_stack *stack = &walk->tree->stacks.items[number];
    struct xray_stack_sum *sum = is_leaf ? &stack->leaves : &stack->inner;
    if (!is_shared) {
        sum->count++;
        sum->ticks += ticks;
    }
    if (!walk->has_inside)
        return;
    stack->inside_ticks += is_shared ? 0 : stack->inside_open_ticks;
    stack->inside_open_ticks = 0;
    walk->tree->stacks.items[stack->parent].inside_open_ticks += ticks;
}

static bool leave(struct walk *walk, uint32_t function, uint64_t tsc)
{
    if (walk->chunk && !xray_match_depth(&walk->match)) {
        if (!VEC_ROOM(&walk->chunk->exits, 1))
            return false;
        walk->chunk->exits.items[walk->chunk->exits.count++] =
            (struct lost_exit){tsc, function, walk->has_entered, walk->is_shared};
        walk->has_entered = false;
        // A new base for calls that are entered from now on.
        uint32_t base = add_root(walk->tree);
        if (base == XRAY_NO_STACK || !VEC_ROOM(&walk->chunk->bases, 1))
            return false;
        walk->chunk->bases.items[walk->chunk->bases.count++] = base;
        return xray_match_begin(&walk->match, walk->tree->stacks.items[base].path, base);
    }
    struct xray_exits *exits = walk->is_shared ? &walk->shared_exits : &walk->tree->exits;
    uint64_t left = xray_match_exit(&walk->match, function, true, exits);
    walk->hiding.is_shared = walk->is_shared;
    if (walk->chunk && left == UINT64_MAX) {
        walk->chunk->is_undecided = true;
        return false;
    }
    while (xray_match_depth(&walk->match) > left) {
        bool is_leaf = !walk->match.is_after_exit;
        const struct xray_call call = xray_match_leave(&walk->match);
        if (!xray_hiding_leave(&walk->hiding, &walk->match, tsc)) {
            add_call(walk, xray_slot(call.who), xray_hiding_ticks(&walk->hiding, call.tsc, tsc),
                     is_leaf, walk->is_shared);
        }
    }
    return true;
}

static bool enter(struct walk *walk, uint32_t function, uint64_t tsc)
{
    uint32_t around = xray_slot(xray_match_top(&walk->match)->who);
    bool is_hidden = xray_hiding_enter(&walk->hiding, &walk->match, function, tsc);
    uint32_t stack = is_hidden ? around : child_of(walk->tree, around, function);
    if (stack == XRAY_NO_STACK)
        return false;
    const struct xray_call call = {xray_hiding_time(&walk->hiding, tsc),
                                   xray_who_of(function, stack),
                                   walk->tree->stacks.items[stack].path};
    walk->has_entered = true;
    return xray_match_enter(&walk->match, &call);
}

static bool take_record(struct walk *walk, const struct xray_record *record)
{
    if (record->kind == XRAY_FAULT)
        trace_damage_add(&walk->tree->damage, &record->fault);
    if (!xray_is_function(record->kind))
        return true;
    return xray_is_enter(record->kind) ? enter(walk, record->function, record->tsc)
                                       : leave(walk, record->function, record->tsc);
}

// --- Batches -------------------------------------------------------------------------------------

static bool take_all(struct walk *walk, struct xray_cursor *cursor)
{
    struct xray_record record;
    do {
        do {
            if (walk->hiding.hider || xray_next_may_be_shared(cursor))
                break;
            if (!xray_match_run(&walk->match, cursor, &walk->batch, true))
                return false;
            const struct xray_batch *batch = &walk->batch;
            if (!xray_stacks_of_batch(walk->tree, &walk->match, batch, walk->entered))
                return false;
            for (size_t i = 0; i < batch->ended_count; i++) {
                const struct xray_ended *ended = &batch->ended[i];
                add_call(walk, xray_stack_of(walk->entered, xray_slot(ended->who)), ended->ticks,
                         batch->is_leaf[i], false);
            }
            walk->has_entered |= batch->entry_count > 0;
        } while (xray_batch_is_full(&walk->batch));
        if (!xray_next(cursor, &record))
            return true;
        walk->is_shared = xray_is_shared(cursor);
    } while (take_record(walk, &record));
    return false;
}

// --- Chunks --------------------------------------------------------------------------------------

struct job {
    const struct xray_log *log;
    bool has_inside;
    const struct xray_hider *hider;
    struct xray_stack_tree *trees;
    struct xray_ranges ranges;
    struct chunk *chunks; // one for each range
    size_t *first_range;  // for each thread, and one more for the end
};

static bool take_chunk(void *self, unsigned worker, uint64_t number)
{
    (void)worker;
    struct job *job = self;
    struct chunk *chunk = &job->chunks[number];
    const struct xray_range *range = &job->ranges.items[number];
    struct walk walk = {.tree = &chunk->tree, .chunk = chunk, .has_inside = job->has_inside};
    struct xray_cursor cursor;
    bool is_whole = begin_walk(&walk) && VEC_ROOM(&chunk->bases, 1);
    if (is_whole) {
        chunk->bases.items[chunk->bases.count++] = 0;
        xray_cursor_buffers(&cursor, job->log, range->first_buffer, range->end_buffer);
        is_whole = take_all(&walk, &cursor) && !walk.match.open.lacks_memory;
    }
    chunk->match = walk.match;
    chunk->has_entered = walk.has_entered;
    return is_whole || chunk->is_undecided;
}

static void free_chunk(struct chunk *chunk)
{
    xray_stacks_free(&chunk->tree);
    free(chunk->exits.items);
    free(chunk->bases.items);
    xray_match_free(&chunk->match);
    *chunk = (struct chunk){0};
}

// Calls that are open from earlier chunks continue; `places` has room for each stack of the chunk.
static bool join_chunk(struct walk *walk, const struct chunk *chunk, uint32_t *places)
{
    for (size_t i = 0; i < chunk->bases.count; i++) {
        size_t base = chunk->bases.items[i];
        size_t end =
            i + 1 < chunk->bases.count ? chunk->bases.items[i + 1] : chunk->tree.stacks.count;
        places[base] = xray_slot(xray_match_top(&walk->match)->who);
        walk->tree->stacks.items[places[base]].inside_open_ticks +=
            chunk->tree.stacks.items[base].inside_open_ticks;
        if (!merge_range(walk->tree, &chunk->tree, base + 1, end, places))
            return false;
        if (i == chunk->exits.count)
            break;
        const struct lost_exit *exit = &chunk->exits.items[i];
        walk->match.is_after_exit |= exit->is_after_exit;
        walk->is_shared = exit->is_shared;
        if (!leave(walk, exit->function, exit->tsc))
            return false;
    }
    bool was_after_exit = walk->match.is_after_exit;
    for (size_t i = 1; i < chunk->match.calls.count; i++) {
        struct xray_call call = chunk->match.calls.items[i];
        call.who = xray_who_of(xray_function(call.who), places[xray_slot(call.who)]);
        if (!xray_match_enter(&walk->match, &call))
            return false;
    }
    walk->match.is_after_exit = chunk->has_entered ? chunk->match.is_after_exit : was_after_exit;
    xray_exits_merge(&walk->tree->exits, &chunk->tree.exits);
    trace_damage_merge(&walk->tree->damage, &chunk->tree.damage);
    return true;
}

// If a chunk does not depend on earlier ones, its tree becomes that of the thread so far.
static bool adopt_chunk(struct walk *walk, struct chunk *chunk)
{
    if (chunk->bases.count != 1)
        return false;
    xray_stacks_free(walk->tree);
    xray_match_free(&walk->match);
    *walk->tree = chunk->tree;
    walk->match = chunk->match;
    chunk->tree = (struct xray_stack_tree){0};
    chunk->match = (struct xray_match){0};
    return true;
}

static bool join_chunks(struct walk *walk, struct chunk *chunks, size_t count)
{
    bool is_whole = true;
    for (size_t i = 0; i < count && is_whole; i++) {
        if (i == 0 && adopt_chunk(walk, &chunks[i]))
            continue;
        uint32_t *places = calloc(chunks[i].tree.stacks.count + 1, sizeof *places);
        is_whole = places && join_chunk(walk, &chunks[i], places);
        free(places);
        free_chunk(&chunks[i]);
    }
    return is_whole;
}

static bool take_thread(void *self, unsigned worker, uint64_t thread)
{
    (void)worker;
    struct job *job = self;
    struct chunk *chunks = &job->chunks[job->first_range[thread]];
    size_t count = job->first_range[thread + 1] - job->first_range[thread];
    struct walk walk = {.tree = &job->trees[thread],
                        .has_inside = job->has_inside,
                        .hiding = {.hider = job->hider}};
    struct xray_cursor cursor;
    bool is_undecided = job->hider, is_whole = begin_walk(&walk);
    for (size_t i = 0; i < count; i++)
        is_undecided |= chunks[i].is_undecided;
    if (is_whole && is_undecided) {
        xray_cursor_thread(&cursor, job->log, (uint32_t)thread);
        is_whole = take_all(&walk, &cursor);
    } else if (is_whole) {
        is_whole = join_chunks(&walk, chunks, count);
    }
    is_whole = is_whole && !walk.match.open.lacks_memory && !walk.hiding.answers.lacks_memory;
    walk.tree->hidden_ticks = walk.hiding.all_ticks;
    walk.tree->hidden_calls = walk.hiding.all_calls;
    xray_hiding_free(&walk.hiding);
    xray_match_free(&walk.match);
    return is_whole;
}

static bool cut_chunks(struct job *job, unsigned threads)
{
    if (!xray_ranges_cut(&job->ranges, job->log, threads))
        return false;
    job->chunks = calloc(job->ranges.count + 1, sizeof *job->chunks);
    job->first_range = calloc(job->log->threads.count + 1, sizeof *job->first_range);
    if (!job->chunks || !job->first_range)
        return false;
    for (size_t i = 0; i < job->ranges.count; i++)
        job->first_range[job->ranges.items[i].thread + 1] = i + 1;
    return true;
}

bool xray_stacks_run(const struct xray_log *log, unsigned threads, bool has_inside,
                     const struct xray_hider *hider, struct xray_stack_tree *trees)
{
    struct job job = {.log = log, .has_inside = has_inside, .hider = hider, .trees = trees};
    memset(trees, 0, log->threads.count * sizeof *trees);
    bool is_whole = cut_chunks(&job, threads) &&
                    // If calls are hidden, threads are read as a whole.
                    (hider || parallel_run(threads, job.ranges.count, &job, take_chunk)) &&
                    parallel_run(threads, log->threads.count, &job, take_thread);
    for (size_t i = 0; i < job.ranges.count && job.chunks; i++)
        free_chunk(&job.chunks[i]);
    free(job.ranges.items);
    free(job.chunks);
    free(job.first_range);
    return is_whole;
}
