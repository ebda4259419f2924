#include "idx/steps.h"

#include "idx/varint.h"

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

// The columns of lines and of positions, of which either is wanted if it has an output.
enum { LINES, POSITIONS, TEXT_KINDS };

static const enum segment_part text_parts[] = {PART_LINE, PART_POSITION};
static const enum segment_part more_parts[] = {PART_STEP_MORE_LINES, PART_STEP_MORE_BYTES};

// Writes lines and positions of rows from a multiple of STEP_ANCHOR on, at most COLUMN_BLOCK, that
// are wanted (not NULL), and for each row with another step than usual what it has more.
static enum status walk_rows(struct trawl_index *index, struct segment_view *view, uint64_t from,
                             size_t count, uint64_t *const out[TEXT_KINDS], struct error *err)
{
    uint32_t numbers[COLUMN_BLOCK];
    uint64_t rows[COLUMN_BLOCK], values[COLUMN_BLOCK], anchors[COLUMN_BLOCK / STEP_ANCHOR];
    const uint64_t *known = view->step_pcs;
    const struct column *pcs = segment_column(index, view, PART_PC, err);
    const struct column *exceptions =
        pcs ? segment_column(index, view, PART_STEP_EXCEPTIONS, err) : NULL;
    uint64_t first = 0, end;
    if (!exceptions)
        return STATUS_DAMAGED;
    if (!column_read(pcs, from, count, values))
        return damaged(index, err);
    for (size_t i = 0; i < count; i++) {
        // Most instructions are followed by the one that was first seen after them.
        uint32_t number = i ? numbers[i - 1] + 1 : 0;
        if (number >= view->step_count || known[number] != values[i]) {
            const uint64_t hash = hash_key(&view->step_numbers.seed, values[i]);
            HASH_INDEX_FIND(number, &view->step_numbers, hash, known[candidate] == values[i]);
            if (number == HASH_INDEX_NONE)
                return damaged(index, err);
        }
        numbers[i] = number;
    }
    if ((from && !column_search(exceptions, 0, exceptions->count, from - 1, &first)) ||
        !column_search(exceptions, first, exceptions->count, from + count - 1, &end) ||
        end - first > count || !column_read_rising(exceptions, first, (size_t)(end - first), rows))
        return damaged(index, err);
    for (unsigned what = LINES; what < TEXT_KINDS; what++) {
        const uint64_t *usual = known + (1 + what) * view->step_count;
        if (!out[what])
            continue;
        const struct column *column = segment_column(index, view, text_parts[what], err);
        const struct column *more =
            column ? segment_column(index, view, more_parts[what], err) : NULL;
        if (!more)
            return STATUS_DAMAGED;
        if (more->count != exceptions->count ||
            !column_read(column, from / STEP_ANCHOR, (count + STEP_ANCHOR - 1) / STEP_ANCHOR,
                         anchors) ||
            !column_read(more, first, (size_t)(end - first), values))
            return damaged(index, err);
        size_t next = 0;
        uint64_t value = 0;
        for (size_t i = 0; i < count; i++) {
            if (i % STEP_ANCHOR == 0)
                value = anchors[i / STEP_ANCHOR];
            out[what][i] = value;
            value += usual[numbers[i]];
            if (UNLIKELY(next < end - first && rows[next] == from + i)) {
                value += unzigzag(values[next]);
                next++;
            }
        }
    }
    return STATUS_OK;
}

enum status segment_read_text(struct trawl_index *index, struct segment_view *view, uint64_t from,
                              size_t count, uint64_t *lines, uint64_t *positions, struct error *err)
{
    uint64_t *const out[TEXT_KINDS] = {lines, positions};
    for (unsigned what = LINES; what < TEXT_KINDS && !view->has_steps; what++) {
        const struct column *column =
            out[what] ? segment_column(index, view, text_parts[what], err) : NULL;
        if (out[what] && !column)
            return STATUS_DAMAGED;
        if (out[what] && !column_read(column, from, count, out[what]))
            return damaged(index, err);
    }
    if (!view->has_steps || (!lines && !positions))
        return STATUS_OK;
    enum status status = open_steps(index, view, err);
    uint64_t rows[TEXT_KINDS][COLUMN_BLOCK];
    for (size_t done = 0; status == STATUS_OK && done < count;) {
        const size_t before = (from + done) % STEP_ANCHOR;
        const size_t here = (size_t)u64_min(count - done, COLUMN_BLOCK - before);
        status = walk_rows(
            index, view, from + done - before, before + here,
            (uint64_t *const[]){lines ? rows[LINES] : NULL, positions ? rows[POSITIONS] : NULL},
            err);
        for (unsigned what = LINES; what < TEXT_KINDS && status == STATUS_OK; what++) {
            if (out[what])
                memcpy(out[what] + done, rows[what] + before, here * sizeof **out);
        }
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
    const bool are_lines = part == PART_LINE;
    enum status status = segment_read_text(index, view, from, count, are_lines ? rows : NULL,
                                           are_lines ? NULL : rows, err);
    *row = from;
    for (size_t i = 1; status == STATUS_OK && i < count && rows[i] <= wanted; i++)
        *row = from + i;
    return status;
}
