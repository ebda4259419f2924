// How many bytes each part of an index takes.
#include "idx/caller.h"
#include "idx/index.h"

static const char *const segment_names[] = {
    [PART_TIME] = "events.time",
    [PART_LINE] = "events.line",
    [PART_POSITION] = "events.position",
    [PART_PC] = "events.pc",
    [PART_FLAGS] = "events.flags",
    [PART_LANE] = "events.lane",
    [PART_PC_FILTER] = "events.pc_filter",
    [PART_HOST_CALLS] = "events.host_calls",
    [PART_REGISTER_KEYS] = "registers.keys",
    [PART_REGISTER_STARTS] = "registers.starts",
    [PART_REGISTER_DATA] = "registers.timelines",
    [PART_MEMORY_WORDS] = "memory.words",
    [PART_MEMORY_STARTS] = "memory.starts",
    [PART_MEMORY_EVENTS] = "memory.events",
    [PART_MEMORY_KINDS] = "memory.kinds",
    [PART_MEMORY_VALUES] = "memory.values",
    [PART_MEMORY_TOUCHED] = "memory.touched",
    [PART_ORIGIN_EVENTS] = "events.origin_events",
    [PART_ORIGIN_PCS] = "events.origin_pcs",
    [PART_LOAD_EVENTS] = "loads.events",
    [PART_LOAD_COUNTS] = "loads.counts",
    [PART_LOAD_FIRSTS] = "loads.firsts",
    [PART_LOAD_SIZES] = "loads.sizes",
    [PART_LOAD_VISITS] = "loads.visits",
    [PART_LOAD_PLACES] = "loads.places",
    [PART_LOAD_STRANGE] = "loads.strange",
    [PART_PLACE_PAGES] = "places.pages",
    [PART_PLACE_EVENTS] = "places.events",
    [PART_PLACE_OWNERS] = "places.owners",
    [PART_PLACES] = "places.places",
    [PART_PLACE_REGIMES] = "places.regimes",
    [PART_STEP_PCS] = "steps.pcs",
    [PART_STEP_LINES] = "steps.lines",
    [PART_STEP_BYTES] = "steps.bytes",
    [PART_STEP_EXCEPTIONS] = "steps.exceptions",
    [PART_STEP_MORE_LINES] = "steps.more_lines",
    [PART_STEP_MORE_BYTES] = "steps.more_bytes",
    [PART_REGISTER_VALUE_STARTS] = "registers.value_starts",
    [PART_ENTRY_PCS] = "entries.pc",
    [PART_BLOCK_ENTRIES] = "nesting.entries",
    [PART_BLOCK_DEPTHS] = "nesting.depths",
    [PART_BLOCK_LEASTS] = "nesting.leasts",
    [PART_EXCEPTION_EVENTS] = "exceptions.events",
    [PART_EXCEPTION_DEPTHS] = "exceptions.depths",
    [PART_EXCEPTION_PCS] = "exceptions.pc",
};

static const char *const section_names[] = {
    [SECTION_IDENTITY] = "directory.identity",
    [SECTION_SEGMENTS] = "directory.segments",
    [SECTION_LANES] = "directory.lanes",
    [SECTION_REGISTERS] = "directory.registers",
    [SECTION_MEMORY] = "directory.memory",
    [SECTION_CALLS] = "directory.calls",
    [SECTION_REGIONS] = "regions",
    [SECTION_LATE] = "late",
    [SECTION_MESSAGES] = "messages",
    [SECTION_BLOCKS] = "blocks",
    [SECTION_XRAY] = "xray",
    [SECTION_TFILE] = "tfile",
    [SECTION_LAYOUT] = "layout",
    [SECTION_OTHER_CALLS] = "directory.other_calls",
    [SECTION_SYMBOLS] = "symbols",
    [SECTION_SOURCE_LINES] = "source lines",
    [SECTION_TASKS] = "tasks",
    [SECTION_ACCESS_POINTS] = "access points",
    [SECTION_CHECKPOINTS] = "directory.checkpoints",
    [SECTION_FILES] = "files",
    [SECTION_DOUBTS] = "doubts",
    [SECTION_UNKNOWN_WRITES] = "unknown writes",
    [SECTION_OUTSIDE] = "changes from outside",
    [SECTION_PLACES] = "places",
    [SECTION_PROGRAMS] = "programs",
    [SECTION_FORMS] = "forms",
};

