#include "diff/lane_diff.h"

#include "base/hash_index.h"
#include "base/vec.h"

#include <stdlib.h>

// --- Nearby --------------------------------------------------------------------------------------

// Where two sequences come together again, nearby: the shortest edit script by E. Myers' greedy
// algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986), forward from where they
// diverge, until a run is long enough for the number of edits.

// The most edits, and the number of keys examined.
#define NEAR_EDITS 256
#define NEAR_WINDOW 8192

struct near_search {
    uint64_t windows[2][NEAR_WINDOW];
    size_t counts[2];
    bool is_whole[2]; // the window reaches the end of the source
    // How far each number of edits reaches along each diagonal: row `edits` has 2 * edits + 1.
    uint32_t reached[(NEAR_EDITS + 1) * (NEAR_EDITS + 1)];
    // The script, from its end.
    struct near_step {
        bool is_b;     // of the edits
        uint32_t same; // keys after the edit
    } steps[NEAR_EDITS + 1];
};

// A run after an edit must have at least NEAR_RUN_MIN keys, and RUN_PER_EDIT for each edit: shorter
// ones may be chance, because loops and small functions repeat everywhere.
enum { NEAR_RUN_MIN = 64, RUN_PER_EDIT = 4 };

// A script with the most edits allowed is accepted if it covers this many keys of both per edit.
enum { REACHED_PER_EDIT = 4 };

// Most differences are small: a small search first, then the full one.
static const struct {
    unsigned edits;
    size_t window;
} rounds[] = {{24, 512}, {NEAR_EDITS, NEAR_WINDOW}};

// Diagonal k, from -edits to edits, pairs key x of A with key x - k of B.
static uint32_t *row_of(struct near_search *search, unsigned edits)
{
    return search->reached + (size_t)edits * edits + edits; // its middle, k = 0
}

static enum status fill(struct near_search *search, const struct key_source sources[2],
                        const uint64_t at[2], const uint64_t limits[2], size_t window,
                        struct error *err)
{
    enum status status = STATUS_OK;
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        size_t wanted = (size_t)u64_min(limits[side], window);
        status = key_source_copy(&sources[side], at[side], search->windows[side], wanted,
                                 &search->counts[side], err);
        search->is_whole[side] = search->counts[side] < window || limits[side] == window;
    }
    return status;
}

enum edit { EDIT_NONE, EDIT_A, EDIT_B };

// The last of `edits` edits on the way to diagonal k, and how far that gets before the run after
// it. EDIT_NONE: nothing within the windows leads there.
static enum edit last_edit(struct near_search *search, unsigned edits, int k, uint32_t *x)
{
    const uint32_t *before = row_of(search, edits - 1);
    int most = (int)edits - 1;
    bool has_a = k - 1 >= -most && before[k - 1] != UINT32_MAX && before[k - 1] < search->counts[0];
    bool has_b = k + 1 <= most && before[k + 1] != UINT32_MAX &&
                 (int64_t)before[k + 1] - (k + 1) < (int64_t)search->counts[1];
    uint32_t by_a = has_a ? before[k - 1] + 1 : 0, by_b = has_b ? before[k + 1] : 0;
    bool is_a = has_a && (!has_b || by_a > by_b);
    *x = is_a ? by_a : by_b;
    return is_a ? EDIT_A : has_b ? EDIT_B : EDIT_NONE;
}

static uint32_t run_from(const struct near_search *search, uint32_t x, int k)
{
    uint32_t y = (uint32_t)((int64_t)x - k), start = x;
    while (x < search->counts[0] && y < search->counts[1] &&
           search->windows[0][x] == search->windows[1][y]) {
        x++;
        y++;
    }
    return x - start;
}

static bool is_diagonal_at_end(const struct near_search *search, uint32_t x, int k)
{
    return search->is_whole[0] && search->is_whole[1] && x == search->counts[0] &&
           (int64_t)x - k == (int64_t)search->counts[1];
}

