// What reports add up over the records of XRay logs.
//
// There are four accumulators over matched entries and exits, each with a loop of its own around
// trace/xray/match.h: durations by function or edge (account_sums.c), stacks (stacks.c), and, for
// the index and reports of every kind of trace, contexts (trace/xray/contexts.c) and a profile
// (trace/xray/profile.c). One visitor with four sums was considered and rejected: they differ in
// what an exit means (llvm-xray's account counts only the innermost call, stacks keep a base for
// each chunk of a thread, contexts are exact), and a visitor would be a call through a pointer for
// each record, while the loops as they are take a few instructions a record and are what makes
// these reports 37 to 107 times as fast as llvm-xray's.
#ifndef TRAWL_CMD_XRAY_SUMS_H
#define TRAWL_CMD_XRAY_SUMS_H

#include "base/error.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "trace/xray/match.h"
#include "trace/xray/record.h"

// --- latency.c -----------------------------------------------------------------------------------

// How long calls took: count, sum, minimum, maximum and exact percentiles for each of many keys
// (functions, edges of a call graph). The memory does not grow with the number of calls.
//
// The first pass over the calls stores the first LATENCY_VALUES durations of a key unchanged, and
// then counts durations in buckets, sixteen for each octave. This determines which bucket contains
// a percentile. latency_search narrows it down in further passes over the same calls, until it is
// exact:
//
//     each worker: latency_add(&its_table, key, ticks) for each call
//     latency_merge its_table of each worker into one table
//     latency_search_begin(&search, &table);
//     while (latency_search_wants_pass(&search)) {
//         each worker: latency_count(&search, &its_counts, key, ticks) for each call
//         latency_search_narrow(&search, counts of all workers, how many);
//     }
//     latency_search_end(&search, &table) fills the percentiles of each row

#define LATENCY_VALUES 976 // as many words as there are buckets
#define LATENCY_SUB_BITS 4
#define LATENCY_BUCKETS ((64 - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

enum { LATENCY_MEDIAN, LATENCY_P90, LATENCY_P99, LATENCY_PERCENTILES };

struct latency {
    uint64_t key;
    uint64_t count, min, sum, max; // the sum wraps around
    uint64_t percentiles[LATENCY_PERCENTILES];
    uint64_t *store; // up to LATENCY_VALUES values; then the buckets' counts
    uint32_t capacity;
};

// All zero: empty. Fields are read-only for users.
struct latency_table {
    VEC(, struct latency) rows;
    struct hash_index by_key;
    bool has_sums_only; // set by the caller while empty: without stores, so no percentiles
    bool lacks_memory;
};

// latency_find: the row of a key, NULL: none. latency_row: the same, added if necessary; NULL: no
// memory.
static ALWAYS_INLINE struct latency *latency_find(const struct latency_table *table, uint64_t key)
{
    uint32_t row;
    HASH_INDEX_FIND(row, &table->by_key, hash_key(&table->by_key.seed, key),
                    table->rows.items[candidate].key == key);
    return LIKELY(row != HASH_INDEX_NONE) ? &table->rows.items[row] : NULL;
}
struct latency *latency_row(struct latency_table *table, uint64_t key);

// Private to latency_add: enlarges the store.
bool latency_grow(struct latency *row);

static ALWAYS_INLINE unsigned latency_bucket(uint64_t ticks)
{
    if (ticks < UINT64_C(2) << LATENCY_SUB_BITS)
        return (unsigned)ticks;
    unsigned octave = 63 - (unsigned)__builtin_clzll(ticks) - LATENCY_SUB_BITS;
    return (octave << LATENCY_SUB_BITS) + (unsigned)(ticks >> octave);
}

// Private to latency_add: stores the duration of a call. False: no memory.
static ALWAYS_INLINE bool latency_store(struct latency *row, uint64_t ticks)
{
    if (UNLIKELY(row->count < LATENCY_VALUES)) {
        if (UNLIKELY(row->count == row->capacity) && !latency_grow(row))
            return false;
        row->store[row->count] = ticks;
        return true;
    }
    if (UNLIKELY(row->count == LATENCY_VALUES) && !latency_grow(row))
        return false;
    row->store[latency_bucket(ticks)]++;
    return true;
}