enum { SIZES_MAX = 64 };

struct sizes {
    struct trawl_size *items;
    size_t capacity, count;
};

// The row with that name, added if it is new; NULL: no room.
static struct trawl_size *row_of(struct sizes *sizes, const char *name)
{
    for (size_t i = 0; i < sizes->count && i < sizes->capacity; i++) {
        if (strcmp(sizes->items[i].name, name) == 0)
            return &sizes->items[i];
    }
    if (sizes->count++ >= sizes->capacity)
        return NULL;
    sizes->items[sizes->count - 1] = (struct trawl_size){name, 0};
    return &sizes->items[sizes->count - 1];
}

static void add(struct sizes *sizes, const char *name, uint64_t bytes)
{
    struct trawl_size *row = bytes ? row_of(sizes, name) : NULL;
    if (row)
        row->bytes += bytes;
}

static enum status add_segment(struct trawl_index *index, uint64_t number, struct sizes *sizes,
                               struct error *err)
{
    uint64_t offset, size_bytes, parts_bytes = 0;
    struct parts parts;
    if (!column_get(&index->segments[PART_SEGMENT_OFFSETS], number, &offset) ||
        !column_get(&index->segments[PART_SEGMENT_BYTES], number, &size_bytes))
        return index_damaged(index, "directory of segments", err);
    const uint8_t *bytes = index_bytes(index, offset, size_bytes);
    if (!bytes || parts_open(&parts, index->simd, bytes, size_bytes, NULL) != STATUS_OK)
        return index_damaged(index, "a segment", err);
    for (size_t i = 0; i < parts.count; i++) {
        uint32_t part = parts.items[i].number;
        bool is_known = part < ARRAY_COUNT(segment_names) && segment_names[part];
        add(sizes, is_known ? segment_names[part] : "other", parts.items[i].size_bytes);
        parts_bytes += parts.items[i].size_bytes;
    }
    add(sizes, "tables", size_bytes - parts_bytes);
    return STATUS_OK;
}

static uint64_t sum_of(const struct column *column)
{
    uint64_t sum = 0, value;
    for (uint64_t i = 0; i < column->count; i++) {
        if (column_get(column, i, &value))
            sum += value;
    }
    return sum;
}

enum trawl_status trawl_sizes_(struct trawl_index *index, struct trawl_size *items,
                               size_t item_bytes, size_t capacity, size_t *count,
                               struct trawl_error *err)
{
    struct error why;
    struct trawl_size rows[SIZES_MAX];
    struct sizes sizes = {rows, capacity < SIZES_MAX ? capacity : SIZES_MAX, 0};
    for (uint64_t i = 0; i < index->segment_count; i++) {
        enum status status = add_segment(index, i, &sizes, &why);
        if (status != STATUS_OK)
            return errors_give(err, &why, status);
    }
    add(&sizes, "registers.checkpoints", sum_of(&index->segments[PART_CHECKPOINT_BYTES]));
    add(&sizes, "memory.tree", sum_of(&index->nodes[PART_NODE_BYTES]));
    add(&sizes, "calls", sum_of(&index->groups[PART_GROUP_BYTES]));
    for (size_t i = 0; i < index->section_count; i++) {
        uint32_t number = index->sections[i].number;
        bool is_known = number < ARRAY_COUNT(section_names) && section_names[number];
        add(&sizes, is_known ? section_names[number] : "other", index->sections[i].size_bytes);
    }
    add(&sizes, "header", INDEX_HEADER_BYTES + index->further.size_bytes);
    // The caller's version of the structure may have more or fewer fields.
    for (size_t i = 0; i < sizes.count && i < sizes.capacity; i++)
        caller_give((char *)items + i * item_bytes, item_bytes, &rows[i], sizeof rows[i]);
    *count = sizes.count;
    return TRAWL_OK;
}