// The end of the script that reaches furthest, if that is far for its number of edits.
static bool is_progress(struct near_search *search, unsigned edits, int *found)
{
    const uint32_t *row = row_of(search, edits);
    int64_t best = 0;
    for (int k = -(int)edits; k <= (int)edits; k += 2) {
        int64_t reached = row[k] == UINT32_MAX ? 0 : 2 * (int64_t)row[k] - k;
        if (reached > best) {
            best = reached;
            *found = k;
        }
    }
    return best >= (int64_t)REACHED_PER_EDIT * edits;
}

// The number of edits of the chosen script, and the diagonal where it ends. 0: there is none.
static unsigned search_script(struct near_search *search, unsigned edits_max, int *found)
{
    row_of(search, 0)[0] = run_from(search, 0, 0);
    for (unsigned edits = 1; edits <= edits_max; edits++) {
        uint32_t *row = row_of(search, edits);
        uint32_t wanted = RUN_PER_EDIT * edits > NEAR_RUN_MIN ? RUN_PER_EDIT * edits : NEAR_RUN_MIN;
        for (int k = -(int)edits; k <= (int)edits; k += 2) {
            uint32_t x;
            row[k] = UINT32_MAX;
            if (last_edit(search, edits, k, &x) == EDIT_NONE)
                continue;
            uint32_t run = run_from(search, x, k);
            row[k] = x + run;
            *found = k;
            if (run >= wanted || is_diagonal_at_end(search, x + run, k))
                return edits;
        }
    }
    return edits_max == NEAR_EDITS && is_progress(search, edits_max, found) ? edits_max : 0;
}

// Whether all edits are on one side and can be put together at the beginning: of equally short
// scripts, this is the one that people expect.
static bool is_block(const struct near_search *search, unsigned edits, int k, uint32_t end)
{
    int longer = k < 0; // the side with more keys
    size_t same = longer ? end : end - edits;
    if ((unsigned)(k < 0 ? -k : k) != edits)
        return false;
    return memcmp(search->windows[!longer], search->windows[longer] + edits,
                  same * sizeof(uint64_t)) == 0;
}

// The steps of the script that ends on diagonal k, from the last to the first.
static void trace_back(struct near_search *search, unsigned edits, int k)
{
    uint32_t end_of_all = row_of(search, edits)[k];
    if (is_block(search, edits, k, end_of_all)) {
        for (unsigned i = 1; i <= edits; i++)
            search->steps[i] = (struct near_step){k < 0, 0};
        search->steps[edits].same = k < 0 ? end_of_all : end_of_all - edits;
        return;
    }
    for (unsigned left = edits; left; left--) {
        uint32_t end = row_of(search, left)[k], x;
        bool is_b = last_edit(search, left, k, &x) == EDIT_B;
        search->steps[left] = (struct near_step){is_b, end - x};
        k += is_b ? 1 : -1;
    }
}

static enum status tell(struct near_search *search, unsigned edits,
                        const struct alignment_sink *sink, uint64_t at[2], struct error *err)
{
    enum status status = STATUS_OK;
    for (unsigned i = 1; i <= edits && status == STATUS_OK;) {
        uint64_t counts[2] = {0, 0};
        do {
            counts[search->steps[i].is_b]++;
        } while (!search->steps[i].same && ++i <= edits);
        status = sink->apart(sink->self, at, counts, false, err);
        at[0] += counts[0];
        at[1] += counts[1];
        if (i > edits)
            break;
        uint64_t same = search->steps[i++].same;
        if (status == STATUS_OK)
            status = sink->same(sink->self, at, same, err);
        at[0] += same;
        at[1] += same;
    }
    return status;
}

