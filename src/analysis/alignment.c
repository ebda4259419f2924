#include "analysis/alignment.h"

#include "analysis/alignment_far.h"
#include "analysis/alignment_near.h"

#include <stdlib.h>

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

static enum status finish(struct alignment *alignment, struct error *err)
{
    uint64_t ends[2];
    for (int side = 0; side < 2; side++) {
        enum status status =
            key_source_count(&alignment->sources[side], alignment->at[side], &ends[side], err);
        if (status != STATUS_OK)
            return status;
    }
    return part(alignment, ends, true, err);
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

static enum status is_at_end(const struct alignment *alignment, bool *is_over, struct error *err)
{
    const uint64_t *keys;
    *is_over = false;
    for (int side = 0; side < 2 && !*is_over; side++) {
        size_t count;
        enum status status = alignment->sources[side].read(alignment->sources[side].self,
                                                           alignment->at[side], &keys, &count, err);
        if (status != STATUS_OK)
            return status;
        *is_over = !count;
    }
    return STATUS_OK;
}

static enum status walk(struct alignment *alignment, struct error *err)
{
    bool is_over = false;
    enum status status = STATUS_OK;
    while (!is_over && status == STATUS_OK) {
        uint64_t same;
        status = keep_same(alignment, UINT64_MAX, &same, err);
        if (status == STATUS_OK)
            status = is_at_end(alignment, &is_over, err);
        if (status == STATUS_OK && !is_over)
            status = resume(alignment, &is_over, err);
    }
    return status == STATUS_OK ? finish(alignment, err) : status;
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
    far_close(&alignment.far);
    free(alignment.near);
    return status;
}
