// How a matcher stores open calls (calls.h). Private to calls*.c.
#ifndef TRAWL_FLOW_CALLS_ITEMS_H
#define TRAWL_FLOW_CALLS_ITEMS_H

#include "base/vec.h"
#include "flow/call_consumer.h"
#include "flow/pending.h"

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
uint32_t call_append_item(struct call_matcher *matcher, enum item_kind kind);

void call_remove_item(struct call_matcher *matcher, uint32_t at);

#endif
