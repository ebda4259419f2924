#include "cmd/xray/sums.h"

#include <stdlib.h>

enum { CAPACITY_MIN = 4 };

_Static_assert(LATENCY_VALUES == LATENCY_BUCKETS,
               "the values of a row become its buckets in place");

// --- The table -----------------------------------------------------------------------------------

struct latency *latency_row(struct latency_table *table, uint64_t key)
{
    struct latency *row = latency_find(table, key);
    if (row)
        return row;
    uint64_t hash = hash_key(hash_index_seed(&table->by_key), key);
    if (table->rows.count >= HASH_INDEX_NONE || !VEC_ROOM(&table->rows, 1) ||
        !hash_index_add(&table->by_key, hash, (uint32_t)table->rows.count)) {
        table->lacks_memory = true;
        return NULL;
    }
    row = &table->rows.items[table->rows.count++];
    *row = (struct latency){.key = key, .min = UINT64_MAX};
    return row;
}

// Converts stored values into counts of buckets.
static bool turn_to_buckets(struct latency *row)
{
    uint64_t *buckets = calloc(LATENCY_BUCKETS, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < row->count; i++)
        buckets[latency_bucket(row->store[i])]++;
    free(row->store);
    row->store = buckets;
    row->capacity = LATENCY_BUCKETS;
    return true;
}

bool latency_grow(struct latency *row)
{
    if (row->count == LATENCY_VALUES)
        return turn_to_buckets(row);
    uint64_t capacity =
        u64_min(row->capacity ? row->capacity * UINT64_C(4) : CAPACITY_MIN, LATENCY_VALUES);
    uint64_t *store = realloc(row->store, capacity * sizeof *store);
    if (!store)
        return false;
    row->store = store;
    row->capacity = (uint32_t)capacity;
    return true;
}

static bool has_buckets(const struct latency *row)
{
    return row->count > LATENCY_VALUES;
}

// Both have more than LATENCY_VALUES values.
static void add_row(struct latency *to, const struct latency *from, bool has_buckets)
{
    for (size_t i = 0; i < LATENCY_BUCKETS && has_buckets; i++)
        to->store[i] += from->store[i];
    to->count += from->count;
    to->sum += from->sum;
    to->min = u64_min(to->min, from->min);
    to->max = u64_max(to->max, from->max);
}

bool latency_include(struct latency_table *table, uint64_t key, const struct latency *from)
{
    struct latency *to = latency_row(table, key);
    if (!to)
        return false;
    if (table->has_sums_only || has_buckets(from)) {
        if (!table->has_sums_only && !has_buckets(to) && !turn_to_buckets(to))
            return !(table->lacks_memory = true);
        add_row(to, from, !table->has_sums_only);
        return true;
    }
    for (size_t i = 0; i < from->count; i++)
        latency_add(table, key, from->store[i]);
    return !table->lacks_memory;
}

bool latency_merge(struct latency_table *table, struct latency_table *other)
{
    bool lacks_memory = other->lacks_memory;
    for (size_t i = 0; i < other->rows.count && !lacks_memory; i++) {
        if (!latency_include(table, other->rows.items[i].key, &other->rows.items[i]))
            break;
    }
    latency_table_free(other);
    table->lacks_memory |= lacks_memory;
    return !table->lacks_memory;
}

ORDER_BY(compare_keys, struct latency, key)

bool latency_sort(struct latency_table *table)
{
    if (!table->rows.count)
        return true;
    qsort(table->rows.items, table->rows.count, sizeof *table->rows.items, compare_keys);
    hash_index_clear(&table->by_key);
    for (size_t i = 0; i < table->rows.count; i++) {
        uint64_t hash = hash_key(&table->by_key.seed, table->rows.items[i].key);
        if (!hash_index_add(&table->by_key, hash, (uint32_t)i))
            return false;
    }
    return true;
}

