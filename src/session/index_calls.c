#include "session/index_calls.h"

#include "base/parallel.h"

#include <stdlib.h>

// --- In preorder ---------------------------------------------------------------------------------

struct open_call {
    call_ref next;   // sibling to visit after the call
    uint64_t number; // number of the call that contains the siblings
};

// A walk over the calls of a lane, or of a forest in it.
struct call_walk {
    VEC(, struct open_call) stack;
    call_ref place;   // of the next call
    call_ref last;    // of a forest: its last sibling; 0: all calls
    uint64_t outside; // number of the surrounding call; UINT64_MAX: none
    uint64_t depth;   // number of calls around those with which the walk began
    uint64_t number;  // of the next call
};

static struct call_walk begin_walk(const struct call_content *outermost)
{
    return (struct call_walk){.place = call_list_first(outermost), .outside = UINT64_MAX};
}

// Moves to the next call, if necessary in a surrounding call. False: there is none.
static bool find_place(struct call_walk *walk)
{
    while (!walk->place && walk->stack.count) {
        const struct open_call *done = &walk->stack.items[--walk->stack.count];
        walk->place = done->next;
        walk->outside = done->number;
    }
    return walk->place != 0;
}

// Reads the next call, after find_place. False: no memory.
static bool next_call(struct call_walk *walk, const struct call_list *list, struct index_call *call)
{
    struct listed_call listed;
    call_list_read_ends(list, walk->place, &listed);
    *call = (struct index_call){
        .entry = listed.call.entry.event,
        .exit = listed.call.exit.event,
        .pc = listed.call.entry.pc,
        .depth = walk->depth + walk->stack.count + 1,
        .parent = walk->outside == UINT64_MAX ? 0 : walk->number - walk->outside,
        .is_open = listed.call.is_open,
        .how = listed.call.how,
        .before = listed.call.entry.event - listed.call.began,
    };
    if (!VEC_ROOM(&walk->stack, 1))
        return false;
    walk->stack.items[walk->stack.count++] =
        (struct open_call){walk->place == walk->last ? 0 : listed.next_sibling, walk->outside};
    walk->outside = walk->number++;
    walk->place = listed.first_child;
    return true;
}

// --- By several threads --------------------------------------------------------------------------

// The number of forests that a thread takes at once.
#define FORESTS_AT_ONCE 8

// A forest whose calls will be stored in the batch.
struct forest_place {
    const struct call_forest *forest;
    uint64_t first; // place of its first call in the batch
    uint64_t outside, depth, number;
};

struct adding {
    struct index_writer *writer;
    struct call_batch *batch;
    struct call_list *list;
    struct call_walk walk; // over the calls between forests
    VEC(, struct forest_place) forests;
    struct call_walk *walks; // within forests, one for each thread
    unsigned threads;
};

static bool store_forest(const struct adding *adding, struct call_walk *walk,
                         const struct forest_place *at)
{
    struct index_call call;
    uint64_t place = at->first;
    walk->place = at->forest->first;
    walk->last = at->forest->last;
    walk->outside = at->outside;
    walk->depth = at->depth;
    walk->number = at->number;
    for (; find_place(walk); place++) {
        if (!next_call(walk, adding->list, &call))
            return false;
        call_batch_store(adding->batch, place, &call);
    }
    ASSERT(place == at->first + at->forest->count);
    return true;
}

static bool store_forests(void *self, unsigned worker, uint64_t item)
{
    const struct adding *adding = self;
    size_t first = item * FORESTS_AT_ONCE,
           end = (size_t)u64_min(first + FORESTS_AT_ONCE, adding->forests.count);
    for (size_t i = first; i < end; i++) {
        if (!store_forest(adding, &adding->walks[worker], &adding->forests.items[i]))
            return false;
    }
    return true;
}

// Stores the forests that were skipped. False: no memory.
static bool store_all(struct adding *adding)
{
    uint64_t items = (adding->forests.count + FORESTS_AT_ONCE - 1) / FORESTS_AT_ONCE;
    unsigned threads = (unsigned)u64_min(adding->threads, items);
    bool has_memory = !items || parallel_run(threads, items, adding, store_forests);
    adding->forests.count = 0;
    return has_memory;
}

// Skips a forest, whose calls get their places. False: no memory.
static bool pass_forest(struct adding *adding, const struct call_forest *forest)
{
    struct call_walk *walk = &adding->walk;
    uint64_t first = adding->batch->count;
    if (!VEC_ROOM(&adding->forests, 1) || !call_batch_reserve(adding->batch, forest->count))
        return false;
    adding->forests.items[adding->forests.count++] =
        (struct forest_place){forest, first, walk->outside, walk->stack.count, walk->number};
    walk->number += forest->count;
    walk->place = call_list_pass(adding->list, forest);
    return true;
}

static bool add_one(struct adding *adding)
{
    struct index_call call;
    if (!call_batch_reserve(adding->batch, 1) || !next_call(&adding->walk, adding->list, &call))
        return false;
    call_batch_store(adding->batch, adding->batch->count - 1, &call);
    return true;
}

static bool add_all(struct adding *adding)
{
    struct call_walk *walk = &adding->walk;
    while (find_place(walk)) {
        const struct call_forest *forest = call_list_forest(adding->list, walk->place);
        if (!(forest ? pass_forest(adding, forest) : add_one(adding)))
            return false;
        bool is_full = call_batch_is_full(adding->batch);
        if (is_full && !(store_all(adding) && index_writer_flush_calls(adding->writer)))
            return false;
    }
    return store_all(adding);
}

bool index_calls_add(struct index_writer *writer, struct call_list *list,
                     const struct call_content *outermost)
{
    struct call_batch *batch = index_writer_calls(writer);
    unsigned threads = (unsigned)u64_max(batch->threads, 1);
    struct adding adding = {.writer = writer,
                            .batch = batch,
                            .list = list,
                            .walk = begin_walk(outermost),
                            .walks = calloc(threads, sizeof *adding.walks),
                            .threads = threads};
    bool has_memory = adding.walks && add_all(&adding);
    for (unsigned i = 0; adding.walks && i < threads; i++)
        free(adding.walks[i].stack.items);
    free(adding.walks);
    free(adding.walk.stack.items);
    free(adding.forests.items);
    return has_memory;
}

// -------------------------------------------------------------------------------------------------

static bool are_alike(const struct index_call *a, const struct index_call *b)
{
    return a->entry == b->entry && a->exit == b->exit && a->pc == b->pc && a->depth == b->depth &&
           a->is_open == b->is_open && a->how == b->how;
}

bool index_calls_are_equal(const struct call_list *a_list, const struct call_content *a_outermost,
                           const struct call_list *b_list, const struct call_content *b_outermost)
{
    struct call_walk a_walk = begin_walk(a_outermost), b_walk = begin_walk(b_outermost);
    struct index_call a, b;
    bool is_equal = a_list->count == b_list->count, goes_on = is_equal;
    while (goes_on) {
        bool a_goes_on = find_place(&a_walk), b_goes_on = find_place(&b_walk);
        goes_on = a_goes_on && b_goes_on;
        is_equal = a_goes_on == b_goes_on;
        if (goes_on)
            goes_on = is_equal = next_call(&a_walk, a_list, &a) && next_call(&b_walk, b_list, &b) &&
                                 are_alike(&a, &b);
    }
    free(a_walk.stack.items);
    free(b_walk.stack.items);
    return is_equal;
}
