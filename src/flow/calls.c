#include "flow/calls.h"

#include "flow/calls_items.h"

#include <stdlib.h>

uint32_t call_append_item(struct call_matcher *matcher, enum item_kind kind)
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

void call_remove_item(struct call_matcher *matcher, uint32_t at)
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

struct call_matcher *call_matcher_new(const struct call_consumer *consumer)
{
    struct call_matcher *matcher = calloc(1, sizeof *matcher);
    if (!matcher)
        return NULL;
    matcher->consumer = *consumer;
    matcher->last = matcher->free = NO_ITEM;
    if (call_append_item(matcher, ITEM_ROOT) != ROOT) {
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
        call_remove_item(matcher, open->after);
        call_remove_item(matcher, *at);
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
    call_remove_item(matcher, at);
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
    uint32_t close = call_append_item(matcher, ITEM_CLOSE);
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
    uint32_t at = call_append_item(matcher, ITEM_OPEN);
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
        call_remove_item(matcher, at);
    }
    *outermost = matcher->items.items[ROOT].content;
    *counts = matcher->counts;
    return true;
}