void latency_table_free(struct latency_table *table)
{
    for (size_t i = 0; i < table->rows.count; i++)
        free(table->rows.items[i].store);
    free(table->rows.items);
    hash_index_free(&table->by_key);
    *table = (struct latency_table){0};
}

// --- Percentiles ---------------------------------------------------------------------------------

// Sorts with the help of `room`, which has the same size: byte by byte from the lowest, up to the
// highest byte of the maximum `max`.
static void sort_values(uint64_t *values, uint64_t *room, size_t count, uint64_t max)
{
    uint64_t *from = values, *to = room;
    for (unsigned shift = 0; shift < 64 && max >> shift; shift += 8) {
        size_t places[257] = {0};
        for (size_t i = 0; i < count; i++)
            places[(from[i] >> shift & 0xff) + 1]++;
        for (size_t i = 1; i < 256; i++)
            places[i] += places[i - 1];
        for (size_t i = 0; i < count; i++)
            to[places[from[i] >> shift & 0xff]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != values && count)
        memcpy(values, from, count * sizeof *values);
}

static struct latency_window found(uint64_t value)
{
    return (struct latency_window){.low = value};
}

// A window of `width` values, a power of two, at least 1.
static struct latency_window window_at(uint64_t low, uint64_t width, uint64_t rank, uint64_t inside)
{
    if (width == 1)
        return found(low);
    return (struct latency_window){.low = low, .width = width, .rank = rank, .inside = inside};
}

// The first of `count` counts for which the sum of it and those before it exceeds *rank, which is
// then reduced by those before it.
static size_t find_rank(const uint64_t *counts, size_t count, uint64_t *rank)
{
    size_t at = 0;
    while (at + 1 < count && counts[at] <= *rank)
        *rank -= counts[at++];
    return at;
}

static struct latency_window bucket_window(const struct latency *row, uint64_t rank)
{
    size_t bucket = find_rank(row->store, LATENCY_BUCKETS, &rank);
    unsigned octave =
        bucket < (2u << LATENCY_SUB_BITS) ? 0 : (unsigned)(bucket >> LATENCY_SUB_BITS) - 1;
    uint64_t low = (uint64_t)(bucket - ((size_t)octave << LATENCY_SUB_BITS)) << octave;
    return window_at(low, UINT64_C(1) << octave, rank, row->store[bucket]);
}

// Numbers the remaining windows, and assigns their words.
static void plan_pass(struct latency_search *search)
{
    size_t count = search->table->rows.count * LATENCY_PERCENTILES;
    search->open_windows = 0;
    for (size_t i = 0; i < count; i++) {
        if (search->windows[i].width)
            search->windows[i].number = search->open_windows++;
    }
    // The number of parts into which a window may be cut, as a power of two.
    unsigned parts_bits = LATENCY_PARTS_BITS_MAX;
    while (parts_bits > LATENCY_PARTS_BITS_MIN &&
           (search->open_windows << parts_bits) > LATENCY_COUNTS_BYTES / sizeof(uint64_t))
        parts_bits--;
    search->words = 0;
    for (size_t i = 0; i < count; i++) {
        // Decides how a window is narrowed next: the way that needs fewer words.
        struct latency_window *window = &search->windows[i];
        unsigned bits = window->width ? (unsigned)__builtin_ctzll(window->width) : 0;
        window->shift = bits > parts_bits ? bits - parts_bits : 0;
        uint64_t parts = window->width >> window->shift;
        bool ends_it = window->shift == 0 && parts <= window->inside;
        window->is_listed = !ends_it && window->inside >> parts_bits == 0;
        window->words = (size_t)(window->is_listed ? window->inside : parts);
        search->windows[i].first_word = search->words;
        search->words += search->windows[i].words;
    }
}

bool latency_search_begin(struct latency_search *search, const struct latency_table *table)
{
    *search = (struct latency_search){.table = table};
    search->windows = calloc(table->rows.count * LATENCY_PERCENTILES + 1, sizeof *search->windows);
    if (!search->windows)
        return false;
    struct latency_window *window = search->windows;
    uint64_t room[LATENCY_VALUES];
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct latency *row = &table->rows.items[i];
        if (!has_buckets(row))
            sort_values(row->store, room, (size_t)row->count, row->max);
        for (unsigned p = 0; p < LATENCY_PERCENTILES; p++, window++) {
            // Upper median, without interpolation, like llvm-xray.
            uint64_t count = row->count;
            static const unsigned hundredths[] = {50, 90, 99};
            uint64_t hundreds = count / 100, rest = count % 100;
            uint64_t rank = hundreds * hundredths[p] + rest * hundredths[p] / 100;
            if (row->count)
                *window = has_buckets(row) ? bucket_window(row, rank) : found(row->store[rank]);
        }
    }
    plan_pass(search);
    return true;
}

