// The memory tree: what is known of registers and memory after an event, as disjoint items. One
// tree lies in memory, and is changed; of each version only the nodes that differ from the one
// before are written.
//
// It is a treap, so its shape follows from priorities. Items that are written in the present window
// of events (windows.h) have those of a tree in which they lie nearest to the root that are written
// most; below hang all others, in an order by chance that is the same in each run.
#ifndef TRAWL_EXPORT_TTU_ITEMS_H
#define TRAWL_EXPORT_TTU_ITEMS_H

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
    bool is_marked : 1;  // something in its subtree may differ from the record
    bool is_changed : 1; // it does itself
    uint16_t height;     // as of the record
    uint32_t latest;     // line in the subtree, likewise
    uint64_t contents;   // offset of its bytes, or of its cell
    uint64_t value;      // of a known one, the byte of `lo` lowest; else the number of its cell
    uint64_t record, record_left, record_right; // as it was written last; 0: never
    uint32_t line;
    uint32_t window; // in which it was written last, or so it was foreseen
};

#define TTU_RECENT_BITS 14

struct ttu_items {
    struct spool spool;
    struct ttu_item *items; // in it, from 1
    uint32_t free_items;    // linked by `left`
    uint32_t root;
    uint32_t recent[1 << TTU_RECENT_BITS]; // by where they begin; may be outdated
    const struct ttu_hot_key *hot;         // of the window in hand, ascending
    size_t hot_count;
    uint32_t window;
    VEC(, uint32_t) hot_items, cooling; // of the window in hand, of the one before
    uint64_t records;                   // written
    bool lacks_memory, is_too_deep;
};

// What is written to an item of its own.
struct ttu_write {
    enum ttu_space space;
    bool is_known;
    uint64_t lo, hi;
    uint64_t contents, value; // as of an item
    uint32_t line;
};

// Begins with nothing known of memory: one item of cell 0, whose offset is given. False: no memory.
bool ttu_items_begin(struct ttu_items *items, uint64_t cell_offset);
void ttu_items_free(struct ttu_items *items);

// Begins a window of events. `hot` stays until the next one.
void ttu_items_begin_window(struct ttu_items *items, const struct ttu_hot_key *hot,
                            size_t hot_count);

// The first item of the space that ends at `address` or later, and the one after an item. NULL:
// there is none.
const struct ttu_item *ttu_items_first(const struct ttu_items *items, enum ttu_space space,
                                       uint64_t address);
const struct ttu_item *ttu_items_next(const struct ttu_items *items, const struct ttu_item *item);

// Cuts the range out of what is there, and puts an item in its place.
void ttu_items_write(struct ttu_items *items, const struct ttu_write *write);

// Writes the nodes of a version, and returns the offset of its root.
uint64_t ttu_items_record(struct ttu_items *items, struct ttu_stream *stream);

#endif
