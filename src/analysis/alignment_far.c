#include "analysis/alignment_far.h"

#include "base/hash_seed.h"
#include "base/vec.h"

#include <stdlib.h>

// Runs are found by hashes of GRAM keys; shorter ones than RUN_MIN keys do not count.
enum { GRAM = 16, RUN_MIN = 24 };

// The first window. In windows of more than SAMPLES keys, only about that many hashes are looked
// at: those divisible by a number that achieves it, so both sequences use the same hashes, wherever
// they are.
#define WINDOW_MIN (UINT64_C(1) << 14)
#define SAMPLES (UINT64_C(1) << 16)

// Slots of a table, at most half of them filled: further hashes are left out.
#define SLOTS (SAMPLES * 4)

// Keys that are compared to verify runs, for each key of the window.
#define COMPARED_PER_KEY 16

// Places of recent runs, by their diagonals.
#define RECENT 256

struct far_table {
    struct hash_seed seed;  // of slots; the result does not depend on it
    uint64_t hashes[SLOTS]; // 0: free
    uint64_t places[SLOTS]; // of the first, from where the search began
    uint64_t count;
};

struct candidate {
    uint64_t at[2]; // from where the search began
};

enum status far_open(struct far_search *search, struct error *err)
{
    for (int side = 0; side < 2; side++) {
        search->tables[side] = malloc(sizeof *search->tables[side]);
        if (!search->tables[side])
            return error_set(err, STATUS_MEMORY, "no memory for the comparison");
        search->tables[side]->seed = hash_seed_new();
    }
    return STATUS_OK;
}

void far_close(struct far_search *search)
{
    free(search->tables[0]);
    free(search->tables[1]);
}

// --- Hashes --------------------------------------------------------------------------------------

static uint64_t mixed(uint64_t key)
{
    key *= UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 32;
    key *= UINT64_C(0xd6e8feb86659fd93);
    return key ^ key >> 29;
}

static uint64_t rotated(uint64_t value, unsigned by)
{
    return by ? value << by | value >> (64 - by) : value;
}

// Keeps the first place of a hash.
static void keep(struct far_table *table, uint64_t hash, uint64_t place)
{
    uint64_t slot = hash_key(&table->seed, hash) & (SLOTS - 1);
    while (table->hashes[slot] && table->hashes[slot] != hash)
        slot = (slot + 1) & (SLOTS - 1);
    if (table->hashes[slot] || table->count >= SLOTS / 2)
        return;
    table->hashes[slot] = hash;
    table->places[slot] = place;
    table->count++;
}

static bool find(const struct far_table *table, uint64_t hash, uint64_t *place)
{
    uint64_t slot = hash_key(&table->seed, hash) & (SLOTS - 1);
    while (table->hashes[slot] && table->hashes[slot] != hash)
        slot = (slot + 1) & (SLOTS - 1);
    *place = table->places[slot];
    return table->hashes[slot] != 0;
}

// Fills a table from the keys of a window. *whole: it goes to the end of the source.
static enum status sample(struct far_table *table, const struct key_source *source, uint64_t at,
                          uint64_t window, bool *is_whole, struct error *err)
{
    uint64_t ring[GRAM] = {0}, hash = 0, done = 0;
    uint64_t skipped = window > SAMPLES ? window / SAMPLES - 1 : 0;
    memset(table->hashes, 0, sizeof table->hashes);
    table->count = 0;
    *is_whole = false;
    while (done < window) {
        const uint64_t *keys;
        size_t count;
        enum status status = source->read(source->self, at + done, &keys, &count, err);
        if (status != STATUS_OK)
            return status;
        *is_whole = !count;
        if (!count)
            break;
        count = (size_t)u64_min(count, window - done);
        for (size_t i = 0; i < count; i++, done++) {
            uint64_t key = mixed(keys[i]);
            // The key that leaves has been rotated GRAM times.
            hash = rotated(hash, 1) ^ rotated(ring[done % GRAM], GRAM) ^ key;
            ring[done % GRAM] = key;
            uint64_t final = mixed(hash) | 1;
            if (done + 1 >= GRAM && !(final >> 1 & skipped))
                keep(table, final, done + 1 - GRAM);
        }
    }
    return STATUS_OK;
}

// --- Runs ----------------------------------------------------------------------------------------

VEC(candidates, struct candidate);

static int compare_candidates(const void *a_item, const void *b_item)
{
    const struct candidate *a = a_item, *b = b_item;
    uint64_t a_sum = a->at[0] + a->at[1], b_sum = b->at[0] + b->at[1];
    if (a_sum != b_sum)
        return a_sum < b_sum ? -1 : 1;
    return (a->at[0] > b->at[0]) - (a->at[0] < b->at[0]);
}

// The places of hashes that are in both tables, the nearest first.
static enum status pair_up(const struct far_search *search, struct candidates *candidates,
                           struct error *err)
{
    const struct far_table *a = search->tables[0];
    for (uint64_t slot = 0; slot < SLOTS; slot++) {
        uint64_t place;
        if (!a->hashes[slot] || !find(search->tables[1], a->hashes[slot], &place))
            continue;
        if (!VEC_ROOM(candidates, 1))
            return error_set(err, STATUS_MEMORY, "no memory for the comparison");
        candidates->items[candidates->count++] = (struct candidate){{a->places[slot], place}};
    }
    if (candidates->count)
        qsort(candidates->items, candidates->count, sizeof *candidates->items, compare_candidates);
    return STATUS_OK;
}