bool latency_search_wants_pass(const struct latency_search *search)
{
    return search->open_windows > 0;
}

bool latency_counts_begin(struct latency_counts *counts, const struct latency_search *search)
{
    counts->words = calloc(search->words, sizeof *counts->words);
    counts->filled = calloc(search->open_windows, sizeof *counts->filled);
    return counts->words && counts->filled;
}

void latency_counts_free(struct latency_counts *counts)
{
    free(counts->words);
    free(counts->filled);
    *counts = (struct latency_counts){0};
}

// `room` has twice as many places as the window has words.
static struct latency_window narrow_listed(const struct latency_window *window,
                                           const struct latency_counts *counts, unsigned workers,
                                           uint64_t *room)
{
    size_t count = 0;
    for (unsigned w = 0; w < workers; w++) {
        const uint64_t *words = counts[w].words + window->first_word;
        for (size_t i = 0; i < counts[w].filled[window->number] && count < window->words; i++)
            room[count++] = words[i];
    }
    uint64_t greatest = 0;
    for (size_t i = 0; i < count; i++)
        greatest = u64_max(greatest, room[i]);
    sort_values(room, room + window->words, count, greatest);
    // Fewer than in earlier passes: the log was changed, which the mapping detects.
    return found(count ? room[u64_min(window->rank, count - 1)] : window->low);
}

static struct latency_window narrow_counted(const struct latency_window *window,
                                            const struct latency_counts *counts, unsigned workers,
                                            uint64_t *room)
{
    uint64_t rank = window->rank;
    memset(room, 0, window->words * sizeof *room);
    for (unsigned w = 0; w < workers; w++) {
        const uint64_t *words = counts[w].words + window->first_word;
        for (size_t i = 0; i < window->words; i++)
            room[i] += words[i];
    }
    size_t part = find_rank(room, window->words, &rank);
    return window_at(window->low + ((uint64_t)part << window->shift), UINT64_C(1) << window->shift,
                     rank, room[part]);
}

bool latency_search_narrow(struct latency_search *search, const struct latency_counts *counts,
                           unsigned workers)
{
    uint64_t *room = calloc((size_t)2 << LATENCY_PARTS_BITS_MAX, sizeof *room);
    for (size_t i = 0; i < search->table->rows.count * LATENCY_PERCENTILES && room; i++) {
        struct latency_window *window = &search->windows[i];
        if (window->width)
            *window = window->is_listed ? narrow_listed(window, counts, workers, room)
                                        : narrow_counted(window, counts, workers, room);
    }
    free(room);
    plan_pass(search);
    return room != NULL;
}

void latency_search_end(struct latency_search *search, struct latency_table *table)
{
    for (size_t i = 0; i < table->rows.count && search->windows; i++) {
        for (unsigned p = 0; p < LATENCY_PERCENTILES; p++)
            table->rows.items[i].percentiles[p] = search->windows[i * LATENCY_PERCENTILES + p].low;
    }
    free(search->windows);
    *search = (struct latency_search){0};
}
