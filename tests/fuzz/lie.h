// An index that lies: a trace is indexed, values in columns and directories of the index are
// changed, and everything is joined again with correct checksums.
#ifndef TRAWL_TESTS_FUZZ_LIE_H
#define TRAWL_TESTS_FUZZ_LIE_H

#include "draft.h"
#include "indexed.h"

enum { EDITS_MAX = 8, EDIT_BYTES = 8, TRACE_BYTES_MAX = 1 << 15, SEGMENT_EVENTS = 7 };

// A longer trace has a segment with enough events for steps by PC.
enum { LONG_TRACE_BYTES = 8192, LONG_SEGMENT_EVENTS = 1000 };

// --- The base ------------------------------------------------------------------------------------

static inline struct draft *make_draft(const uint8_t *data, size_t size_bytes)
{
    struct draft *draft = NULL;
    const struct indexed_way way = {
        .threads = 1,
        .chunk_bytes = 1 << 20,
        .segment_events = size_bytes > LONG_TRACE_BYTES ? LONG_SEGMENT_EVENTS : SEGMENT_EVENTS,
        .simd = SIMD_SCALAR};
    struct trace *trace = indexed_trace(fuzz_file(data, size_bytes), &way);
    if (!trace)
        return NULL;
    struct indexed index = indexed_make(trace, &way);
    trace_close(trace);
    if (index.bytes && draft_has_room(index.size_bytes))
        draft = draft_take(index.bytes, index.size_bytes);
    free(index.bytes);
    return draft;
}

// The draft of the input's trace, which is often the same as for the previous input.
static inline struct draft *base_of(const uint8_t *data, size_t size_bytes)
{
    static uint8_t last[TRACE_BYTES_MAX];
    static size_t last_bytes;
    static struct draft *base;
    if (base && size_bytes == last_bytes && memcmp(data, last, size_bytes) == 0)
        return base;
    draft_free(base);
    base = make_draft(data, size_bytes);
    memcpy(last, data, size_bytes);
    last_bytes = size_bytes;
    return base;
}

// --- Edits ---------------------------------------------------------------------------------------

static inline uint64_t special_value(const struct draft_column *column, size_t row, unsigned number)
{
    const uint64_t values[] = {0,
                               1,
                               column->count,
                               UINT64_MAX,
                               UINT64_MAX - 7,
                               UINT64_C(1) << 63,
                               UINT64_C(1) << 48,
                               UINT64_C(1) << 32,
                               UINT64_C(1) << 24,
                               column->values[row] - 1,
                               column->values[row] + 1,
                               column->values[row] * 2,
                               column->values[0],
                               column->values[column->count - 1],
                               SEGMENT_EVENTS,
                               0x2000};
    return values[number % ARRAY_COUNT(values)];
}

static inline void swap_rows(struct draft_column *column, size_t a, size_t b)
{
    uint64_t value = column->values[a];
    column->values[a] = column->values[b];
    column->values[b] = value;
}

// `more` is the rest of the edit, a number for any use.
static inline void edit_values(struct draft_column *column, unsigned what, size_t row,
                               uint32_t more)
{
    static const uint64_t counts[] = {1 << 20, 1 << 24, UINT64_C(1) << 32, UINT64_C(1) << 45,
                                      UINT64_C(1) << 48};
    size_t count = (size_t)column->count;
    switch (what) {
    case 0:
        column->values[row] = special_value(column, row, more);
        break;
    case 1:
        column->values[row] += (uint64_t)(int32_t)more;
        break;
    case 2:
        column->values[row] ^= UINT64_C(1) << more % 64;
        break;
    case 3:
        swap_rows(column, row, more % count);
        break;
    case 4:
        column->count = row; // truncated
        break;
    case 5:
        column->values = reallocarray(column->values, count + 2, sizeof *column->values);
        CLAIM(column->values);
        column->values[column->count++] = special_value(column, row, more);
        break;
    case 6:
        column->is_alike = true;
        column->values[0] = special_value(column, row, more);
        break;
    default:
        column->is_alike = true;
        column->count = counts[more % ARRAY_COUNT(counts)];
        break;
    }
}

static inline void edit_text(struct draft_column *column, size_t row, uint32_t more)
{
    if (more & 1 && column->text_bytes)
        column->text[row % column->text_bytes] = (uint8_t)(more >> 8);
    else
        column->text_bytes = row % (column->text_bytes + 1);
}

// The column to edit: any column, or (because most are columns of segments) one of a section.
static inline struct draft_column *column_of(struct draft *draft, unsigned place, bool of_section)
{
    size_t sections = draft->boxes[draft->section_count].first[0];
    size_t count = of_section && draft->segment_count ? sections : draft->column_count;
    return &draft->columns[place % (count ? count : 1)];
}

static inline void edit(struct draft *draft, const uint8_t bytes[EDIT_BYTES])
{
    unsigned what = bytes[0] & 7, place = bytes[1] | bytes[2] << 8;
    size_t row = bytes[3];
    uint32_t more;
    memcpy(&more, bytes + 4, sizeof more);
    if (bytes[0] & 0x80) { // edits the number or flags of a section, or the version
        struct draft_box *box = &draft->boxes[place % draft->section_count];
        if (bytes[0] & 0x40)
            box->section = more % 18;
        else if (bytes[0] & 0x20)
            box->flags ^= more;
        else
            draft->header[8 + row % 4] = (uint8_t)more;
        return;
    }
    struct draft_column *column = column_of(draft, place, bytes[0] & 0x40);
    column->is_lie = true;
    if (column->text)
        edit_text(column, row, more);
    else if (column->count && !column->is_alike)
        edit_values(column, what, row % (size_t)column->count, more);
}

// --- The whole -----------------------------------------------------------------------------------

// Makes the lying index of an input: the number of edits, eight bytes for each, then a trace.
// False: there is none. `bytes` is to be freed; *text: where the trace begins.
static inline bool lie_make(const uint8_t *data, size_t size_bytes, struct bytes *bytes,
                            size_t *text)
{
    if (size_bytes < 2)
        return false;
    size_t edits = data[0] % (EDITS_MAX + 1), head = 1 + edits * EDIT_BYTES;
    if (size_bytes <= head || size_bytes - head > TRACE_BYTES_MAX)
        return false;
    const struct draft *base = base_of(data + head, size_bytes - head);
    if (!base)
        return false;
    struct draft *draft = draft_copy(base);
    for (size_t i = 0; i < edits; i++)
        edit(draft, data + 1 + i * EDIT_BYTES);
    draft_build(draft, bytes);
    draft_free(draft);
    *text = head;
    return true;
}

#endif
