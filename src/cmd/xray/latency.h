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
#ifndef TRAWL_CMD_XRAY_LATENCY_H
#define TRAWL_CMD_XRAY_LATENCY_H

#include "base/hash_index.h"
#include "base/vec.h"

#define LATENCY_VALUES 976 // as many words as there are buckets
#define LATENCY_SUB_BITS 4
#define LATENCY_BUCKETS ((64 - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

enum { LATENCY_MEDIAN, LATENCY_P90, LATENCY_P99, LATENCY_PERCENTILES };

struct latency {
    uint64_t key;
    uint64_t count, sum, min, max; // the sum wraps around
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

// Adds a call, and returns its row. NULL: no memory; then table->lacks_memory is set.
static ALWAYS_INLINE struct latency *latency_add(struct latency_table *table, uint64_t key,
                                                 uint64_t ticks)
{
    struct latency *row = latency_find(table, key);
    if (UNLIKELY(!row) && !(row = latency_row(table, key)))
        return NULL;
    if (!table->has_sums_only && UNLIKELY(!latency_store(row, ticks))) {
        table->lacks_memory = true;
        return NULL;
    }
    row->count++;
    row->sum += ticks;
    row->min = u64_min(row->min, ticks);
    row->max = u64_max(row->max, ticks);
    return row;
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

#endif