// Examines up to `limits` keys of each from `at` on, and at most NEAR_WINDOW. *is_found: the result
// went to the sink, and `at` is after it; otherwise nothing has changed.
static enum status near_resume(struct near_search *search, const struct key_source sources[2],
                               const struct alignment_sink *sink, uint64_t at[2],
                               const uint64_t limits[2], bool *is_found, struct error *err)
{
    *is_found = false;
    for (size_t i = 0; i < ARRAY_COUNT(rounds); i++) {
        int k = 0;
        enum status status = fill(search, sources, at, limits, rounds[i].window, err);
        unsigned edits = status == STATUS_OK ? search_script(search, rounds[i].edits, &k) : 0;
        if (status != STATUS_OK)
            return status;
        if (!edits)
            continue;
        *is_found = true;
        trace_back(search, edits, k);
        return tell(search, edits, sink, at, err);
    }
    return STATUS_OK;
}

// --- Further away --------------------------------------------------------------------------------

// Where two sequences come together again, further away: runs of keys that both contain, and the
// heaviest chain of such runs.

// The most runs that are considered, and how much of each counts in either direction.
#define FAR_RUNS 1024
#define FAR_RUN_KEYS 4096

struct far_run {
    uint64_t at[2];
    uint64_t count; // examined so far; the run may be longer
};

struct far_table;

struct far_search {
    struct far_table *tables[2];
    struct far_run runs[FAR_RUNS]; // the chain: rising on both sides, without overlap
    size_t run_count;
};

// Runs are found by hashes of GRAM keys; shorter ones than FAR_RUN_MIN keys do not count.
enum { GRAM = 16, FAR_RUN_MIN = 24 };

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

static enum status far_open(struct far_search *search, struct error *err)
{
    for (int side = 0; side < 2; side++) {
        search->tables[side] = malloc(sizeof *search->tables[side]);
        if (!search->tables[side])
            return error_set(err, STATUS_MEMORY, "no memory for the comparison");
        search->tables[side]->seed = hash_seed_new();
    }
    return STATUS_OK;
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
            if (done + 1 >= GRAM && !(final >> 1 & skipped)) {
                // Keeps the first place of a hash.
                uint64_t place = done + 1 - GRAM;
                uint64_t slot = hash_key(&table->seed, final) & (SLOTS - 1);
                while (table->hashes[slot] && table->hashes[slot] != final)
                    slot = (slot + 1) & (SLOTS - 1);
                if (!table->hashes[slot] && table->count < SLOTS / 2) {
                    table->hashes[slot] = final;
                    table->places[slot] = place;
                    table->count++;
                }
            }
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
        if (run.count >= FAR_RUN_MIN)
            search->runs[search->run_count++] = run;
        if (budget < run.count + GRAM)
            break;
        budget -= run.count + GRAM;
    }
    return STATUS_OK;
}

// --- The chain -----------------------------------------------------------------------------------

