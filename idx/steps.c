#include "idx/steps.h"

#include <stdlib.h>

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "events of a segment", err);
}

// Reads the usual steps of PCs, unless they were read.
static enum status open_steps(struct trawl_index *index, struct segment_view *view,
                              struct error *err)
{
    struct column columns[3];
    if (view->step_pcs)
        return STATUS_OK;
    for (unsigned i = 0; i < ARRAY_COUNT(columns); i++) {
        enum status status = parts_column(&view->parts, PART_STEP_PCS + i, &columns[i], err);
        if (status != STATUS_OK)
            return index_in_file(index, status, err);
        if (columns[i].count != columns[0].count)
            return damaged(index, err);
    }
    const uint64_t count = columns[0].count;
    if (count > STEP_PCS_MAX)
        return damaged(index, err);
    uint64_t *steps = malloc((3 * (size_t)count + 1) * sizeof *steps);
    if (!steps)
        return index_no_memory(index, err);
    bool is_sound = true;
    for (unsigned i = 0; i < ARRAY_COUNT(columns); i++)
        is_sound &= column_read(&columns[i], 0, (size_t)count, steps + i * count);
    hash_index_clear(&view->step_numbers);
    const struct hash_seed *seed = hash_index_seed(&view->step_numbers);
    bool has_memory = true;
    for (uint32_t i = 0; i < count && is_sound && has_memory; i++) {
        const uint64_t hash = hash_key(seed, steps[i]);
        uint32_t same;
        HASH_INDEX_FIND(same, &view->step_numbers, hash, steps[candidate] == steps[i]);
        is_sound = same == HASH_INDEX_NONE;
        has_memory = hash_index_add(&view->step_numbers, hash, i);
    }
    if (!is_sound || !has_memory) {
        free(steps);
        return is_sound ? index_no_memory(index, err) : damaged(index, err);
    }
    view->step_pcs = steps;
    view->step_count = (size_t)count;
    return STATUS_OK;
}

// What a walk over rows needs.
struct walk {
    const struct segment_view *view;
    const struct column *anchors, *pcs;
    const struct column *exceptions, *more; // rows, and what these have more
    const uint64_t *usual;                  // the step of each PC
};

static enum status open_walk(struct trawl_index *index, struct segment_view *view,
                             enum segment_part part, struct walk *walk, struct error *err)
{
    const bool are_lines = part == PART_LINE;
    enum status status = open_steps(index, view, err);
    if (status != STATUS_OK)
        return status;
    walk->view = view;
    walk->usual = view->step_pcs + (are_lines ? 1 : 2) * view->step_count;
    walk->anchors = segment_column(index, view, part, err);
    walk->pcs = walk->anchors ? segment_column(index, view, PART_PC, err) : NULL;
    walk->exceptions = walk->pcs ? segment_column(index, view, PART_STEP_EXCEPTIONS, err) : NULL;
    const enum segment_part more = are_lines ? PART_STEP_MORE_LINES : PART_STEP_MORE_BYTES;
    walk->more = walk->exceptions ? segment_column(index, view, more, err) : NULL;
    if (!walk->more)
        return STATUS_DAMAGED;
    return walk->more->count == walk->exceptions->count ? STATUS_OK : damaged(index, err);
}

// What each of the rows [from, from + count) has more than usual. False: damage.
static bool read_more(const struct walk *walk, uint64_t from, size_t count, uint64_t *more)
{
    const struct column *exceptions = walk->exceptions;
    uint64_t first = 0, end, rows[COLUMN_BLOCK], values[COLUMN_BLOCK];
    memset(more, 0, count * sizeof *more);
    if ((from && !column_search(exceptions, 0, exceptions->count, from - 1, &first)) ||
        !column_search(exceptions, first, exceptions->count, from + count - 1, &end) ||
        end - first > count)
        return false;
    const size_t here = (size_t)(end - first);
    if (here && (!column_read_rising(exceptions, first, here, rows) ||
                 !column_read(walk->more, first, here, values)))
        return false;
    for (size_t i = 0; i < here; i++) {
        if (rows[i] - from >= count)
            return false;
        more[rows[i] - from] = values[i] >> 1 ^ -(values[i] & 1);
    }
    return true;
}

// The values of rows from a multiple of STEP_ANCHOR on, at most COLUMN_BLOCK. False: damage.
static bool walk_rows(const struct walk *walk, uint64_t from, size_t count, uint64_t *out)
{
    uint64_t anchors[COLUMN_BLOCK / STEP_ANCHOR], pcs[COLUMN_BLOCK], more[COLUMN_BLOCK];
    if (!column_read(walk->anchors, from / STEP_ANCHOR, (count + STEP_ANCHOR - 1) / STEP_ANCHOR,
                     anchors) ||
        !column_read(walk->pcs, from, count, pcs) || !read_more(walk, from, count, more))
        return false;
    const uint64_t *known = walk->view->step_pcs;
    const size_t known_count = walk->view->step_count;
    const struct hash_index *numbers = &walk->view->step_numbers;
    uint32_t number = 0;
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        // Most instructions are followed by the one that was first seen after them.
        if (++number >= known_count || known[number] != pcs[i]) {
            const uint64_t hash = hash_key(&numbers->seed, pcs[i]);
            HASH_INDEX_FIND(number, numbers, hash, known[candidate] == pcs[i]);
            if (number == HASH_INDEX_NONE)
                return false;
        }
        if (i % STEP_ANCHOR == 0)
            value = anchors[i / STEP_ANCHOR];
        out[i] = value;
        value += walk->usual[number] + more[i];
    }
    return true;
}

enum status segment_read_text(struct trawl_index *index, struct segment_view *view,
                              enum segment_part part, uint64_t from, size_t count, uint64_t *out,
                              struct error *err)
{
    if (!view->has_steps) {
        const struct column *column = segment_column(index, view, part, err);
        if (!column)
            return STATUS_DAMAGED;
        return column_read(column, from, count, out) ? STATUS_OK : damaged(index, err);
    }
    struct walk walk;
    uint64_t rows[COLUMN_BLOCK];
    enum status status = open_walk(index, view, part, &walk, err);
    for (size_t done = 0; status == STATUS_OK && done < count;) {
        const size_t before = (from + done) % STEP_ANCHOR;
        const size_t here = (size_t)u64_min(count - done, COLUMN_BLOCK - before);
        if (!walk_rows(&walk, from + done - before, before + here, rows))
            return damaged(index, err);
        memcpy(out + done, rows + before, here * sizeof *out);
        done += here;
    }
    return status;
}

enum status segment_find_text(struct trawl_index *index, struct segment_view *view,
                              enum segment_part part, uint64_t wanted, uint64_t *row,
                              struct error *err)
{
    uint64_t place, rows[STEP_ANCHOR];
    const struct column *column = segment_column(index, view, part, err);
    if (!column)
        return STATUS_DAMAGED;
    if (!column_search(column, 0, column->count, wanted, &place) || !place)
        return damaged(index, err);
    *row = place - 1;
    if (!view->has_steps)
        return STATUS_OK;
    const uint64_t from = (place - 1) * STEP_ANCHOR;
    const size_t count =
        (size_t)u64_min(index_segment_events(index, view->number) - from, STEP_ANCHOR);
    enum status status = segment_read_text(index, view, part, from, count, rows, err);
    *row = from;
    for (size_t i = 1; status == STATUS_OK && i < count && rows[i] <= wanted; i++)
        *row = from + i;
    return status;
}
