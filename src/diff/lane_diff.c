#include "diff/lane_diff.h"

#include <stdlib.h>
#include <strings.h>

static bool is_open(const struct lane_diff *diff)
{
    return diff->same_since < LANE_DIFF_GAP;
}

static enum status close_region(struct lane_diff *diff, struct error *err)
{
    if (!is_open(diff))
        return STATUS_OK;
    diff->same_since = LANE_DIFF_GAP;
    diff->regions++;
    return diff->region(diff->self, &diff->open, err);
}

static enum status event_at(struct lane_diff *diff, int side, uint64_t at, uint64_t *event,
                            struct error *err)
{
    enum status status = lane_keys_event(&diff->lanes[side], at, event, err);
    if (status != STATUS_NOT_FOUND)
        return status;
    *event = TRAWL_NONE;
    return STATUS_OK;
}

// Opens a region, or extends the open one, up to a place.
static enum status reach(struct lane_diff *diff, const uint64_t at[2], struct error *err)
{
    enum status status = STATUS_OK;
    if (!is_open(diff)) {
        diff->open = (struct lane_region){.starts = {at[0], at[1]}};
        for (int side = 0; side < 2 && status == STATUS_OK; side++)
            status = event_at(diff, side, at[side], &diff->open.events[side], err);
    }
    for (int side = 0; side < 2; side++)
        diff->open.counts[side] = at[side] - diff->open.starts[side];
    diff->same_since = 0;
    return status;
}

static enum status add_same(struct lane_diff *diff, uint64_t count, struct error *err)
{
    diff->same += count;
    if (!is_open(diff))
        return STATUS_OK;
    if (diff->same_since + count >= LANE_DIFF_GAP)
        return close_region(diff, err);
    diff->same_since += count;
    return STATUS_OK;
}

static enum status add_changed(struct lane_diff *diff, const uint64_t at[2], struct error *err)
{
    enum status status = reach(diff, at, err);
    diff->changed++;
    diff->open.changed++;
    for (int side = 0; side < 2; side++)
        diff->open.counts[side]++;
    return status;
}

// --- What instructions did -----------------------------------------------------------------------

// Reads the effects of a block of instructions on one side. With times, the first of a run has no
// time that can be compared.
static enum status read_side(struct lane_diff *diff, int side, uint64_t at, size_t count,
                             struct error *err)
{
    struct lane_effects *effects = &diff->sides[side];
    enum status status =
        lane_keys_events(&diff->lanes[side], at, count, effects->events, effects->times, err);
    if (status == STATUS_OK && diff->effects)
        return event_effects_read(&effects->effects, effects->events, count, effects->hashes, err);
    return status;
}

static bool does_same(const struct lane_diff *diff, size_t i)
{
    const struct lane_effects *a = &diff->sides[0], *b = &diff->sides[1];
    if (diff->effects && a->hashes[i] != b->hashes[i])
        return false;
    return !diff->times || !i || a->times[i] - a->times[i - 1] == b->times[i] - b->times[i - 1];
}

// How many instructions from `i` on have the same effects together, in either order; 0: those of
// the window have not.
static size_t late_run(const struct lane_diff *diff, size_t i, size_t count)
{
    uint64_t missing = 0;
    for (size_t at = i; at < count && at - i <= diff->window; at++) {
        missing += diff->sides[0].hashes[at] - diff->sides[1].hashes[at];
        if (!missing)
            return at - i + 1;
    }
    return 0;
}

// The first `skipped` were reported before: they are only there for their times. *settled: how many
// are, which are all unless the window reaches beyond the block.
static enum status compare_block(struct lane_diff *diff, const uint64_t at[2], size_t count,
                                 size_t skipped, bool is_last, size_t *settled, struct error *err)
{
    enum status status = read_side(diff, 0, at[0], count, err);
    if (status == STATUS_OK)
        status = read_side(diff, 1, at[1], count, err);
    for (size_t i = skipped, end; i < count && status == STATUS_OK; i = end) {
        *settled = i;
        for (end = i; end < count && does_same(diff, end); end++) {
        }
        if (end > i) {
            status = add_same(diff, end - i, err);
            continue;
        }
        const bool differs = diff->effects && diff->sides[0].hashes[i] != diff->sides[1].hashes[i];
        const size_t late = differs && diff->window ? late_run(diff, i, count) : 0;
        if (late) {
            diff->late += late;
            status = add_same(diff, late, err);
            end = i + late;
            continue;
        }
        if (!is_last && i > skipped && count - i <= diff->window)
            return STATUS_OK; // the next block begins here
        const uint64_t here[2] = {at[0] + i, at[1] + i};
        status = add_changed(diff, here, err);
        end++;
    }
    *settled = count;
    return status;
}