struct recent {
    uint64_t diagonal, end; // of A
};

// The run around a candidate, if there is one. *count: the number of keys compared.
static enum status run_at(const struct key_source sources[2], const uint64_t start[2],
                          const struct candidate *candidate, struct far_run *run, struct error *err)
{
    uint64_t at[2] = {start[0] + candidate->at[0], start[1] + candidate->at[1]}, before, after;
    uint64_t room = u64_min(candidate->at[0], candidate->at[1]);
    enum status status = key_sources_same(sources, at, FAR_RUN_KEYS, &after, err);
    *run = (struct far_run){{at[0], at[1]}, 0};
    if (status != STATUS_OK || after < GRAM)
        return status;
    status = key_sources_same_before(sources, at, u64_min(room, FAR_RUN_KEYS), &before, err);
    *run = (struct far_run){{at[0] - before, at[1] - before}, before + after};
    return status;
}

static enum status verify(struct far_search *search, const struct key_source sources[2],
                          const uint64_t start[2], uint64_t budget,
                          const struct candidates *candidates, struct error *err)
{
    struct recent recent[RECENT] = {0};
    search->run_count = 0;
    for (size_t i = 0; i < candidates->count && search->run_count < FAR_RUNS; i++) {
        const struct candidate *candidate = &candidates->items[i];
        uint64_t diagonal = candidate->at[0] - candidate->at[1];
        struct recent *last = &recent[mixed(diagonal) % RECENT];
        struct far_run run;
        if (last->diagonal == diagonal && start[0] + candidate->at[0] < last->end)
            continue;
        enum status status = run_at(sources, start, candidate, &run, err);
        if (status != STATUS_OK)
            return status;
        *last = (struct recent){diagonal, run.at[0] + run.count};
        if (run.count >= RUN_MIN)
            search->runs[search->run_count++] = run;
        if (budget < run.count + GRAM)
            break;
        budget -= run.count + GRAM;
    }
    return STATUS_OK;
}

// --- The chain -----------------------------------------------------------------------------------

static int compare_runs(const void *a_item, const void *b_item)
{
    const struct far_run *a = a_item, *b = b_item;
    if (a->at[0] != b->at[0])
        return a->at[0] < b->at[0] ? -1 : 1;
    return (a->at[1] > b->at[1]) - (a->at[1] < b->at[1]);
}

// How much of a run is left after another ends on both sides.
static uint64_t left_after(const struct far_run *before, const struct far_run *run)
{
    uint64_t lost = 0;
    for (int side = 0; side < 2; side++) {
        uint64_t end = before->at[side] + before->count;
        if (run->at[side] < before->at[side])
            return 0;
        if (end > run->at[side] && end - run->at[side] > lost)
            lost = end - run->at[side];
    }
    return run->count > lost ? run->count - lost : 0;
}

// Keeps only the chain of runs with the most keys.
static void choose_chain(struct far_search *search)
{
    uint64_t weights[FAR_RUNS];
    uint16_t before[FAR_RUNS], chain[FAR_RUNS];
    size_t count = search->run_count, best = 0, length = 0;
    struct far_run *runs = search->runs;
    if (!count)
        return;
    qsort(runs, count, sizeof *runs, compare_runs);
    for (size_t i = 0; i < count; i++) {
        weights[i] = runs[i].count;
        before[i] = FAR_RUNS;
        for (size_t k = 0; k < i; k++) {
            uint64_t left = left_after(&runs[k], &runs[i]);
            if (left >= RUN_MIN && weights[k] + left > weights[i]) {
                weights[i] = weights[k] + left;
                before[i] = (uint16_t)k;
            }
        }
        if (weights[i] > weights[best])
            best = i;
    }
    for (size_t i = best; i < FAR_RUNS; i = before[i])
        chain[length++] = (uint16_t)i;
    for (size_t i = 0; i < length; i++) // the first have the lowest numbers
        runs[i] = runs[chain[length - 1 - i]];
    search->run_count = length;
}

// -------------------------------------------------------------------------------------------------

enum status far_find(struct far_search *search, const struct key_source sources[2],
                     const uint64_t at[2], struct error *err)
{
    struct candidates candidates = {0};
    bool is_whole[2] = {false, false};
    enum status status = STATUS_OK;
    search->run_count = 0;
    for (uint64_t window = WINDOW_MIN;
         status == STATUS_OK && !search->run_count && !(is_whole[0] && is_whole[1]); window *= 4) {
        for (int side = 0; side < 2 && status == STATUS_OK; side++)
            status = sample(search->tables[side], &sources[side], at[side], window, &is_whole[side],
                            err);
        candidates.count = 0;
        if (status == STATUS_OK)
            status = pair_up(search, &candidates, err);
        if (status == STATUS_OK)
            status = verify(search, sources, at, window * COMPARED_PER_KEY, &candidates, err);
        if (status == STATUS_OK)
            choose_chain(search);
    }
    free(candidates.items);
    return status;
}
