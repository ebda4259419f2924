// Checks every byte of an index: all columns are decoded, and the ranges of bytes that they take
// are compared with the file, so that no byte is left out.
#include "idx/index.h"
#include "idx/nesting.h"

#include <inttypes.h>
#include <stdlib.h>

struct extent {
    uint64_t offset, size_bytes;
};

struct check {
    struct trawl_index *index;
    VEC(, struct extent) extents; // that were checked
    struct error *err;
};

static bool damaged_at(struct check *check, uint64_t offset, const char *what)
{
    error_set_at(check->err, STATUS_DAMAGED, offset, "%s: damaged at byte %" PRIu64 ": %s",
                 check->index->path, offset, what);
    return false;
}

static bool add_extent(struct check *check, uint64_t offset, uint64_t size_bytes)
{
    if (!VEC_ROOM(&check->extents, 1)) {
        index_no_memory(check->index, check->err);
        return false;
    }
    check->extents.items[check->extents.count++] = (struct extent){offset, size_bytes};
    return true;
}

static uint64_t offset_of(const struct check *check, const uint8_t *bytes)
{
    return (uint64_t)(bytes - check->index->bytes);
}

// Checks a column at the start of the bytes, and returns its size.
static bool check_column(struct check *check, const uint8_t *bytes, uint64_t available,
                         uint64_t *size_bytes)
{
    struct column column;
    if (column_open(&column, check->index->simd, bytes, available, NULL) != STATUS_OK ||
        column_verify(&column, NULL) != STATUS_OK)
        return damaged_at(check, offset_of(check, bytes), "a column");
    *size_bytes = column.size_bytes;
    return true;
}

// Checks consecutive columns that fill the part.
static bool check_columns(struct check *check, const struct part *part)
{
    uint64_t done = 0, size_bytes;
    while (done < part->size_bytes) {
        if (!check_column(check, part->bytes + done, part->size_bytes - done, &size_bytes))
            return false;
        done += size_bytes;
    }
    return true;
}

// The contents of the parts of one kind of container: columns, except for texts and one series of
// columns.
struct layout {
    uint64_t texts;  // bit n: part n is text
    uint32_t series; // the part that consists of any number of columns
    uint32_t last;   // higher ones belong to later versions and are not checked
};

static bool check_part(struct check *check, const struct parts *parts, const struct part *part,
                       const struct layout *layout)
{
    const char *text;
    size_t length;
    uint64_t size_bytes;
    if (part->number > layout->last)
        return true;
    if (part->number < 32 && layout->texts >> part->number & 1)
        return parts_text(parts, part->number, &text, &length, NULL) == STATUS_OK ||
               damaged_at(check, offset_of(check, part->bytes), "text");
    if (part->number == layout->series)
        return check_columns(check, part);
    return check_column(check, part->bytes, part->size_bytes, &size_bytes) &&
           (size_bytes == part->size_bytes ||
            damaged_at(check, offset_of(check, part->bytes), "a part that is not a column"));
}

static bool check_parts(struct check *check, uint64_t offset, uint64_t size_bytes,
                        const struct layout *layout)
{
    struct parts parts;
    const uint8_t *bytes = index_bytes(check->index, offset, size_bytes);
    if (!bytes)
        return damaged_at(check, offset, "a position outside the file");
    if (parts_open(&parts, check->index->simd, bytes, size_bytes, NULL) != STATUS_OK ||
        parts.size_bytes != size_bytes)
        return damaged_at(check, offset, "a table of parts");
    for (size_t i = 0; i < parts.count; i++) {
        if (!check_part(check, &parts, &parts.items[i], layout))
            return false;
    }
    return add_extent(check, offset, size_bytes);
}

// Checks containers whose offsets and sizes are in two columns.
static bool check_all(struct check *check, const struct column *offsets, const struct column *sizes,
                      const struct layout *layout)
{
    for (uint64_t i = 0; i < offsets->count; i++) {
        uint64_t offset, size_bytes;
        if (!column_get(offsets, i, &offset) || !column_get(sizes, i, &size_bytes))
            return damaged_at(check, offset_of(check, offsets->bytes), "a directory");
        if (!check_parts(check, offset, size_bytes, layout))
            return false;
    }
    return true;
}

static bool check_nodes(struct check *check)
{
    struct trawl_index *index = check->index;
    for (uint64_t i = 0; i < index->nodes[PART_NODE_OFFSETS].count; i++) {
        uint64_t offset, size_bytes, taken;
        if (!column_get(&index->nodes[PART_NODE_OFFSETS], i, &offset) ||
            !column_get(&index->nodes[PART_NODE_BYTES], i, &size_bytes))
            return damaged_at(check, 0, "the directory of memory");
        const uint8_t *bytes = index_bytes(index, offset, size_bytes);
        if (!bytes || !check_column(check, bytes, size_bytes, &taken) || taken != size_bytes)
            return damaged_at(check, offset, "a node of the directory of memory");
        if (!add_extent(check, offset, size_bytes))
            return false;
    }
    return true;
}