// Adds a call to a row of the table. False: no memory; then table->lacks_memory is set.
static ALWAYS_INLINE bool latency_add_to(struct latency_table *table, struct latency *row,
                                         uint64_t ticks)
{
    if (!table->has_sums_only && UNLIKELY(!latency_store(row, ticks))) {
        table->lacks_memory = true;
        return false;
    }
    row->count++;
    row->sum += ticks;
    row->min = u64_min(row->min, ticks);
    row->max = u64_max(row->max, ticks);
    return true;
}

// The same, and returns its row. NULL: no memory.
static ALWAYS_INLINE struct latency *latency_add(struct latency_table *table, uint64_t key,
                                                 uint64_t ticks)
{
    struct latency *row = latency_find(table, key);
    if (UNLIKELY(!row) && !(row = latency_row(table, key)))
        return NULL;
    return LIKELY(latency_add_to(table, row, ticks)) ? row : NULL;
}

// Adds the calls of a row of another table, which has the same kind of data, to those of a key.
// False: no memory.
bool latency_include(struct latency_table *table, uint64_t key, const struct latency *from);

// Adds all of `other`, which is empty afterwards. False: no memory.
bool latency_merge(struct latency_table *table, struct latency_table *other);

// Sorts the rows by key. False: no memory.
bool latency_sort(struct latency_table *table);

void latency_table_free(struct latency_table *table);

// --- Percentiles ---------------------------------------------------------------------------------

// The largest number of parts into which a window is cut, or of values that it lists, as a power of
// two. It is smaller if there are many windows, so that a worker's counts stay below
// LATENCY_COUNTS_BYTES (as far as the minimum allows). Few values or a narrow window need fewer.
#define LATENCY_PARTS_BITS_MIN 10
#define LATENCY_PARTS_BITS_MAX 16
#define LATENCY_COUNTS_BYTES (UINT64_C(64) << 20)

// Where a percentile is: the value of rank `rank` among the values in [low, low + width).
struct latency_window {
    uint64_t low, width; // width 0: it is `low`
    uint64_t rank;       // from 0, among those inside
    uint64_t inside;     // number of values in the window
    unsigned shift;
    bool is_listed;           // the values themselves are stored
    uint32_t number;          // among the windows with a width
    size_t first_word, words; // in a worker's counts: its parts, or room for its values
};

// The counts of one worker. Initialize with zeros.
struct latency_counts {
    uint64_t *words;
    uint32_t *filled; // for each window, if it is listed
};

struct latency_search {
    const struct latency_table *table;
    struct latency_window *windows; // LATENCY_PERCENTILES for each row
    uint32_t open_windows;          // number of windows with a width
    size_t words;                   // of a worker's counts
};

// False: no memory.
bool latency_search_begin(struct latency_search *search, const struct latency_table *table);

bool latency_search_wants_pass(const struct latency_search *search);

// Before a worker's pass. False: no memory. Free with latency_counts_free in any case.
bool latency_counts_begin(struct latency_counts *counts, const struct latency_search *search);
void latency_counts_free(struct latency_counts *counts);

// Counts a call of row number `row`.
static ALWAYS_INLINE void latency_count_row(const struct latency_search *search,
                                            struct latency_counts *counts, size_t row,
                                            uint64_t ticks)
{
    size_t first = row * LATENCY_PERCENTILES;
    for (size_t i = first; i < first + LATENCY_PERCENTILES; i++) {
        const struct latency_window *window = &search->windows[i];
        if (ticks - window->low >= window->width)
            continue;
        uint64_t *words = counts->words + window->first_word;
        if (!window->is_listed)
            words[(ticks - window->low) >> window->shift]++;
        else if (counts->filled[window->number] < window->words)
            words[counts->filled[window->number]++] = ticks;
    }
}

// The same for a key, if there is a row for it.
static ALWAYS_INLINE void latency_count(const struct latency_search *search,
                                        struct latency_counts *counts, uint64_t key, uint64_t ticks)
{
    const struct latency *row = latency_find(search->table, key);
    if (LIKELY(row != NULL))
        latency_count_row(search, counts, (size_t)(row - search->table->rows.items), ticks);
}

