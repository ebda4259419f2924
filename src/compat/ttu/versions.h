// The known registers and memory after each event: goes over the events of a trace, in order, and
// writes a version of the memory tree for each event that changes something.
#ifndef TRAWL_COMPAT_TTU_VERSIONS_H
#define TRAWL_COMPAT_TTU_VERSIONS_H

#include "base/base.h"
#include "base/hash_index.h"
#include "base/spool.h"
#include "base/vec.h"
#include "compat/ttu/file.h"
#include "flow/segment.h"

// --- windows.c -----------------------------------------------------------------------------------

// Windows of a few hundred events: which items of the memory tree are written in each, and how near
// to the root each of them should be.

#define TTU_WINDOW_EVENTS 512

// Above the priority of any item that is not hot.
#define TTU_HOT_PRIORITY (UINT32_MAX - 255)

struct ttu_hot_key {
    uint64_t lo;
    uint8_t space; // enum ttu_space
    uint32_t writes;
    uint32_t priority; // TTU_HOT_PRIORITY or above
};

// The hot keys of the windows of one segment.
struct ttu_windows {
    VEC(, struct ttu_hot_key) keys; // ascending in each window
    VEC(, uint32_t) ends;           // of each window's keys
    uint32_t *slots;                // while keys are counted
    struct hash_seed seed;
};

// False: no memory.
bool ttu_windows_find(struct ttu_windows *windows, const struct segment *segment);
void ttu_windows_free(struct ttu_windows *windows);

// The order of items.
static ALWAYS_INLINE bool ttu_key_is_before(uint8_t space, uint64_t lo, uint8_t other_space,
                                            uint64_t other_lo)
{
    return space != other_space ? space < other_space : lo < other_lo;
}

// --- learned.c -----------------------------------------------------------------------------------

// Memory that is known only from loads: a cell for each unknown item, and the pieces of it that
// loads showed. A piece is valid from when its cell was made, so the trees of pieces are written at
// the end.

struct ttu_piece {
    uint32_t left, right; // in a treap over all cells; 0: none
    uint32_t priority;
    uint32_t cell;
    uint64_t lo, hi;
    uint64_t value;    // lowest byte at `lo`
    uint64_t contents; // offset
};

// Cells that are contiguous in the file.
struct ttu_cell_block {
    uint64_t offset;
    uint32_t first, room;
};

struct ttu_learned {
    struct spool pieces; // from 1
    uint32_t root;
    struct hash_seed seed;
    VEC(, struct ttu_cell_block) blocks;
    uint32_t cell_count;
    bool lacks_memory;
};

void ttu_learned_begin(struct ttu_learned *learned);
void ttu_learned_free(struct ttu_learned *learned);

// Makes a cell, and returns its number; *offset: its place in the file.
uint32_t ttu_learned_cell(struct ttu_learned *learned, struct ttu_stream *stream, uint64_t *offset);

// Learns the bytes of [lo, hi], at most eight, that are still unknown; the lowest byte of `value`
// is at `lo`.
void ttu_learned_add(struct ttu_learned *learned, struct ttu_contents *contents,
                     struct ttu_stream *stream, uint32_t cell, uint64_t lo, uint64_t hi,
                     uint64_t value);

// One byte. False: unknown.
bool ttu_learned_byte(const struct ttu_learned *learned, uint32_t cell, uint64_t address,
                      uint8_t *byte);

// Writes the trees of all cells, and the cells.
void ttu_learned_end(struct ttu_learned *learned, struct ttu_stream *stream);

// --- items.c -------------------------------------------------------------------------------------

// The memory tree: the known registers and memory after an event, as disjoint items. One tree is
// kept in memory and changed; for each version, only the nodes that differ from the previous
// version are written.
//
// It is a treap, so priorities determine its shape. Items written in the current window of events
// (windows.c) have priorities that put the most frequently written ones nearest to the root; all
// others are below, with pseudorandom priorities that are the same in each run.

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

// --- versions.c ----------------------------------------------------------------------------------

// Which bytes of memory were seen recently, so that a load of them adds nothing and most loads need
// no lookup. Forgetting is always correct.

#define TTU_SHOWN_BITS 13

struct ttu_shown_word {
    uint64_t number; // address / 8
    uint8_t mask;    // of known or learned bytes
};

struct ttu_shown {
    struct ttu_shown_word words[1 << TTU_SHOWN_BITS];
};

// The bytes of [lo, hi] in one word, as a mask.
static inline uint8_t ttu_word_mask(uint64_t number, uint64_t lo, uint64_t hi)
{
    unsigned first = number == lo / 8 ? lo % 8 : 0, last = number == hi / 8 ? hi % 8 : 7;
    return (uint8_t)((0xffu << first) & (0xffu >> (7 - last)));
}

static inline struct ttu_shown_word *ttu_shown_word(struct ttu_shown *shown, uint64_t number)
{
    return &shown->words[number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TTU_SHOWN_BITS)];
}

static inline void ttu_shown_prefetch(struct ttu_shown *shown, uint64_t address)
{
    __builtin_prefetch(ttu_shown_word(shown, address / 8));
}

// Whether all of [lo, hi], at most a few words, was seen.
static inline bool ttu_shown_has(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        const struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        if (word->number != number || (word->mask & mask) != mask)
            return false;
    }
    return true;
}

static inline void ttu_shown_add(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        *word = (struct ttu_shown_word){
            number, (uint8_t)(word->number == number ? word->mask | mask : mask)};
    }
}

// Forgets [lo, hi], which is no longer known. For many words it is faster to forget everything.
static inline void ttu_shown_forget(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    if (hi / 8 - lo / 8 > 256) {
        memset(shown, 0, sizeof *shown);
        return;
    }
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        if (word->number == number)
            word->mask = 0;
    }
}

struct ttu_versions {
    struct ttu_stream stream;
    struct ttu_items items;
    struct ttu_contents contents;
    struct ttu_learned learned;
    struct ttu_shown shown;
    bool big_endian;
    uint64_t header_lines; // before the first event
    uint64_t root;         // of the last version
    uint64_t count;
    bool has_state; // the instruction-set state after the previous event is known
    uint64_t state;
};

// Receives the root of each event.
struct ttu_root_sink {
    void *self;
    void (*add)(void *self, uint64_t root);
};

// Begins at `offset` of the file. False: no memory.
bool ttu_versions_begin(struct ttu_versions *versions, struct ttu_file *file, uint64_t offset,
                        bool big_endian);
void ttu_versions_free(struct ttu_versions *versions);

// Processes the next segment. *line: on failure, the line of the event at which there was no memory
// (STATUS_MEMORY) or the tree became too deep (STATUS_LIMIT).
enum status ttu_versions_take(struct ttu_versions *versions, const struct segment *segment,
                              const struct ttu_windows *windows, const struct ttu_root_sink *sink,
                              uint64_t *line);

// Writes what is only known at the end, and ends the stream. False: no memory.
bool ttu_versions_end(struct ttu_versions *versions);

#endif
