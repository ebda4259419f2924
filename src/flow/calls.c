#include "flow/calls.h"

#include "base/vec.h"
#include "flow/call_consumer.h"
#include "flow/pending.h"

#include <stdlib.h>

// --- The list of open calls ----------------------------------------------------------------------

enum item_kind {
    ITEM_ROOT,  // the outermost surrounding
    ITEM_OPEN,  // pending: may or may not return
    ITEM_REAL,  // an open known to return
    ITEM_CLOSE, // a return whose open is still uncertain
};

// The beginning or end of a call, and what happened from there to the next item.
struct item {
    enum item_kind kind;
    uint32_t before, after; // neighbours; `after` also links free items
    struct node_ref previous, node;
    uint64_t sp, return_address; // of ITEM_OPEN
    struct call_content content;
};

#define ROOT 0
#define NO_ITEM UINT32_MAX

struct call_matcher {
    struct call_consumer consumer;
    struct pending_set pending;
    VEC(, struct item) items;
    uint32_t last;
    uint32_t free;
    uint64_t waiting_closes; // items of ITEM_CLOSE
    struct call_counts counts;
};

// Appends an item to the list. NO_ITEM: no memory.
static uint32_t append_item(struct call_matcher *matcher, enum item_kind kind)
{
    uint32_t at = matcher->free;
    if (at != NO_ITEM) {
        matcher->free = matcher->items.items[at].after;
    } else {
        if (matcher->items.count >= NO_ITEM || !VEC_ROOM(&matcher->items, 1))
            return NO_ITEM;
        at = (uint32_t)matcher->items.count++;
    }
    matcher->items.items[at] =
        (struct item){.kind = kind, .before = matcher->last, .after = NO_ITEM};
    if (matcher->last != NO_ITEM)
        matcher->items.items[matcher->last].after = at;
    matcher->last = at;
    return at;
}

static void remove_item(struct call_matcher *matcher, uint32_t at)
{
    struct item *item = &matcher->items.items[at];
    matcher->items.items[item->before].after = item->after;
    if (item->after != NO_ITEM)
        matcher->items.items[item->after].before = item->before;
    else
        matcher->last = item->before;
    item->after = matcher->free;
    matcher->free = at;
}

// --- Matching one lane ---------------------------------------------------------------------------

struct call_matcher *call_matcher_new(const struct call_consumer *consumer)
{
    struct call_matcher *matcher = calloc(1, sizeof *matcher);
    if (!matcher)
        return NULL;
    matcher->consumer = *consumer;
    matcher->last = matcher->free = NO_ITEM;
    if (append_item(matcher, ITEM_ROOT) != ROOT) {
        free(matcher);
        return NULL;
    }
    return matcher;
}

void call_matcher_free(struct call_matcher *matcher)
{
    if (!matcher)
        return;
    pending_free(&matcher->pending);
    free(matcher->items.items);
    free(matcher);
}

static bool fold(struct call_matcher *matcher, struct item *into, const struct call *call,
                 const struct item *inner)
{
    return matcher->consumer.fold(matcher->consumer.self, &into->content, call, &inner->content);
}

static bool merge(struct call_matcher *matcher, struct item *into, const struct item *from)
{
    return matcher->consumer.merge(matcher->consumer.self, &into->content, &from->content);
}

// Folds every finished call at *at and outward from there: a real open whose next item is a close.
// *at becomes the item that now contains what was folded.
static bool collapse(struct call_matcher *matcher, uint32_t *at)
{
    for (;;) {
        struct item *items = matcher->items.items, *open = &items[*at];
        if (open->kind != ITEM_REAL || open->after == NO_ITEM ||
            items[open->after].kind != ITEM_CLOSE)
            return true;
        struct item *close = &items[open->after], *outside = &items[open->before];
        const struct call call = {.site = open->previous,
                                  .entry = open->node,
                                  .exit = close->previous,
                                  .resume = close->node};
        if (!fold(matcher, outside, &call, open) || !merge(matcher, outside, close))
            return false;
        uint32_t before = open->before;
        remove_item(matcher, open->after);
        remove_item(matcher, *at);
        matcher->waiting_closes--;
        *at = before;
    }
}

// The call at `at` never returns: what happened in it counts for what is around it. *outside
// becomes the item that now contains this.
static bool melt(struct call_matcher *matcher, uint32_t at, uint32_t *outside)
{
    *outside = matcher->items.items[at].before;
    if (!merge(matcher, &matcher->items.items[*outside], &matcher->items.items[at]))
        return false;
    remove_item(matcher, at);
    return collapse(matcher, outside);
}

bool call_matcher_drop(struct call_matcher *matcher, uint64_t sp)
{
    uint32_t at, outside;
    while ((at = pending_pop_below(&matcher->pending, sp)) != PENDING_NONE) {
        matcher->counts.dropped++;
        if (!melt(matcher, at, &outside))
            return false;
    }
    return true;
}

