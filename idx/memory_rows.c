#include "idx/memory_rows.h"

static enum status damaged_memory(const struct memory_rows *rows, struct error *err)
{
    return index_damaged(rows->index, "memory of a segment", err);
}

// Opens the columns of records; many searches for words end without them.
static enum status open_records(struct memory_rows *rows, struct segment_view *view,
                                struct error *err)
{
    struct trawl_index *index = rows->index;
    rows->starts = segment_column(index, view, PART_MEMORY_STARTS, err);
    rows->events = segment_column(index, view, PART_MEMORY_EVENTS, err);
    rows->kinds = segment_column(index, view, PART_MEMORY_KINDS, err);
    rows->values = segment_column(index, view, PART_MEMORY_VALUES, err);
    rows->touched = segment_column(index, view, PART_MEMORY_TOUCHED, err);
    if (!rows->starts || !rows->events || !rows->kinds || !rows->values || !rows->touched)
        return STATUS_DAMAGED;
    return rows->starts->count == rows->words->count && rows->kinds->count == rows->events->count
               ? STATUS_OK
               : damaged_memory(rows, err);
}

enum status memory_rows_find(struct trawl_index *index, uint64_t segment, uint64_t first,
                             uint64_t last, struct memory_rows *rows, struct error *err)
{
    uint64_t found;
    struct segment_view *view = index_segment(index, segment, err);
    rows->index = index;
    rows->segment = segment;
    rows->first_event = segment * index->identity[IDENTITY_SEGMENT_EVENTS];
    rows->event_count = view ? index_segment_events(index, segment) : 0;
    rows->first = first;
    rows->last = last;
    rows->count = rows->run_count = 0;
    rows->at = rows->end = 0;
    rows->words = view ? segment_column(index, view, PART_MEMORY_WORDS, err) : NULL;
    if (!rows->words)
        return STATUS_DAMAGED;
    if (!column_find(rows->words, 0, rows->words->count, last, &rows->end, &found))
        return damaged_memory(rows, err);
    if (!rows->end || found < first) { // often, because a node of the directory covers 16 segments
        rows->end = 0;
        return STATUS_OK;
    }
    if (last - first < MEMORY_ROWS_WORDS) // so few that lower words among them can be skipped later
        rows->at = rows->end - u64_min(rows->end, last - first + 1);
    else if (first && !column_search(rows->words, 0, rows->end, first - 1, &rows->at))
        return damaged_memory(rows, err);
    return open_records(rows, view, err);
}

// Drops the current words that are below the range. Callers refer to the remaining words by place.
// False: they are beyond the range.
static bool keep_wanted(struct memory_rows *rows)
{
    size_t lower = 0;
    while (lower < rows->count && rows->numbers[lower] < rows->first)
        lower++;
    rows->count -= lower;
    memmove(rows->numbers, rows->numbers + lower, rows->count * sizeof *rows->numbers);
    memmove(rows->from, rows->from + lower, (rows->count + 1) * sizeof *rows->from);
    return rows->count == 0 || rows->numbers[rows->count - 1] <= rows->last;
}

static bool decode(struct memory_rows *rows, uint64_t from, uint64_t to)
{
    rows->run_from = from;
    rows->run_count = to - from;
    return column_read(rows->events, from, (size_t)(to - from), rows->run_events) &&
           column_read(rows->kinds, from, (size_t)(to - from), rows->run_kinds);
}

enum status memory_rows_next(struct memory_rows *rows, struct error *err)
{
    size_t here = (size_t)u64_min(rows->end - rows->at, MEMORY_ROWS_WORDS);
    rows->count = here;
    rows->run_count = 0;
    if (!here)
        return STATUS_OK;
    bool is_last = rows->at + here == rows->words->count;
    if (!column_read_rising(rows->words, rows->at, here, rows->numbers) ||
        !column_read(rows->starts, rows->at, here + !is_last, rows->from))
        return damaged_memory(rows, err);
    if (is_last)
        rows->from[here] = rows->events->count;
    rows->at += here;
    for (size_t i = 0; i < here; i++) {
        if (rows->from[i] > rows->from[i + 1])
            return damaged_memory(rows, err);
    }
    bool is_sound = rows->from[here] <= rows->events->count && keep_wanted(rows);
    if (is_sound && rows->from[rows->count] - rows->from[0] <= MEMORY_ROWS_RUN)
        is_sound = decode(rows, rows->from[0], rows->from[rows->count]);
    return is_sound ? STATUS_OK : damaged_memory(rows, err);
}