// Narrows the windows according to the workers' counts. False: no memory.
bool latency_search_narrow(struct latency_search *search, const struct latency_counts *counts,
                           unsigned workers);

// Sets the percentiles of the rows and frees the search.
void latency_search_end(struct latency_search *search, struct latency_table *table);

// --- Hidden calls (sums.c) -----------------------------------------------------------------------

// Hides calls of a thread of an XRay log from reports: those of hidden functions, and all calls
// made in them. They are matched like others, so that the same calls end; but time stands still in
// them, so the durations of the calls around them do not include them.
//
//     xray_hiding_begin(&hiding);                       a thread
//     xray_hiding_enter(&hiding, &match, function, tsc)  before each call is entered
//     xray_hiding_leave(&hiding, &match, tsc)            after each call is left

// Says which functions are hidden. May be called by several threads at once.
struct xray_hider {
    void *self;
    bool (*hides)(void *self, uint32_t function);
};

// Initialize with zeros except for the hider. Free with xray_hiding_free.
struct xray_hiding {
    const struct xray_hider *hider; // NULL: nothing is hidden
    struct latency_table answers;   // for functions: max is 1 if hidden, 2 if not
    size_t outer;                   // depth in the outermost open hidden call; 0: none is open
    uint64_t since;                 // its entry time
    uint64_t ticks;                 // in hidden calls of the thread
    uint64_t all_ticks, all_calls;  // of all threads, of the outermost hidden calls that ended
    bool was_after_exit;            // xray_match.is_after_exit before the outermost hidden call
    bool is_shared; // calls that end now are counted in another log (xray_log_share)
};

static inline void xray_hiding_begin(struct xray_hiding *hiding)
{
    hiding->outer = 0;
    hiding->ticks = 0;
}

static inline void xray_hiding_free(struct xray_hiding *hiding)
{
    latency_table_free(&hiding->answers);
}

// The time without the time in hidden calls.
static inline uint64_t xray_hiding_time(const struct xray_hiding *hiding, uint64_t tsc)
{
    return tsc - hiding->ticks;
}

// The duration of a call that was entered at time `entered` (by xray_hiding_time) and is left at
// `tsc`. Clocks of processors may disagree, so either may be the earlier one, and such a time may
// be below 0.
static inline uint64_t xray_hiding_ticks(const struct xray_hiding *hiding, uint64_t entered,
                                         uint64_t tsc)
{
    if (!hiding->hider)
        return xray_ticks_between(entered, tsc);
    uint64_t ticks = xray_hiding_time(hiding, tsc) - entered;
    return ticks >> 63 ? 0 - ticks : ticks;
}

// Whether a call that is about to be entered is hidden. If there is no memory for the answer,
// answers.lacks_memory is set.
bool xray_hiding_enter(struct xray_hiding *hiding, const struct xray_match *match,
                       uint32_t function, uint64_t tsc);

// Whether the call that was just left is hidden.
bool xray_hiding_leave(struct xray_hiding *hiding, struct xray_match *match, uint64_t tsc);

// --- account_sums.c ------------------------------------------------------------------------------

// How long the calls of XRay logs took, by function, and by caller and callee.
//
// Threads are independent of each other. A thread is cut into chunks of whole buffers, which are
// matched in parallel, each as if the stack were empty before it. Exits of earlier calls, and calls
// that are open at the end of a chunk, are matched in order afterwards. Only an exit of the
// function on top of the stack ends a call; any other exit is counted as unmatched, and has no
// effect unless `deduce` is set.

struct xray_account_options {
    unsigned threads;    // at least 1
    bool deduce;         // an exit of a function further down also ends all calls above it
    bool recursive_only; // only calls in nests with their function on the stack twice
    bool by_edge;        // fill `edges`
    bool percentiles;    // fill the percentiles of the rows
    const struct xray_hider *hider; // NULL: no calls are hidden
};

// All zero: empty.
struct xray_account {
    struct latency_table functions; // by id, in ascending order
    struct latency_table edges;     // by xray_edge_key, in ascending order
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage *damage;         // inside the buffers, for each log
};

// The key of an edge. Caller 0: nothing is below the callee on the stack.
static inline uint64_t xray_edge_key(uint32_t caller, uint32_t callee)
{
    return (uint64_t)caller << 32 | callee;
}

