// The memory tree: the known registers and memory after an event, as disjoint items. One tree is
// kept in memory and changed; for each version, only the nodes that differ from the previous
// version are written.
//
// It is a treap, so priorities determine its shape. Items written in the current window of events
// (windows.h) have priorities that put the most frequently written ones nearest to the root; all
// others are below, with pseudorandom priorities that are the same in each run.
#ifndef TRAWL_EXPORT_TTU_ITEMS_H
#define TRAWL_EXPORT_TTU_ITEMS_H

#include "base/base.h"
#include "base/spool.h"
#include "base/vec.h"
#include "export/ttu/file.h"
#include "export/ttu/format.h"
#include "export/ttu/windows.h"

// What the way to an item reads comes first: that is mostly not in the cache.
struct ttu_item {
    uint32_t left, right, parent; // 0: none
    uint32_t priority;
    uint64_t lo, hi;
    uint8_t space; // enum ttu_space
    bool is_known : 1;
    bool is_marked : 1;  // its subtree may differ from the record
    bool is_changed : 1; // the item itself differs
    uint16_t height;     // as in the record
    uint32_t latest;     // latest line in the subtree, likewise
    uint64_t contents;   // offset of its bytes, or of its cell
    uint64_t value; // if known, the value, lowest byte at `lo`; otherwise the number of its cell
    uint64_t record, record_left, record_right; // as written last; 0: never
    uint32_t line;
    uint32_t window; // in which it was last written, or will be
};

#define TTU_RECENT_BITS 14

struct ttu_items {
    struct spool spool;
    struct ttu_item *items; // in it, from 1
    uint32_t free_items;    // linked by `left`
    uint32_t root;
    uint32_t recent[1 << TTU_RECENT_BITS]; // by their beginning; may be outdated
    const struct ttu_hot_key *hot;         // of the current window, ascending
    size_t hot_count;
    uint32_t window;
    VEC(, uint32_t) hot_items, cooling; // of the current window, of the previous one
    uint64_t records;                   // written
    bool lacks_memory, is_too_deep;
};

// A write, which becomes an item.
struct ttu_write {
    enum ttu_space space;
    bool is_known;
    uint64_t lo, hi;
    uint64_t contents, value; // as in an item
    uint32_t line;
};

// Begins with all memory unknown: one item with cell 0, whose offset is given. False: no memory.
bool ttu_items_begin(struct ttu_items *items, uint64_t cell_offset);
void ttu_items_free(struct ttu_items *items);

// Begins a window of events. `hot` must stay valid until the next one.
void ttu_items_begin_window(struct ttu_items *items, const struct ttu_hot_key *hot,
                            size_t hot_count);

// The first item of the space that ends at `address` or later; the item after another. NULL: none.
const struct ttu_item *ttu_items_first(const struct ttu_items *items, enum ttu_space space,
                                       uint64_t address);
const struct ttu_item *ttu_items_next(const struct ttu_items *items, const struct ttu_item *item);

// Replaces whatever is in the range by an item.
void ttu_items_write(struct ttu_items *items, const struct ttu_write *write);

// Writes the nodes of a version, and returns the offset of its root.
uint64_t ttu_items_record(struct ttu_items *items, struct ttu_stream *stream);

// Priorities of items that are not hot, in a treap (items.h).

// 31 pseudorandom bits, the same in each run, because they determine the output. A malicious trace
// could choose addresses that make a deep tree: LIMIT_TTU_TREE_DEPTH prevents that.
static inline uint32_t ttu_cold_priority(uint8_t space, uint64_t lo)
{
    uint64_t hash = (lo ^ space) + UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((hash ^ hash >> 31) >> 33);
}

#endif