ORDER_BY_2(compare_runs, struct far_run, at[0], at[1])

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
            if (left >= FAR_RUN_MIN && weights[k] + left > weights[i]) {
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

// --- The chain, and the run along it -------------------------------------------------------------

// Finds the chain from two places on. No runs: the rest of the sources has none.
static enum status far_find(struct far_search *search, const struct key_source sources[2],
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

// --- The alignment -------------------------------------------------------------------------------

struct alignment {
    const struct key_source *sources;
    const struct alignment_sink *sink;
    uint64_t at[2];
    struct near_search *near;
    struct far_search far;
    size_t next; // of the runs that `far` found
};

// The part of run `next` that is still ahead of the alignment. Runs that are not ahead are skipped.
static bool next_run(struct alignment *alignment, struct far_run *run)
{
    for (; alignment->next < alignment->far.run_count; alignment->next++) {
        uint64_t lost = 0;
        *run = alignment->far.runs[alignment->next];
        for (int side = 0; side < 2; side++) {
            if (alignment->at[side] > run->at[side])
                lost = u64_max(lost, alignment->at[side] - run->at[side]);
        }
        if (lost >= run->count)
            continue;
        run->at[0] += lost;
        run->at[1] += lost;
        run->count -= lost;
        return true;
    }
    return false;
}

// Advances over keys that are equal, at most `most`.
static enum status keep_same(struct alignment *alignment, uint64_t most, uint64_t *same,
                             struct error *err)
{
    enum status status = key_sources_same(alignment->sources, alignment->at, most, same, err);
    if (status == STATUS_OK && *same)
        status = alignment->sink->same(alignment->sink->self, alignment->at, *same, err);
    alignment->at[0] += *same;
    alignment->at[1] += *same;
    return status;
}

static enum status part(struct alignment *alignment, const uint64_t until[2], bool is_rough,
                        struct error *err)
{
    const uint64_t counts[2] = {until[0] - alignment->at[0], until[1] - alignment->at[1]};
    if (!counts[0] && !counts[1])
        return STATUS_OK;
    enum status status = alignment->sink->apart(alignment->sink->self, alignment->at, counts,
                                                is_rough && counts[0] && counts[1], err);
    alignment->at[0] = until[0];
    alignment->at[1] = until[1];
    return status;
}

// Advances to a run, over what is before it: in detail as far as possible.
static enum status go_to(struct alignment *alignment, const struct far_run *run, struct error *err)
{
    bool is_found = true;
    enum status status = STATUS_OK;
    while (is_found && status == STATUS_OK && alignment->at[0] < run->at[0] &&
           alignment->at[1] < run->at[1]) {
        const uint64_t limits[2] = {run->at[0] - alignment->at[0], run->at[1] - alignment->at[1]};
        uint64_t same;
        status = keep_same(alignment, u64_min(limits[0], limits[1]), &same, err);
        if (status == STATUS_OK && same < limits[0] && same < limits[1]) {
            const uint64_t left[2] = {limits[0] - same, limits[1] - same};
            status = near_resume(alignment->near, alignment->sources, alignment->sink,
                                 alignment->at, left, &is_found, err);
        }
    }
    return status == STATUS_OK ? part(alignment, run->at, true, err) : status;
}

// Realigns the two at keys that differ.
static enum status resume(struct alignment *alignment, bool *is_over, struct error *err)
{
    static const uint64_t no_limits[2] = {UINT64_MAX, UINT64_MAX};
    struct far_run run;
    bool is_found;
    enum status status = near_resume(alignment->near, alignment->sources, alignment->sink,
                                     alignment->at, no_limits, &is_found, err);
    if (status != STATUS_OK || is_found)
        return status;
    if (!next_run(alignment, &run)) {
        status = far_find(&alignment->far, alignment->sources, alignment->at, err);
        alignment->next = 0;
        if (status != STATUS_OK)
            return status;
        *is_over = !next_run(alignment, &run);
    }
    return *is_over ? STATUS_OK : go_to(alignment, &run, err);
}

static enum status walk(struct alignment *alignment, struct error *err)
{
    bool is_over = false;
    enum status status = STATUS_OK;
    while (!is_over && status == STATUS_OK) {
        uint64_t same;
        status = keep_same(alignment, UINT64_MAX, &same, err);
        for (int side = 0; side < 2 && status == STATUS_OK && !is_over; side++) {
            const struct key_source *source = &alignment->sources[side];
            const uint64_t *keys;
            size_t count;
            status = source->read(source->self, alignment->at[side], &keys, &count, err);
            is_over = status == STATUS_OK && !count;
        }
        if (status == STATUS_OK && !is_over)
            status = resume(alignment, &is_over, err);
    }
    uint64_t ends[2];
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        status = key_source_count(&alignment->sources[side], alignment->at[side], &ends[side], err);
    return status == STATUS_OK ? part(alignment, ends, true, err) : status;
}

enum status alignment_run(const struct key_source sources[2], const struct alignment_sink *sink,
                          struct error *err)
{
    struct alignment alignment = {
        .sources = sources, .sink = sink, .near = malloc(sizeof *alignment.near)};
    enum status status = far_open(&alignment.far, err);
    if (status == STATUS_OK && !alignment.near)
        status = error_set(err, STATUS_MEMORY, "no memory for the comparison");
    if (status == STATUS_OK)
        status = walk(&alignment, err);
    free(alignment.far.tables[0]);
    free(alignment.far.tables[1]);
    free(alignment.near);
    return status;
}