// Adds up the calls of several logs, whose ticks must have the same length. Fails only if there is
// no memory. Free with xray_account_free in any case.
enum status xray_account_run(const struct xray_log *const *logs, size_t log_count,
                             const struct xray_account_options *options,
                             struct xray_account *account, struct error *err);

void xray_account_free(struct xray_account *account);

// --- stacks.c ------------------------------------------------------------------------------------

// How often each stack of an XRay log occurred and how long: a tree of stacks for each thread.
//
// An exit of a function further down the stack also ends all calls above it. An exit of a function
// that is not on the stack is counted as unmatched, and has no effect.

// No stack. Node 0 of a tree is the empty stack.
#define XRAY_NO_STACK UINT32_MAX

// The calls with one stack.
struct xray_stack_sum {
    uint64_t count, ticks;
};

struct xray_stack {
    uint32_t function, parent;
    uint64_t path;                // its xray_path, used to find it
    struct xray_stack_sum leaves; // calls that made no other calls
    struct xray_stack_sum inner;  // calls that did
    // If requested, the ticks of calls that ended inside calls with this stack: inside those that
    // ended, and inside the open one. A thread has at most one open call with a stack, because the
    // stack includes all surrounding calls.
    uint64_t inside_ticks, inside_open_ticks;
};
_Static_assert(sizeof(struct xray_stack) == 64, "a stack is in one line of the cache");

// Links from a stack; XRAY_NO_STACK: none.
struct xray_stack_links {
    uint32_t newest_child, older_sibling;
};

struct xray_stack_slot {
    uint32_t stack; // 0: a free slot
    uint32_t tag;   // low half of the stack's path
};

// All zero: no tree yet; xray_stacks_begin begins it. Parents come before their children. Fields
// are read-only for users.
struct xray_stack_tree {
    VEC(, struct xray_stack) stacks;
    struct xray_stack_links *links; // one for each stack, made by xray_stacks_link; otherwise NULL
    struct hash_seed seed;          // of the paths
    struct xray_stack_slot *slots;  // by path
    size_t slot_count;
    unsigned shift;
    struct xray_exits exits;
    uint64_t hidden_ticks, hidden_calls; // of hidden calls that ended
    struct trace_damage damage;
};

// Builds the tree of each thread of the log, in parallel; `trees` has one for each. `has_inside`:
// inside_ticks are requested; `hider` NULL: no calls are hidden. False: no memory. Free each with
// xray_stacks_free in any case.
bool xray_stacks_run(const struct xray_log *log, unsigned threads, bool has_inside,
                     const struct xray_hider *hider, struct xray_stack_tree *trees);

// The child of a stack, added if necessary; the tree must have its node 0. XRAY_NO_STACK: no
// memory. `path` is the xray_path of the parent's path and the function.
uint32_t xray_stack_by_path(struct xray_stack_tree *tree, uint32_t parent, uint32_t function,
                            uint64_t path);

// Finds the stacks of the entries of a batch with paths, added if necessary, and stores them in
// `entered`. Calls that are still open get their stacks as places. False: no memory.
bool xray_stacks_of_batch(struct xray_stack_tree *tree, struct xray_match *match,
                          const struct xray_batch *batch, uint32_t entered[XRAY_BATCH]);

// The stack of a call with this place, which may be the number of an entry of the batch. That is
// unpredictable, so both are loaded.
static ALWAYS_INLINE uint32_t xray_stack_of(const uint32_t entered[XRAY_BATCH], uint32_t place)
{
    uint32_t stack = entered[place % XRAY_BATCH];
    return place & XRAY_SLOT_NEW ? stack : place;
}

// Makes node 0 of an empty tree. False: no memory.
bool xray_stacks_begin(struct xray_stack_tree *tree);

// Adds all stacks of `other` to `tree`. False: no memory.
bool xray_stacks_merge(struct xray_stack_tree *tree, const struct xray_stack_tree *other);

// Makes the links of a complete tree. False: no memory.
bool xray_stacks_link(struct xray_stack_tree *tree);

void xray_stacks_free(struct xray_stack_tree *tree);

#endif