static const struct layout section_layouts[] = {
    [SECTION_IDENTITY] = {1u << PART_IDENTITY_KIND | 1u << PART_IDENTITY_TASK_KEY, 0,
                          PART_IDENTITY_TASK_KEY},
    [SECTION_SEGMENTS] = {0, 0, PART_SEGMENTS_LAST},
    [SECTION_LANES] = {1u << PART_LANE_NAMES, 0, PART_LANE_FIGURES},
    [SECTION_REGISTERS] = {0, 0, PART_WRITTEN_SEGMENTS},
    [SECTION_MEMORY] = {0, PART_REREAD_COLUMNS, PART_MEMORY_LAST},
    [SECTION_CALLS] = {0, 0, PART_CALL_COUNT},
    [SECTION_REGIONS] = {0, 0, PART_REGION_EVENTS},
    [SECTION_LATE] = {0, 0, PART_LATE_FLAGS},
    [SECTION_MESSAGES] = {1u << PART_MESSAGE_TEXT, 0, PART_MESSAGE_TEXT},
    [SECTION_BLOCKS] = {0, 0, PART_BLOCK_HASHES},
    [SECTION_XRAY] = {0, 0, PART_XRAY_FAULTS},
    [SECTION_TFILE] = {1u << PART_TFILE_NAMES, 0, PART_TFILE_VARIABLES},
    [SECTION_LAYOUT] = {1u << PART_LAYOUT_NAMES, 0, PART_LAYOUT_DWARF},
    [SECTION_OTHER_CALLS] = {0, 0, PART_OTHER_CALLS},
    [SECTION_SYMBOLS] = {1u << PART_SYMBOL_IMAGES | 1u << PART_SYMBOL_NAMES, 0,
                         PART_SYMBOL_ARM_CODE},
    [SECTION_SOURCE_LINES] = {1u << PART_LINE_FILES | 1u << PART_LINE_IMAGES, 0, PART_LINES_LAST},
    [SECTION_TASKS] = {0, 0, PART_TASKS_LAST},
    [SECTION_ACCESS_POINTS] = {1u << PART_ACCESS_POINT_WINDOWS, 0, PART_ACCESS_POINT_FILE_IN_LINE},
    [SECTION_CHECKPOINTS] = {0, 0, PART_CHECKPOINT_IS_SPARSE},
    [SECTION_FILES] = {0, 0, PART_FILE_IS_FINAL},
    [SECTION_DOUBTS] = {0, 0, PART_DOUBTS},
    [SECTION_UNKNOWN_WRITES] = {0, 0, 0},
    [SECTION_OUTSIDE] = {0, 0, 0},
    [SECTION_PLACES] = {0, 0, 0},
    [SECTION_PROGRAMS] = {0, 0, 0},
    [SECTION_FURTHER] = {0, 0, 0},
    [SECTION_FORMS] = {0, 0, 0},
    [SECTION_NESTING] = {0, 0, 0},
};

static bool check_sections(struct check *check)
{
    struct trawl_index *index = check->index;
    for (size_t i = 0; i < index->section_count; i++) {
        uint32_t number = index->sections[i].number;
        uint64_t offset = index->sections[i].offset, size_bytes = index->sections[i].size_bytes;
        if (number < ARRAY_COUNT(section_layouts)
                ? !check_parts(check, offset, size_bytes, &section_layouts[number])
                : !add_extent(check, offset, size_bytes))
            return false;
    }
    return !index->further.size_bytes ||
           add_extent(check, index->further.offset, index->further.size_bytes);
}

ORDER_BY(compare_extents, struct extent, offset)

static bool check_coverage(struct check *check)
{
    uint64_t end = 0;
    qsort(check->extents.items, check->extents.count, sizeof *check->extents.items,
          compare_extents);
    for (size_t i = 0; i < check->extents.count; i++) {
        if (check->extents.items[i].offset != end)
            return damaged_at(check, end, "bytes that belong to no part, or to two parts");
        end += check->extents.items[i].size_bytes;
    }
    return end == check->index->size_bytes ||
           damaged_at(check, end, "bytes that belong to no part");
}

enum trawl_status trawl_verify(struct trawl_index *index, struct trawl_error *error)
{
    static const struct layout segment = {0, PART_REGISTER_DATA, PART_SEGMENT_LAST};
    static const struct layout checkpoint = {0, 0, PART_CHECKPOINT_VALUES};
    static const struct layout group = {0, 0, PART_CALL_LAST};
    struct error why;
    struct check check = {.index = index, .err = &why};
    bool is_sound = add_extent(&check, 0, INDEX_HEADER_BYTES) && check_sections(&check) &&
                    check_all(&check, &index->segments[PART_SEGMENT_OFFSETS],
                              &index->segments[PART_SEGMENT_BYTES], &segment) &&
                    check_all(&check, &index->segments[PART_CHECKPOINT_OFFSETS],
                              &index->segments[PART_CHECKPOINT_BYTES], &checkpoint) &&
                    check_all(&check, &index->groups[PART_GROUP_OFFSETS],
                              &index->groups[PART_GROUP_BYTES], &group) &&
                    check_nodes(&check) && check_coverage(&check) &&
                    (!index->is_nested || nesting_verify(index, &why) == STATUS_OK);
    free(check.extents.items);
    return is_sound ? TRAWL_OK : errors_give(error, &why, why.status);
}
