// An index that was split into its columns, to be changed and joined again with correct checksums,
// sizes and positions, so that only the values of its columns are wrong.
#ifndef TRAWL_TESTS_FUZZ_DRAFT_H
#define TRAWL_TESTS_FUZZ_DRAFT_H

#include "fuzz.h"

#include "idx/column.h"
#include "idx/index_format.h"
#include "idx/parts.h"
#include "idx/varint.h"

enum { DRAFT_COLUMNS_MAX = 4096, DRAFT_BOXES_MAX = 512, DRAFT_VALUES_MAX = 4096 };

// A column, or a text if `text` is set. If `alike` is set, it claims `count` values, all equal to
// values[0].
struct draft_column {
    uint64_t *values;
    uint64_t count;
    uint8_t *text;
    size_t text_bytes;
    bool is_alike, is_lie;
};

// A group of parts: columns [first, first + count) of the draft, with `parts` of each number.
struct draft_box {
    uint32_t section; // 0: not a section
    uint32_t flags;
    size_t part_count;
    uint32_t numbers[PARTS_MAX];
    size_t first[PARTS_MAX], columns[PARTS_MAX];
};

struct draft {
    struct draft_column columns[DRAFT_COLUMNS_MAX];
    struct draft_box boxes[DRAFT_BOXES_MAX]; // sections, checkpoints, segments and groups, in this
                                             // order
    size_t column_count, section_count;
    size_t checkpoints, segments, groups, nodes; // the first box of each; for nodes, the first
                                                 // column
    size_t segment_count, group_count, node_count;
    uint8_t header[INDEX_HEADER_BYTES];
};

// --- Splitting -----------------------------------------------------------------------------------

static inline bool draft_is_text(uint32_t section, uint32_t part)
{
    switch (section) {
    case SECTION_IDENTITY:
    case SECTION_MESSAGES:
        return part == 2;
    case SECTION_LANES:
    case SECTION_TFILE:
    case SECTION_LAYOUT:
    case SECTION_SOURCE_LINES:
        return part == 1;
    case SECTION_SYMBOLS:
        return part <= 2;
    default:
        return false;
    }
}

// Returns the number of bytes of the column.
static inline size_t draft_take_column(struct draft *draft, const uint8_t *bytes, size_t size_bytes)
{
    struct column column;
    CLAIM(draft->column_count < DRAFT_COLUMNS_MAX);
    CLAIM(column_open(&column, SIMD_SCALAR, bytes, size_bytes, NULL) == STATUS_OK);
    struct draft_column *taken = &draft->columns[draft->column_count++];
    *taken = (struct draft_column){.count = column.count};
    taken->values = calloc((size_t)column.count + 1, sizeof *taken->values);
    CLAIM(taken->values && column.count <= DRAFT_VALUES_MAX);
    CLAIM(column_read(&column, 0, (size_t)column.count, taken->values));
    return (size_t)column.size_bytes;
}

static inline void draft_take_text(struct draft *draft, const struct part *part)
{
    CLAIM(draft->column_count < DRAFT_COLUMNS_MAX && part->size_bytes >= COLUMN_CHECK_BYTES);
    struct draft_column *taken = &draft->columns[draft->column_count++];
    size_t size_bytes = (size_t)part->size_bytes - COLUMN_CHECK_BYTES;
    *taken = (struct draft_column){.text_bytes = size_bytes};
    taken->text = (uint8_t *)fuzz_copy(part->bytes + COLUMN_CHECK_BYTES, size_bytes);
    if (!taken->text)
        CLAIM(taken->text = calloc(1, 1));
}

static inline void draft_take_box(struct draft *draft, struct draft_box *box, uint32_t section,
                                  const uint8_t *bytes, size_t size_bytes)
{
    struct parts parts;
    CLAIM(parts_open(&parts, SIMD_SCALAR, bytes, size_bytes, NULL) == STATUS_OK);
    *box = (struct draft_box){.section = section, .part_count = parts.count};
    for (size_t i = 0; i < parts.count; i++) {
        const struct part *part = &parts.items[i];
        box->numbers[i] = part->number;
        box->first[i] = draft->column_count;
        if (draft_is_text(section, part->number))
            draft_take_text(draft, part);
        else
            for (size_t at = 0; at < part->size_bytes;)
                at += draft_take_column(draft, part->bytes + at, (size_t)part->size_bytes - at);
        box->columns[i] = draft->column_count - box->first[i];
    }
}

