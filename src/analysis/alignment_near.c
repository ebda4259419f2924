#include "analysis/alignment_near.h"

// A run after an edit must have at least RUN_MIN keys, and RUN_PER_EDIT for each edit: shorter ones
// may be chance, because loops and small functions repeat everywhere.
enum { RUN_MIN = 64, RUN_PER_EDIT = 4 };

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

static bool is_at_end(const struct near_search *search, uint32_t x, int k)
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
        uint32_t wanted = RUN_PER_EDIT * edits > RUN_MIN ? RUN_PER_EDIT * edits : RUN_MIN;
        for (int k = -(int)edits; k <= (int)edits; k += 2) {
            uint32_t x;
            row[k] = UINT32_MAX;
            if (last_edit(search, edits, k, &x) == EDIT_NONE)
                continue;
            uint32_t run = run_from(search, x, k);
            row[k] = x + run;
            *found = k;
            if (run >= wanted || is_at_end(search, x + run, k))
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

static void step_over_block(struct near_search *search, unsigned edits, int k, uint32_t end)
{
    for (unsigned i = 1; i <= edits; i++)
        search->steps[i] = (struct near_step){k < 0, 0};
    search->steps[edits].same = k < 0 ? end : end - edits;
}

// The steps of the script that ends on diagonal k, from the last to the first.
static void trace_back(struct near_search *search, unsigned edits, int k)
{
    uint32_t end_of_all = row_of(search, edits)[k];
    if (is_block(search, edits, k, end_of_all)) {
        step_over_block(search, edits, k, end_of_all);
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

enum status near_resume(struct near_search *search, const struct key_source sources[2],
                        const struct alignment_sink *sink, uint64_t at[2], const uint64_t limits[2],
                        bool *is_found, struct error *err)
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