static enum status take_same(void *self, const uint64_t at[2], uint64_t count, struct error *err)
{
    struct lane_diff *diff = self;
    enum status status = STATUS_OK;
    diff->counts[0] += count;
    diff->counts[1] += count;
    if (!diff->sides)
        return add_same(diff, count, err);
    for (uint64_t done = 0; done < count && status == STATUS_OK;) {
        size_t skipped = done != 0, settled = 0;
        const uint64_t here[2] = {at[0] + done - skipped, at[1] + done - skipped};
        size_t block = (size_t)u64_min(count - done, LANE_DIFF_BLOCK - skipped);
        status = compare_block(diff, here, block + skipped, skipped, done + block == count,
                               &settled, err);
        done += settled - skipped;
    }
    return status;
}

static enum status take_apart(void *self, const uint64_t at[2], const uint64_t counts[2],
                              bool is_rough, struct error *err)
{
    struct lane_diff *diff = self;
    enum status status = reach(diff, at, err);
    for (int side = 0; side < 2; side++) {
        diff->counts[side] += counts[side];
        diff->only[side] += counts[side];
        diff->open.counts[side] += counts[side];
        diff->open.only[side] += counts[side];
    }
    diff->open.is_rough |= is_rough;
    return status;
}

static enum status open_sides(struct lane_diff *diff, const struct index_view *const views[2],
                              const uint64_t lanes[2], struct error *err)
{
    enum status status = STATUS_OK;
    const struct hash_seed seed = hash_seed_new();
    if (diff->effects || diff->times) {
        diff->sides = calloc(2, sizeof *diff->sides);
        if (!diff->sides)
            return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    }
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        if (diff->rows[side])
            lane_keys_of_rows(&diff->lanes[side], diff->rows[side], lanes[side]);
        else
            status = lane_keys_open(&diff->lanes[side], views[side], &diff->maps[side], lanes[side],
                                    diff->times, err);
        if (status == STATUS_OK && diff->sides)
            status = event_effects_open(&diff->sides[side].effects, views[side], lanes[side],
                                        diff->effects, &seed, err);
    }
    if (status != STATUS_OK || !diff->sides)
        return status;
    struct event_effects *const effects[2] = {&diff->sides[0].effects, &diff->sides[1].effects};
    for (int side = 0; side < 2; side++) {
        const char *const *name = views[side]->arch ? views[side]->arch->no_registers : NULL;
        for (; name && *name; name++)
            event_effects_ignore(effects[side], *name);
    }
    for (size_t i = 0; i < diff->ignored_count; i++) {
        const char *name = diff->ignored[i];
        if (strncasecmp(name, "csr:", 4) == 0) // as other tools write them
            name += 4;
        const bool is_known[2] = {event_effects_ignore(effects[0], name),
                                  event_effects_ignore(effects[1], name)};
        if (!is_known[0] && !is_known[1])
            return error_set(err, STATUS_INPUT, "neither trace has a register %s",
                             diff->ignored[i]);
    }
    return event_effects_share(effects, &diff->left_out, err);
}

enum status lane_diff_run(struct lane_diff *diff, const struct index_view *const views[2],
                          const uint64_t lanes[2], int *failed, struct error *err)
{
    const struct alignment_sink sink = {diff, take_same, take_apart};
    diff->same_since = LANE_DIFF_GAP;
    enum status status = open_sides(diff, views, lanes, err);
    if (status == STATUS_OK) {
        const struct key_source sources[2] = {lane_keys_source(&diff->lanes[0]),
                                              lane_keys_source(&diff->lanes[1])};
        status = alignment_run(sources, &sink, err);
    }
    if (status == STATUS_OK)
        status = close_region(diff, err);
    *failed = diff->lanes[1].has_failed || (diff->sides && diff->sides[1].effects.has_failed);
    for (int side = 0; side < 2; side++) {
        lane_keys_close(&diff->lanes[side]);
        if (diff->sides)
            event_effects_close(&diff->sides[side].effects);
    }
    free(diff->sides);
    diff->sides = NULL;
    return status;
}