static bool close_call(struct call_matcher *matcher, uint32_t at, const struct transfer *transfer)
{
    matcher->items.items[at].kind = ITEM_REAL;
    matcher->counts.returned++;
    if (!collapse(matcher, &at)) // a close may have waited for this decision
        return false;
    uint32_t close = append_item(matcher, ITEM_CLOSE);
    if (close == NO_ITEM)
        return false;
    struct item *item = &matcher->items.items[close];
    item->previous = transfer->previous;
    item->node = transfer->node;
    matcher->waiting_closes++;
    // Either the close is next to a real open, or it waits for decisions about what lies between.
    uint32_t before = item->before;
    return collapse(matcher, &before);
}

static bool open_call(struct call_matcher *matcher, const struct transfer *transfer)
{
    uint32_t at = append_item(matcher, ITEM_OPEN);
    if (at == NO_ITEM)
        return false;
    struct item *item = &matcher->items.items[at];
    item->previous = transfer->previous;
    item->node = transfer->node;
    item->sp = transfer->sp;
    item->return_address = transfer->return_address;
    const struct pending_call call = {transfer->sp, transfer->return_address, at};
    return pending_add(&matcher->pending, &call);
}

bool call_matcher_transfer(struct call_matcher *matcher, const struct transfer *transfer,
                           struct call_decision *decision)
{
    *decision = (struct call_decision){0};
    matcher->counts.transfers++;
    if (transfer->drop_below && !call_matcher_drop(matcher, transfer->drop_below))
        return false;
    uint32_t at = pending_find(&matcher->pending, transfer->sp, transfer->node.pc);
    if (at != PENDING_NONE) {
        decision->is_return = true;
        decision->returned_line = matcher->items.items[at].node.line;
        pending_remove(&matcher->pending, transfer->sp, transfer->node.pc);
        return close_call(matcher, at, transfer);
    }
    if (!transfer->may_be_call)
        return true;
    decision->is_call = true;
    // If the key is already pending, the old call stays.
    return pending_find(&matcher->pending, transfer->sp, transfer->return_address) !=
               PENDING_NONE ||
           open_call(matcher, transfer);
}

// Melts the opens that control has left: those between a waiting return and the real open that it
// closes. Opens farther out stay.
static bool melt_left_behind(struct call_matcher *matcher)
{
    uint32_t at = ROOT;
    while (matcher->waiting_closes) {
        ASSERT(at != NO_ITEM);
        const struct item *item = &matcher->items.items[at];
        if (item->kind != ITEM_CLOSE)
            at = item->after;
        else if (!melt(matcher, item->before, &at))
            return false;
    }
    return true;
}

bool call_matcher_finish(struct call_matcher *matcher, const struct node_ref *last, bool keep_open,
                         struct call_content *outermost, struct call_counts *counts)
{
    matcher->counts.unreturned = matcher->pending.count;
    if (!melt_left_behind(matcher))
        return false;
    while (matcher->last != ROOT) {
        uint32_t at = matcher->last;
        const struct item *open = &matcher->items.items[at];
        struct item *outside = &matcher->items.items[open->before];
        const struct call call = {.site = open->previous,
                                  .entry = open->node,
                                  .exit = *last,
                                  .resume = *last,
                                  .is_open = true};
        if (!(keep_open ? fold(matcher, outside, &call, open) : merge(matcher, outside, open)))
            return false;
        remove_item(matcher, at);
    }
    *outermost = matcher->items.items[ROOT].content;
    *counts = matcher->counts;
    return true;
}

// --- Chunks --------------------------------------------------------------------------------------

// The assumption that nothing is pending at a key.
struct pending_key {
    uint64_t sp, return_address;
};

// The most such assumptions of a run.
#define RUN_KEYS_MAX 64

// Consecutive transfers that do not depend on calls pending before them.
struct run {
    size_t first, end;           // transfers
    size_t alone_count;          // transfers from `end` on that are taken one at a time
    struct call_mark mark;       // of the store, at the end of the run
    struct call_content content; // what happened before the first item
    struct call_counts counts;
    uint64_t drop_below;        // calls pending from before at a lower SP are dropped
    size_t items_end, keys_end; // where the items of this run end in the arrays of the chunk
};

struct calls_chunk {
    struct call_matcher *matcher; // of the current run
    const struct call_stores *stores;
    void *store;
    const struct transfer *transfers;
    size_t count;
    uint64_t none_below; // nothing is pending from before the run at a lower SP
    uint64_t drop_below; // of the current run
    VEC(, struct run) runs;
    VEC(, struct item) items; // left open or undecided by their run
    VEC(, struct pending_key) keys;
};