enum status memory_rows_until(const struct memory_rows *rows, size_t i, uint64_t event,
                              uint64_t *at, struct error *err)
{
    uint64_t to = rows->from[i + 1], in_segment = event - rows->first_event;
    *at = rows->from[i];
    if (event < rows->first_event || *at == to)
        return STATUS_OK;
    if (rows->run_count && rows->run_count == rows->from[rows->count] - rows->from[0]) {
        while (*at < to && rows->run_events[*at - rows->run_from] <= in_segment)
            ++*at;
        return STATUS_OK;
    }
    return column_search(rows->events, *at, to, in_segment, at) ? STATUS_OK
                                                                : damaged_memory(rows, err);
}

static bool is_decoded(const struct memory_rows *rows, uint64_t at)
{
    return at - rows->run_from < rows->run_count; // wraps if `at` is before it
}

// Whether all values of the block of value `i` are equal. Such blocks take no bytes, so there may
// be any number of them, and they are skipped as a whole.
static bool are_alike(const struct column *column, uint64_t i, uint64_t *value)
{
    uint64_t max;
    return column_block_range(column, i / COLUMN_BLOCK, value, &max) && *value == max;
}

// Decodes record `here` of word `i` and some next to it, or moves `at` past it and others. Not
// inlined, so that the compiler can inline the loop that calls it.
__attribute__((noinline)) static bool decode_or_pass(struct memory_rows *rows, size_t i,
                                                     uint64_t here, uint8_t mask, bool stores,
                                                     bool back, uint64_t *at)
{
    const uint64_t few = MEMORY_ROWS_FEW - 1;
    // The number of records, starting at a multiple of that number and including `here` (which is
    // not decoded), that are known to be irrelevant; 0: `here` may be relevant.
    uint64_t count = 0;
    const uint64_t size = MEMORY_TOUCHED_RECORDS;
    uint64_t touched, kind;
    if (!column_get(rows->touched, here / size, &touched))
        return false;
    if (!(touched & mask))
        count = are_alike(rows->touched, here / size, &touched) ? size * COLUMN_BLOCK : size;
    else if (stores && are_alike(rows->kinds, here, &kind) && (kind & MEMORY_KIND) == MEMORY_LOAD)
        count = COLUMN_BLOCK;
    if (count) {
        *at = back ? here / count * count : (here / count + 1) * count;
        return true;
    }
    return decode(rows, back ? here - u64_min(few, here - rows->from[i]) : here,
                  back ? here + 1 : here + 1 + u64_min(few, rows->from[i + 1] - here - 1));
}

// Moves `at` past records of word `i` that touch nothing of `mask`, to a decoded one that does.
// Records that are not decoded are skipped many at a time if possible. False: damage.
static ALWAYS_INLINE bool seek(struct memory_rows *rows, size_t i, uint64_t *at, uint8_t mask,
                               bool stores, bool back)
{
    while (back ? *at > rows->from[i] : *at < rows->from[i + 1]) {
        uint64_t here = back ? *at - 1 : *at;
        if (UNLIKELY(!is_decoded(rows, here))) {
            if (!decode_or_pass(rows, i, here, mask, stores, back, at))
                return false;
            continue; // to look at it, or at the next one
        }
        if (rows->run_kinds[here - rows->run_from] & mask)
            return true;
        *at = back ? here : here + 1;
    }
    return true;
}

enum status memory_rows_seek(struct memory_rows *rows, size_t i, uint64_t at, uint8_t mask,
                             bool stores, bool back, struct memory_row *row, struct error *err)
{
    row->at = UINT64_MAX;
    if (!seek(rows, i, &at, mask, stores, back))
        return damaged_memory(rows, err);
    if (back ? at <= rows->from[i] : at >= rows->from[i + 1])
        return STATUS_OK;
    row->at = back ? at - 1 : at;
    uint64_t kind = rows->run_kinds[row->at - rows->run_from];
    uint64_t in_segment = rows->run_events[row->at - rows->run_from];
    row->event = rows->first_event + in_segment;
    row->kind = kind & MEMORY_KIND;
    row->mask = (uint8_t)kind;
    row->is_before_host_call = kind & MEMORY_BEFORE_HOST_CALL;
    row->is_outside = kind & MEMORY_OUTSIDE;
    return in_segment < rows->event_count ? STATUS_OK : damaged_memory(rows, err);
}

uint64_t memory_rows_past_alike(const struct memory_rows *rows, const struct memory_row *row,
                                bool back)
{
    uint64_t block = row->at / COLUMN_BLOCK, value;
    if (!are_alike(rows->kinds, row->at, &value) || !are_alike(rows->events, row->at, &value))
        return back ? row->at : row->at + 1;
    return back ? block * COLUMN_BLOCK : (block + 1) * COLUMN_BLOCK;
}

enum status memory_rows_value(const struct memory_rows *rows, const struct memory_row *row,
                              uint64_t *value, struct error *err)
{
    if (!column_get(rows->values, row->at, value))
        return damaged_memory(rows, err);
    *value <<= mask_shift(row->mask);
    return STATUS_OK;
}