// The only column of a part; NULL: there is no such part.
static inline struct draft_column *draft_part(struct draft *draft, size_t box, uint32_t number)
{
    for (size_t i = 0; i < draft->boxes[box].part_count; i++) {
        if (draft->boxes[box].numbers[i] == number)
            return &draft->columns[draft->boxes[box].first[i]];
    }
    return NULL;
}

static inline size_t draft_section(const struct draft *draft, uint32_t number)
{
    for (size_t i = 0; i < draft->section_count; i++) {
        if (draft->boxes[i].section == number)
            return i;
    }
    return DRAFT_BOXES_MAX;
}

// The positions and sizes that a section refers to. Returns their number.
static inline size_t draft_places(struct draft *draft, uint32_t section, uint32_t offsets,
                                  uint32_t sizes, const uint64_t **at, const uint64_t **bytes)
{
    size_t box = draft_section(draft, section);
    if (box == DRAFT_BOXES_MAX)
        return 0;
    const struct draft_column *places = draft_part(draft, box, offsets);
    *at = places->values;
    *bytes = draft_part(draft, box, sizes)->values;
    return (size_t)places->count;
}

// Adds boxes from `first` on. Returns their number.
static inline size_t draft_take_boxes(struct draft *draft, size_t first, const char *index,
                                      uint32_t section, uint32_t offsets, uint32_t sizes)
{
    const uint64_t *at, *bytes;
    size_t count = draft_places(draft, section, offsets, sizes, &at, &bytes);
    CLAIM(first + count <= DRAFT_BOXES_MAX);
    for (size_t i = 0; i < count; i++)
        draft_take_box(draft, &draft->boxes[first + i], 0, (const uint8_t *)index + at[i],
                       (size_t)bytes[i]);
    return count;
}

// Whether an index is small enough for a draft.
static inline bool draft_has_room(size_t size_bytes)
{
    return size_bytes < 60000;
}

static inline struct draft *draft_take(const char *index, size_t size_bytes)
{
    struct draft *draft = calloc(1, sizeof *draft);
    const uint64_t *at, *bytes;
    CLAIM(draft && size_bytes >= INDEX_HEADER_BYTES);
    memcpy(draft->header, index, INDEX_HEADER_BYTES);
    uint32_t sections;
    memcpy(&sections, index + 24, sizeof sections);
    draft->section_count = sections;
    for (size_t i = 0; i < sections; i++) {
        struct index_section_entry entry;
        memcpy(&entry, index + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES, sizeof entry);
        draft_take_box(draft, &draft->boxes[i], entry.number, (const uint8_t *)index + entry.offset,
                       (size_t)entry.size_bytes);
        draft->boxes[i].flags = entry.flags;
    }
    draft->checkpoints = sections;
    draft->segment_count = draft_take_boxes(draft, sections, index, SECTION_SEGMENTS,
                                            PART_CHECKPOINT_OFFSETS, PART_CHECKPOINT_BYTES);
    draft->segments = sections + draft->segment_count;
    draft_take_boxes(draft, draft->segments, index, SECTION_SEGMENTS, PART_SEGMENT_OFFSETS,
                     PART_SEGMENT_BYTES);
    draft->groups = draft->segments + draft->segment_count;
    draft->group_count = draft_take_boxes(draft, draft->groups, index, SECTION_CALLS,
                                          PART_GROUP_OFFSETS, PART_GROUP_BYTES);
    draft->nodes = draft->column_count;
    draft->node_count =
        draft_places(draft, SECTION_MEMORY, PART_NODE_OFFSETS, PART_NODE_BYTES, &at, &bytes);
    for (size_t i = 0; i < draft->node_count; i++)
        draft_take_column(draft, (const uint8_t *)index + at[i], (size_t)bytes[i]);
    return draft;
}

static inline void draft_free(struct draft *draft)
{
    for (size_t i = 0; draft && i < draft->column_count; i++) {
        free(draft->columns[i].values);
        free(draft->columns[i].text);
    }
    free(draft);
}

static inline struct draft *draft_copy(const struct draft *draft)
{
    struct draft *copy = (struct draft *)(void *)fuzz_copy(draft, sizeof *draft);
    for (size_t i = 0; i < copy->column_count; i++) {
        struct draft_column *column = &copy->columns[i];
        if (column->text) {
            CLAIM(column->text = malloc(column->text_bytes + 1));
            memcpy(column->text, draft->columns[i].text, column->text_bytes);
        } else {
            size_t count = (size_t)column->count;
            CLAIM(column->values = malloc((count + 2) * sizeof *column->values));
            memcpy(column->values, draft->columns[i].values, count * sizeof *column->values);
        }
    }
    return copy;
}