struct calls_chunk *calls_chunk_new(void)
{
    return calloc(1, sizeof(struct calls_chunk));
}

void calls_chunk_free(struct calls_chunk *chunk)
{
    if (!chunk)
        return;
    call_matcher_free(chunk->matcher);
    free(chunk->runs.items);
    free(chunk->items.items);
    free(chunk->keys.items);
    free(chunk);
}

// --- Matching ------------------------------------------------------------------------------------

static size_t keys_of_runs(const struct calls_chunk *chunk)
{
    return chunk->runs.count ? chunk->runs.items[chunk->runs.count - 1].keys_end : 0;
}

// Assumes that nothing is pending at a key. False: no memory.
static bool assume(struct calls_chunk *chunk, uint64_t sp, uint64_t return_address)
{
    for (size_t i = chunk->keys.count; i > keys_of_runs(chunk); i--) {
        const struct pending_key *key = &chunk->keys.items[i - 1];
        if (key->sp == sp && key->return_address == return_address)
            return true;
    }
    if (!VEC_ROOM(&chunk->keys, 1))
        return false;
    chunk->keys.items[chunk->keys.count++] = (struct pending_key){sp, return_address};
    return true;
}

// Whether the meaning of a transfer depends on calls pending from before. For a call that is
// pending in the chunk it does not: the chunk added the call because it assumed that its key was
// not pending.
static bool is_alone(const struct calls_chunk *chunk, const struct transfer *transfer)
{
    if (transfer->sp < u64_max(chunk->none_below, transfer->drop_below) ||
        pending_find(&chunk->matcher->pending, transfer->sp, transfer->node.pc) != PENDING_NONE)
        return false;
    return transfer->from.kind == BRANCH_RETURN ||
           chunk->keys.count - keys_of_runs(chunk) > RUN_KEYS_MAX - 2;
}

// False: no memory.
static bool take(struct calls_chunk *chunk, const struct transfer *transfer)
{
    struct call_decision decision;
    chunk->drop_below = u64_max(chunk->drop_below, transfer->drop_below);
    chunk->none_below = u64_max(chunk->none_below, transfer->drop_below);
    if (!call_matcher_transfer(chunk->matcher, transfer, &decision))
        return false;
    if (decision.is_return || transfer->sp < chunk->none_below)
        return true;
    return assume(chunk, transfer->sp, transfer->node.pc) &&
           (!decision.is_call || assume(chunk, transfer->sp, transfer->return_address));
}

// Moves what is open in the matcher to the end of the chunk's items. False: no memory.
static bool move_items(struct calls_chunk *chunk)
{
    struct call_matcher *matcher = chunk->matcher;
    for (uint32_t at = matcher->items.items[ROOT].after; at != NO_ITEM;) {
        const struct item item = matcher->items.items[at];
        if (!VEC_ROOM(&chunk->items, 1))
            return false;
        chunk->items.items[chunk->items.count++] = item;
        if (item.kind == ITEM_OPEN) {
            pending_remove(&matcher->pending, item.sp, item.return_address);
            chunk->none_below = u64_min(chunk->none_below, item.sp);
        }
        remove_item(matcher, at);
        at = item.after;
    }
    return true;
}

// The first transfer after the last run and after those taken alone.
static size_t after_runs(const struct calls_chunk *chunk)
{
    if (!chunk->runs.count)
        return 0;
    const struct run *last = &chunk->runs.items[chunk->runs.count - 1];
    return last->end + last->alone_count;
}

// Ends the current run before a transfer, and begins the next one. False: no memory.
static bool end_run(struct calls_chunk *chunk, size_t end)
{
    struct call_matcher *matcher = chunk->matcher;
    size_t first = after_runs(chunk);
    if (!VEC_ROOM(&chunk->runs, 1) || !move_items(chunk))
        return false;
    chunk->runs.items[chunk->runs.count++] = (struct run){
        .first = first,
        .end = end,
        .mark = chunk->stores->mark(chunk->store),
        .content = matcher->items.items[ROOT].content,
        .counts = matcher->counts,
        .drop_below = chunk->drop_below,
        .items_end = chunk->items.count,
        .keys_end = chunk->keys.count,
    };
    matcher->items.items[ROOT].content = (struct call_content){0};
    matcher->waiting_closes = 0;
    matcher->counts = (struct call_counts){0};
    chunk->drop_below = 0;
    return true;
}

// Ends the current run at transfer `at`, which is taken alone. False: no memory.
static bool leave_alone(struct calls_chunk *chunk, size_t at)
{
    const struct transfer *transfer = &chunk->transfers[at];
    bool is_after_run = after_runs(chunk) < at || !chunk->runs.count;
    if (is_after_run && !end_run(chunk, at))
        return false;
    chunk->runs.items[chunk->runs.count - 1].alone_count++;
    // The effect of the transfer on what is known about calls pending from before.
    chunk->none_below = u64_max(chunk->none_below, transfer->drop_below);
    if (transfer->may_be_call)
        chunk->none_below = u64_min(chunk->none_below, transfer->sp);
    return true;
}

bool calls_chunk_match(struct calls_chunk *chunk, const struct call_stores *stores, void *store,
                       const struct transfer *transfers, size_t count)
{
    const struct call_consumer consumer = stores->consumer(store);
    chunk->stores = stores;
    chunk->store = store;
    chunk->transfers = transfers;
    chunk->count = count;
    chunk->runs.count = chunk->items.count = chunk->keys.count = 0;
    chunk->none_below = chunk->drop_below = 0;
    if (!chunk->matcher && !(chunk->matcher = call_matcher_new(&consumer)))
        return false;
    chunk->matcher->consumer = consumer;
    for (size_t i = 0; i < count; i++) {
        const struct transfer *transfer = &transfers[i];
        if (UNLIKELY(transfer->is_gap))
            continue;
        if (!(is_alone(chunk, transfer) ? leave_alone(chunk, i) : take(chunk, transfer)))
            return false;
    }
    return end_run(chunk, count);
}

// --- Joining -------------------------------------------------------------------------------------

struct joining {
    struct call_matcher *matcher;
    const struct calls_chunk *chunk;
    size_t item, key; // where the items of the next run begin in the arrays of the chunk
};

// Whether every key that a run assumed not to be pending is not.
static bool run_holds(const struct joining *joining, const struct run *run)
{
    for (size_t i = joining->key; i < run->keys_end; i++) {
        const struct pending_key *key = &joining->chunk->keys.items[i];
        if (pending_find(&joining->matcher->pending, key->sp, key->return_address) != PENDING_NONE)
            return false;
    }
    return true;
}

// Appends an item of a run. False: no memory.
static bool join_item(struct joining *joining, const struct item *item)
{
    struct call_matcher *matcher = joining->matcher;
    const struct calls_chunk *chunk = joining->chunk;
    uint32_t at = append_item(matcher, item->kind);
    if (at == NO_ITEM)
        return false;
    struct item *joined = &matcher->items.items[at];
    joined->previous = item->previous;
    joined->node = item->node;
    joined->sp = item->sp;
    joined->return_address = item->return_address;
    matcher->waiting_closes += item->kind == ITEM_CLOSE;
    if (!chunk->stores->merge(matcher->consumer.self, &joined->content, chunk->store,
                              &item->content))
        return false;
    const struct pending_call call = {item->sp, item->return_address, at};
    return item->kind != ITEM_OPEN || pending_add(&matcher->pending, &call);
}

// Applies a run to the matcher. False: no memory.
static bool join_run(struct joining *joining, const struct run *run)
{
    struct call_matcher *matcher = joining->matcher;
    const struct calls_chunk *chunk = joining->chunk;
    void *self = matcher->consumer.self;
    matcher->counts.transfers += run->counts.transfers;
    matcher->counts.returned += run->counts.returned;
    matcher->counts.dropped += run->counts.dropped;
    if ((run->drop_below && !call_matcher_drop(matcher, run->drop_below)) ||
        !chunk->stores->take(self, chunk->store, run->mark) ||
        !chunk->stores->merge(self, &matcher->items.items[matcher->last].content, chunk->store,
                              &run->content))
        return false;
    for (size_t i = joining->item; i < run->items_end; i++) {
        if (!join_item(joining, &chunk->items.items[i]))
            return false;
    }
    return true;
}

static bool take_alone(struct call_matcher *matcher, const struct transfer *transfer)
{
    struct call_decision decision;
    return transfer->is_gap || call_matcher_transfer(matcher, transfer, &decision);
}

// Takes the transfers of a run one at a time. False: no memory.
static bool take_one_by_one(struct joining *joining, const struct run *run)
{
    const struct calls_chunk *chunk = joining->chunk;
    chunk->stores->skip(chunk->store, run->mark);
    for (size_t i = run->first; i < run->end; i++) {
        if (!take_alone(joining->matcher, &chunk->transfers[i]))
            return false;
    }
    return true;
}

bool call_matcher_join(struct call_matcher *matcher, const struct calls_chunk *chunk)
{
    struct joining joining = {.matcher = matcher, .chunk = chunk};
    for (size_t i = 0; i < chunk->runs.count; i++) {
        const struct run *run = &chunk->runs.items[i];
        if (!(run_holds(&joining, run) ? join_run(&joining, run) : take_one_by_one(&joining, run)))
            return false;
        for (size_t at = run->end; at < run->end + run->alone_count; at++) {
            if (!take_alone(matcher, &chunk->transfers[at]))
                return false;
        }
        joining.item = run->items_end;
        joining.key = run->keys_end;
    }
    return true;
}