// --- Joining -------------------------------------------------------------------------------------

static inline void draft_put(struct bytes *out, const void *bytes, size_t size_bytes)
{
    CLAIM(bytes_append(out, bytes, size_bytes));
}

// Equal values take no bytes, so any number of them can be claimed.
static inline void draft_put_alike(struct bytes *out, uint64_t value, uint64_t count)
{
    uint8_t head[COLUMN_HEAD_BYTES_MAX + 4] = {0, 0, 0, 0, 0, 0x10};
    uint8_t *end = varint_write(head + 6, count);
    end = varint_write(varint_write(end, 0), value);
    uint32_t check = column_check(head + 4, (size_t)(end - head) - 4);
    memcpy(head, &check, sizeof check);
    draft_put(out, head, (size_t)(end - head));
}

static inline void draft_put_column(struct bytes *out, const struct draft_column *column)
{
    if (column->is_alike)
        draft_put_alike(out, column->values[0], column->count);
    else
        CLAIM(column_write(out, SIMD_SCALAR, column->values, (size_t)column->count));
}

static inline void draft_put_box(struct bytes *out, const struct draft *draft,
                                 const struct draft_box *box)
{
    struct parts_writer writer = {0};
    for (size_t i = 0; i < box->part_count; i++) {
        const struct draft_column *column = &draft->columns[box->first[i]];
        if (column->text) {
            CLAIM(parts_add_text(&writer, box->numbers[i], column->text, column->text_bytes));
            continue;
        }
        for (size_t c = 0; c < box->columns[i]; c++)
            draft_put_column(&writer.body, &column[c]);
        parts_add(&writer, box->numbers[i]);
    }
    CLAIM(parts_finish(&writer, out));
    parts_writer_free(&writer);
}

// Stores the new position of something, unless the input has changed that value.
static inline void draft_place(struct draft *draft, uint32_t section, uint32_t part, size_t row,
                               uint64_t value)
{
    size_t box = draft_section(draft, section);
    struct draft_column *column = box < DRAFT_BOXES_MAX ? draft_part(draft, box, part) : NULL;
    if (column && !column->is_lie && row < column->count)
        column->values[row] = value;
}

static inline void draft_put_boxes(struct bytes *out, struct draft *draft, size_t first,
                                   size_t count, uint32_t section, uint32_t offsets, uint32_t sizes)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t at = out->count;
        draft_put_box(out, draft, &draft->boxes[first + i]);
        draft_place(draft, section, offsets, i, at);
        draft_place(draft, section, sizes, i, out->count - at);
    }
}

static inline void draft_put_nodes(struct bytes *out, struct draft *draft)
{
    for (size_t i = 0; i < draft->node_count; i++) {
        uint64_t at = out->count;
        draft_put_column(out, &draft->columns[draft->nodes + i]);
        draft_place(draft, SECTION_MEMORY, PART_NODE_OFFSETS, i, at);
        draft_place(draft, SECTION_MEMORY, PART_NODE_BYTES, i, out->count - at);
    }
}

// Builds the index, to be freed by free(out->items).
static inline void draft_build(struct draft *draft, struct bytes *out)
{
    uint8_t header[INDEX_HEADER_BYTES];
    memcpy(header, draft->header, sizeof header);
    draft_put(out, header, sizeof header);
    draft_put_boxes(out, draft, draft->checkpoints, draft->segment_count, SECTION_SEGMENTS,
                    PART_CHECKPOINT_OFFSETS, PART_CHECKPOINT_BYTES);
    draft_put_boxes(out, draft, draft->segments, draft->segment_count, SECTION_SEGMENTS,
                    PART_SEGMENT_OFFSETS, PART_SEGMENT_BYTES);
    draft_put_nodes(out, draft);
    draft_put_boxes(out, draft, draft->groups, draft->group_count, SECTION_CALLS,
                    PART_GROUP_OFFSETS, PART_GROUP_BYTES);
    for (size_t i = 0; i < draft->section_count; i++) {
        uint64_t at = out->count;
        draft_put_box(out, draft, &draft->boxes[i]);
        const struct index_section_entry entry = {draft->boxes[i].section, draft->boxes[i].flags,
                                                  at, out->count - at};
        memcpy(header + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES, &entry, sizeof entry);
    }
    uint64_t size_bytes = out->count;
    memcpy(header + 16, &size_bytes, sizeof size_bytes);
    memset(header + 12, 0, 4);
    uint32_t check = column_check(header, sizeof header);
    memcpy(header + 12, &check, sizeof check);
    memcpy(out->items, header, sizeof header);
}

#endif
