#include "idx/index_write.h"

#include "idx/column.h"
#include "idx/index_sections.h"
#include "idx/segment_format.h"
#include "idx/shard_format.h"

#include <endian.h>
#include <stdlib.h>
#include <xxhash.h>

// The facts about a segment for the directory.
struct segment_entry {
    uint64_t offset, size_bytes;
    uint64_t events, line, position, time, time_max, host_calls;
    uint64_t checkpoint_offset, checkpoint_bytes; // for a part: of the digest
    uint64_t entries, least_depth;                // if calls are not listed
    uint64_t flags;
    bool has_sparse_checkpoint;
};

struct written_key {
    uint64_t key;
    uint64_t segment;
};

// The contents of a register cell after the last segment.
struct carried_cell {
    uint64_t value;
    uint32_t changed; // one more than the number of the segment that changed it last
    uint8_t known;
};

// Consecutive cells. The numbers of a lane's cells may be high even if it has few.
enum { CARRIED_PAGE = 16 };

struct carried_page {
    struct carried_cell cells[CARRIED_PAGE];
};

// The cells of a lane, up to the last page to which a segment wrote.
struct carried_lane {
    VEC(, struct carried_page *) pages; // NULL: no segment wrote to its cells
    uint32_t changed;                   // the greatest `changed` of its cells
};

// The number of events of a lane in a segment, if it has any.
struct lane_events {
    uint32_t segment, events;
};

struct lane_segments {
    VEC(, struct lane_events) rows; // ascending by segment
};

struct call_group_entry {
    uint64_t offset, size_bytes, entry, exit_max;
};

struct index_writer {
    struct file_writer *file;
    uint32_t segment_events;
    VEC(, struct segment_entry) segments;
    VEC(, struct lane_segments) lanes;  // those that had events so far
    size_t lane_count;                  // of `lanes`; at the end, of all lanes
    VEC(, struct carried_lane) carried; // the registers after the segments so far
    size_t known_cells;                 // in `carried`
    bool has_sparse_checkpoints, has_unknown_writes, has_outside, has_reread, has_places, has_forms;
    VEC(, struct written_key) written;
    struct memory_directory memory[2]; // of stores, of loads
    struct memory_directory reread;    // of loads that show only known bytes
    VEC(, struct segment_late) late;

    struct call_batch calls; // not yet written
    VEC(, struct call_group_entry) groups;
    uint64_t call_count; // in groups, or entries

    struct index_section_entry sections[INDEX_SECTIONS_MAX];
    size_t section_count;
    bool is_further_written;
    bool is_by_lanes;
    bool has_snapshots;
    bool is_nested; // calls are not listed
    bool is_part;
    struct shard_place place; // of a part
    uint64_t first_segment;   // of a part
    XXH3_state_t *hash;       // of a part: of everything after the header; NULL: a whole index
    struct parts_writer parts;
    struct bytes bytes;
    VEC(, uint64_t) column;
};

static void free_writer(struct index_writer *writer)
{
    free(writer->segments.items);
    for (size_t i = 0; i < writer->lanes.count; i++)
        free(writer->lanes.items[i].rows.items);
    free(writer->lanes.items);
    for (size_t i = 0; i < writer->carried.count; i++) {
        const struct carried_lane *carried = &writer->carried.items[i];
        for (size_t k = 0; k < carried->pages.count; k++)
            free(carried->pages.items[k]);
        free(carried->pages.items);
    }
    free(writer->carried.items);
    free(writer->written.items);
    memory_directory_free(&writer->memory[0]);
    memory_directory_free(&writer->memory[1]);
    memory_directory_free(&writer->reread);
    free(writer->late.items);
    call_batch_free(&writer->calls);
    free(writer->groups.items);
    parts_writer_free(&writer->parts);
    free(writer->bytes.items);
    free(writer->column.items);
    XXH3_freeState(writer->hash);
    free(writer);
}

enum status index_writer_open(struct index_writer **out, const struct file_writer_target *target,
                              enum file_writer_io io, uint32_t segment_events, enum simd simd,
                              struct error *err)
{
    static const uint8_t header[INDEX_HEADER_BYTES] = {0};
    struct index_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return error_set(err, STATUS_MEMORY, "%s: no memory", target->path);
    enum status status = file_writer_open(&writer->file, target, io, err);
    if (status != STATUS_OK) {
        free_writer(writer);
        return status;
    }
    writer->segment_events = segment_events;
    writer->parts.simd = writer->memory[0].simd = writer->memory[1].simd = simd;
    writer->reread.simd = simd;
    writer->calls.simd = simd;
    file_writer_append(writer->file, header, sizeof header);
    *out = writer;
    return STATUS_OK;
}

bool index_writer_be_part(struct index_writer *writer, const struct shard_place *place)
{
    writer->hash = XXH3_createState();
    writer->is_part = true;
    writer->place = *place;
    return writer->hash && XXH3_64bits_reset(writer->hash) == XXH_OK;
}

void index_writer_use_threads(struct index_writer *writer, unsigned threads)
{
    writer->calls.threads = threads;
}

void index_writer_begin_at(struct index_writer *writer, uint64_t first_segment)
{
    if (!writer->segments.count)
        writer->first_segment = first_segment;
}

void index_writer_has_snapshots(struct index_writer *writer)
{
    writer->has_snapshots = true;
}

bool index_writer_failed(const struct index_writer *writer)
{
    return file_writer_failed(writer->file);
}

void index_writer_abandon(struct index_writer *writer)
{
    if (!writer)
        return;
    file_writer_abandon(writer->file);
    free_writer(writer);
}

// Memory for a column of `count` rows; NULL: no memory.
static uint64_t *column_room(struct index_writer *writer, size_t count)
{
    writer->column.count = 0;
    return VEC_ROOM(&writer->column, count + 1) ? writer->column.items : NULL;
}

// In pieces, because the writer has no room for everything at once.
static void append(struct index_writer *writer, const uint8_t *bytes, uint64_t size_bytes)
{
    const uint64_t piece_bytes = UINT64_C(1) << 20;
    for (uint64_t done = 0; done < size_bytes; done += piece_bytes)
        file_writer_append(writer->file, bytes + done,
                           (size_t)u64_min(size_bytes - done, piece_bytes));
    if (writer->hash && size_bytes)
        XXH3_64bits_update(writer->hash, bytes, size_bytes);
}

// Writes the parts. False: no memory.
static bool append_parts(struct index_writer *writer, const struct parts_writer *parts,
                         uint64_t *offset, uint64_t *size_bytes)
{
    writer->bytes.count = 0;
    if (!parts_finish(parts, &writer->bytes))
        return false;
    *offset = file_writer_position(writer->file);
    *size_bytes = writer->bytes.count;
    append(writer, writer->bytes.items, writer->bytes.count);
    return true;
}

// --- Segments ------------------------------------------------------------------------------------

// Writes the cells that were changed by segment `since` or a later one to three columns of `room`
// rows each. Returns their number. If `room` is 0, only counts them.
static size_t list_carried(const struct index_writer *writer, uint64_t since, uint64_t *column,
                           size_t room)
{
    size_t listed = 0;
    for (size_t lane = 0; lane < writer->carried.count; lane++) {
        const struct carried_lane *carried = &writer->carried.items[lane];
        size_t cells = carried->changed > since ? carried->pages.count * CARRIED_PAGE : 0;
        for (size_t i = 0; i < cells; i++) {
            const struct carried_page *page = carried->pages.items[i / CARRIED_PAGE];
            if (!page) {
                i += CARRIED_PAGE - 1;
                continue;
            }
            const struct carried_cell *cell = &page->cells[i % CARRIED_PAGE];
            if (cell->changed <= since)
                continue;
            if (room) {
                column[listed] = lane << 16 | i;
                column[room + listed] = cell->known;
                column[2 * room + listed] = cell->value;
            }
            listed++;
        }
    }
    return listed;
}

// The number of cells in the next checkpoint. *since: it contains those changed since this segment;
// 0: it is whole, because few cells are known, or most of them changed.
static size_t choose_checkpoint(const struct index_writer *writer, uint64_t *since)
{
    uint64_t base = index_checkpoint_base(writer->segments.count);
    *since = 0;
    if (!base || base >= UINT32_MAX || writer->known_cells <= INDEX_WHOLE_CHECKPOINT_CELLS)
        return writer->known_cells;
    size_t changed = list_carried(writer, base, NULL, 0);
    if (changed > writer->known_cells / 2)
        return writer->known_cells;
    *since = base;
    return changed;
}

// The lane's cell, allocated if necessary. NULL: no memory.
static struct carried_cell *carried_cell(struct index_writer *writer, uint32_t lane_cell)
{
    size_t lane = lane_cell >> 16, cell = lane_cell & 0xffff;
    if (!VEC_EXTEND(&writer->carried, lane + 1))
        return NULL;
    struct carried_lane *carried = &writer->carried.items[lane];
    size_t number = cell / CARRIED_PAGE;
    if (!VEC_EXTEND(&carried->pages, number + 1))
        return NULL;
    struct carried_page **page = &carried->pages.items[number];
    if (!*page && !(*page = calloc(1, sizeof **page)))
        return NULL;
    return &(*page)->cells[cell % CARRIED_PAGE];
}

// Updates the carried registers with what the segment wrote.
static bool carry_cells(struct index_writer *writer, const struct segment_writer *segment)
{
    uint32_t changed = (uint32_t)u64_min(writer->segments.count + UINT64_C(1), UINT32_MAX);
    for (size_t i = 0; i < segment->cells.count && !writer->has_snapshots; i++) {
        const struct cell_state *state = &segment->cells.items[i];
        struct carried_cell *cell = carried_cell(writer, state->lane_cell);
        if (!cell)
            return false;
        uint64_t bytes = bytes_of_mask(state->known | state->unknown);
        uint64_t value = (cell->value & ~bytes) | state->value;
        uint8_t known = (cell->known | state->known) & (uint8_t)~state->unknown;
        if (value == cell->value && known == cell->known)
            continue;
        writer->known_cells += !cell->changed;
        *cell = (struct carried_cell){value, changed, known};
        writer->carried.items[state->lane_cell >> 16].changed = changed;
    }
    return true;
}

// For a part: writes what the directories will need to know about the segment.
static bool write_digest(struct index_writer *writer, const struct segment_writer *segment,
                         struct segment_entry *entry)
{
    size_t cells = segment->cells.count, lanes = segment->lane_events.count;
    uint64_t *column = column_room(writer, 3 * cells + lanes);
    struct parts_writer *parts = &writer->parts;
    if (!column)
        return false;
    for (size_t i = 0; i < cells; i++) {
        column[i] = segment->cells.items[i].lane_cell;
        column[cells + i] =
            segment->cells.items[i].known | (uint64_t)segment->cells.items[i].unknown << 8;
        column[2 * cells + i] = segment->cells.items[i].value;
    }
    for (size_t i = 0; i < lanes; i++)
        column[3 * cells + i] = segment->lane_events.items[i];
    parts_writer_reset(parts);
    return parts_add_column(parts, PART_DIGEST_CELLS, column, cells) &&
           parts_add_column(parts, PART_DIGEST_KNOWN, column + cells, cells) &&
           parts_add_column(parts, PART_DIGEST_VALUES, column + 2 * cells, cells) &&
           parts_add_column(parts, PART_DIGEST_KEYS, segment->register_keys.items,
                            segment->register_keys.count) &&
           parts_add_column(parts, PART_DIGEST_LANE_EVENTS, column + 3 * cells, lanes) &&
           parts_add_column(parts, PART_DIGEST_STORED, segment->stored.items,
                            segment->stored.count) &&
           parts_add_column(parts, PART_DIGEST_LOADED, segment->loaded.items,
                            segment->loaded.count) &&
           parts_add_column(parts, PART_DIGEST_REREAD, segment->reread.items,
                            segment->reread.count) &&
           (!segment->contradictions ||
            parts_add_column(
                parts, PART_DIGEST_CONTRADICTIONS,
                (const uint64_t[]){segment->contradictions, segment->contradiction_line}, 2)) &&
           append_parts(writer, parts, &entry->checkpoint_offset, &entry->checkpoint_bytes);
}

static bool note_keys(struct index_writer *writer, const struct segment_writer *segment)
{
    writer->has_outside |= segment->contradictions > 0;
    writer->has_reread |= segment->reread.count > 0;
    writer->has_places |= segment->has_places;
    writer->has_forms |= segment->has_forms;
    if (!VEC_ROOM(&writer->written, segment->register_keys.count))
        return false;
    for (size_t i = 0; i < segment->register_keys.count; i++) {
        uint64_t key = segment->register_keys.items[i];
        writer->has_unknown_writes |= (register_key_cell(key) & REGISTER_VALUE_UNKNOWN) != 0;
        writer->written.items[writer->written.count++] =
            (struct written_key){key, writer->segments.count};
    }
    return true;
}

static bool count_lanes(struct index_writer *writer, const struct segment_writer *segment)
{
    size_t lanes = segment->lane_events.count;
    if (!VEC_EXTEND(&writer->lanes, lanes))
        return false;
    if (writer->segments.count > UINT32_MAX)
        return false; // there would be no memory for the facts kept about each of them
    for (size_t lane = 0; lane < lanes; lane++) {
        struct lane_segments *to = &writer->lanes.items[lane];
        uint32_t events = segment->lane_events.items[lane];
        if (!events)
            continue;
        if (!VEC_ROOM(&to->rows, 1))
            return false;
        to->rows.items[to->rows.count++] =
            (struct lane_events){(uint32_t)writer->segments.count, events};
    }
    writer->lane_count = (size_t)u64_max(writer->lane_count, lanes);
    return true;
}

// Adds the segment to the directories.
static bool note_segment(struct index_writer *writer, const struct segment_writer *segment)
{
    return note_keys(writer, segment) && carry_cells(writer, segment) &&
           count_lanes(writer, segment) &&
           memory_directory_add(&writer->memory[0], segment->stored.items, segment->stored.count,
                                writer->file) &&
           memory_directory_add(&writer->memory[1], segment->loaded.items, segment->loaded.count,
                                writer->file) &&
           memory_directory_add(&writer->reread, segment->reread.items, segment->reread.count,
                                NULL);
}

bool index_writer_add_segment(struct index_writer *writer, const struct segment_writer *segment,
                              const struct segment_input *input)
{
    const struct segment_events *events = input->events;
    struct segment_entry entry = {
        .size_bytes = segment->bytes.count,
        .events = input->event_count,
        .line = events->line[0],
        .position = events->position[0],
        .time = events->time[0],
        .time_max = segment->time_max,
        .host_calls = segment->host_call_count,
        .entries = writer->call_count,
        .least_depth = segment->least_depth,
        .flags = segment->flags | (segment->has_places ? SHARD_HAS_PLACES : 0u) |
                 (segment->has_forms ? SHARD_HAS_FORMS : 0u),
    };
    if (!writer->is_part) {
        struct parts_writer *parts = &writer->parts;
        uint64_t since;
        size_t cells = choose_checkpoint(writer, &since);
        uint64_t *column = column_room(writer, 3 * cells);
        if (!column)
            return false;
        list_carried(writer, since, column, cells);
        entry.has_sparse_checkpoint = since != 0;
        writer->has_sparse_checkpoints |= since != 0;
        parts_writer_reset(parts);
        if (!parts_add_column(parts, PART_CHECKPOINT_CELLS, column, cells) ||
            !parts_add_column(parts, PART_CHECKPOINT_KNOWN, column + cells, cells) ||
            !parts_add_column(parts, PART_CHECKPOINT_VALUES, column + 2 * cells, cells) ||
            !append_parts(writer, parts, &entry.checkpoint_offset, &entry.checkpoint_bytes))
            return false;
    }
    entry.offset = file_writer_position(writer->file);
    append(writer, segment->bytes.items, segment->bytes.count);
    bool is_done =
        writer->is_part ? write_digest(writer, segment, &entry) : note_segment(writer, segment);
    if (!is_done || !VEC_ROOM(&writer->segments, 1))
        return false;
    writer->segments.items[writer->segments.count++] = entry;
    if (input->is_nested) {
        writer->is_nested = true;
        writer->call_count += segment->entry_count;
    }
    return true;
}

bool index_writer_add_late(struct index_writer *writer, const struct segment_late *late,
                           size_t count)
{
    if (!VEC_ROOM(&writer->late, count))
        return false;
    if (count)
        memcpy(writer->late.items + writer->late.count, late, count * sizeof *late);
    writer->late.count += count;
    return true;
}

// --- Calls ---------------------------------------------------------------------------------------

bool index_writer_add_group(struct index_writer *writer, const struct call_group *calls,
                            const struct parts_writer *parts)
{
    struct call_group_entry group = {.entry = calls->columns[PART_CALL_ENTRIES][0],
                                     .exit_max = call_group_exit_max(calls)};
    if (!VEC_ROOM(&writer->groups, 1) ||
        !append_parts(writer, parts, &group.offset, &group.size_bytes))
        return false;
    writer->groups.items[writer->groups.count++] = group;
    writer->call_count += calls->count;
    return true;
}

bool index_writer_flush_calls(struct index_writer *writer)
{
    struct call_batch *batch = &writer->calls;
    size_t packed = call_batch_pack(batch);
    if (packed == SIZE_MAX)
        return false;
    for (size_t i = 0; i < packed; i++) {
        if (!index_writer_add_group(writer, &batch->groups[i]->group, &batch->groups[i]->parts))
            return false;
    }
    call_batch_shift(batch, packed);
    return true;
}

struct call_batch *index_writer_calls(struct index_writer *writer)
{
    return &writer->calls;
}

bool index_writer_add_call(struct index_writer *writer, const struct index_call *call)
{
    struct call_batch *batch = &writer->calls;
    if (!call_batch_reserve(batch, 1))
        return false;
    call_batch_store(batch, batch->count - 1, call);
    return !call_batch_is_full(batch) || index_writer_flush_calls(writer);
}

uint64_t index_writer_call_count(const struct index_writer *writer)
{
    return writer->call_count + writer->calls.count;
}

// --- Sections ------------------------------------------------------------------------------------

static struct index_section_entry new_section(enum index_section number)
{
    // Readers can answer all queries without these.
    bool is_required = number != SECTION_MESSAGES && number != SECTION_BLOCKS &&
                       number != SECTION_SYMBOLS && number != SECTION_SOURCE_LINES &&
                       number != SECTION_TASKS && number != SECTION_ACCESS_POINTS &&
                       number != SECTION_FILES && number != SECTION_DOUBTS;
    return (struct index_section_entry){.number = number,
                                        .flags = is_required ? SECTION_IS_REQUIRED : 0};
}

bool index_writer_add_section(struct index_writer *writer, enum index_section number,
                              const struct parts_writer *parts)
{
    ASSERT(!writer->is_further_written &&
           writer->section_count < (writer->is_part ? INDEX_HEADER_SECTIONS : INDEX_SECTIONS_MAX));
    struct index_section_entry section = new_section(number);
    if (!append_parts(writer, parts, &section.offset, &section.size_bytes))
        return false;
    writer->sections[writer->section_count++] = section;
    return true;
}

bool index_writer_copy_section(struct index_writer *writer, enum index_section number,
                               const uint8_t *bytes, uint64_t size_bytes)
{
    if (writer->section_count == INDEX_SECTIONS_MAX)
        return false;
    struct index_section_entry section = new_section(number);
    section.offset = file_writer_position(writer->file);
    section.size_bytes = size_bytes;
    append(writer, bytes, size_bytes);
    writer->sections[writer->section_count++] = section;
    return true;
}

static uint64_t segment_field(const struct segment_entry *entry, uint32_t part)
{
    switch ((enum segments_part)part) {
    case PART_SEGMENT_OFFSETS:
        return entry->offset;
    case PART_SEGMENT_BYTES:
        return entry->size_bytes;
    case PART_SEGMENT_EVENTS:
        return entry->events;
    case PART_SEGMENT_LINES:
        return entry->line;
    case PART_SEGMENT_POSITIONS:
        return entry->position;
    case PART_SEGMENT_TIMES:
        return entry->time;
    case PART_SEGMENT_TIMES_MAX:
        return entry->time_max;
    case PART_SEGMENT_HOST_CALLS:
        return entry->host_calls;
    case PART_CHECKPOINT_OFFSETS:
        return entry->checkpoint_offset;
    case PART_CHECKPOINT_BYTES:
        return entry->checkpoint_bytes;
    case PART_SEGMENT_ENTRIES:
        return entry->entries;
    case PART_SEGMENT_LEASTS:
        return entry->least_depth;
    case PART_SEGMENT_LANE_EVENTS:
        break;
    }
    return 0;
}

// The numbers of events of lanes before segments; the numbers of one lane are adjacent.
struct lane_walk {
    const struct index_writer *writer;
    size_t lane, segment, row; // the next ones
    uint64_t events;           // of the lane so far
};

static const uint64_t *lane_events_block(void *self, size_t from, size_t count, uint64_t *room)
{
    struct lane_walk *walk = self;
    const struct index_writer *writer = walk->writer;
    (void)from; // they are requested in order
    for (size_t i = 0; i < count; i++) {
        const struct lane_segments *lane =
            walk->lane < writer->lanes.count ? &writer->lanes.items[walk->lane] : NULL;
        if (lane && walk->row < lane->rows.count &&
            lane->rows.items[walk->row].segment < walk->segment)
            walk->events += lane->rows.items[walk->row++].events;
        room[i] = walk->events;
        if (++walk->segment < writer->segments.count)
            continue;
        walk->lane++;
        walk->segment = walk->row = 0;
        walk->events = 0;
    }
    return room;
}

static bool add_segment_columns(struct index_writer *writer, uint32_t first, uint32_t last)
{
    size_t count = writer->segments.count;
    for (uint32_t part = first; part <= last; part++) {
        uint64_t *column = column_room(writer, count);
        for (size_t i = 0; column && i < count; i++)
            column[i] = segment_field(&writer->segments.items[i], part);
        if (!column || !parts_add_column(&writer->parts, part, column, count))
            return false;
    }
    return true;
}

static bool add_segments(struct index_writer *writer)
{
    parts_writer_reset(&writer->parts);
    return add_segment_columns(writer, PART_SEGMENT_OFFSETS, PART_SEGMENT_LANE_EVENTS - 1);
}

static bool write_segments(struct index_writer *writer)
{
    if (!add_segments(writer))
        return false;
    if (writer->lane_count > 1 && !writer->is_by_lanes) {
        size_t count;
        struct lane_walk walk = {.writer = writer};
        const struct column_source source = {&walk, lane_events_block};
        if (__builtin_mul_overflow(writer->segments.count, writer->lane_count, &count) ||
            !parts_add_column_from(&writer->parts, PART_SEGMENT_LANE_EVENTS, &source, count))
            return false;
    }
    if (writer->is_nested && !add_segment_columns(writer, PART_SEGMENT_ENTRIES, PART_SEGMENTS_LAST))
        return false;
    return index_writer_add_section(writer, SECTION_SEGMENTS, &writer->parts);
}

static bool write_sparse_checkpoints(struct index_writer *writer)
{
    size_t count = writer->segments.count;
    uint64_t *column = column_room(writer, count);
    if (!column)
        return false;
    for (size_t i = 0; i < count; i++)
        column[i] = writer->segments.items[i].has_sparse_checkpoint;
    parts_writer_reset(&writer->parts);
    return parts_add_column(&writer->parts, PART_CHECKPOINT_IS_SPARSE, column, count) &&
           index_writer_add_section(writer, SECTION_CHECKPOINTS, &writer->parts);
}

ORDER_BY_2(compare_written, struct written_key, key, segment)

static bool write_registers(struct index_writer *writer)
{
    struct written_key *written = writer->written.items;
    size_t count = writer->written.count, keys = 0;
    uint64_t *column = column_room(writer, 3 * count);
    if (!column)
        return false;
    uint64_t *starts = column + count, *segments = starts + count;
    if (count)
        qsort(written, count, sizeof *written, compare_written);
    for (size_t i = 0; i < count; i++) {
        if (!i || written[i].key != written[i - 1].key) {
            column[keys] = written[i].key;
            starts[keys++] = i;
        }
        segments[i] = written[i].segment;
    }
    parts_writer_reset(&writer->parts);
    return parts_add_column(&writer->parts, PART_WRITTEN_KEYS, column, keys) &&
           parts_add_column(&writer->parts, PART_WRITTEN_STARTS, starts, keys) &&
           parts_add_column(&writer->parts, PART_WRITTEN_SEGMENTS, segments, count) &&
           index_writer_add_section(writer, SECTION_REGISTERS, &writer->parts);
}

static uint64_t node_field(const struct memory_node *node, uint64_t kind, uint32_t part)
{
    switch ((enum memory_part)part) {
    case PART_NODE_KINDS:
        return kind;
    case PART_NODE_LEVELS:
        return node->level;
    case PART_NODE_SHIFTS:
        return node->shift;
    case PART_NODE_OFFSETS:
        return node->offset;
    case PART_NODE_BYTES:
        return node->size_bytes;
    }
    return 0;
}

static bool add_reread(struct index_writer *writer)
{
    struct memory_directory *reread = &writer->reread;
    struct parts_writer *parts = &writer->parts;
    if (!memory_directory_end(reread, NULL))
        return false;
    memory_directory_order(reread);
    const size_t count = reread->nodes.count;
    for (uint32_t i = 0; i < PART_REREAD_COLUMNS - PART_REREAD_LEVELS; i++) {
        uint64_t *column = column_room(writer, count);
        for (size_t row = 0; column && row < count; row++)
            column[row] = node_field(&reread->nodes.items[row], 0, PART_NODE_LEVELS + i);
        if (!column || !parts_add_column(parts, PART_REREAD_LEVELS + i, column, count))
            return false;
    }
    if (!bytes_append(&parts->body, reread->kept.items, reread->kept.count))
        return false;
    parts_add(parts, PART_REREAD_COLUMNS);
    return true;
}

static bool write_memory(struct index_writer *writer)
{
    size_t count = 0;
    parts_writer_reset(&writer->parts);
    for (size_t kind = 0; kind < ARRAY_COUNT(writer->memory); kind++) {
        if (!memory_directory_end(&writer->memory[kind], writer->file))
            return false;
        memory_directory_order(&writer->memory[kind]);
        count += writer->memory[kind].nodes.count;
    }
    for (uint32_t part = PART_NODE_KINDS; part <= PART_NODE_BYTES; part++) {
        uint64_t *column = column_room(writer, count);
        size_t row = 0;
        for (size_t kind = 0; column && kind < ARRAY_COUNT(writer->memory); kind++) {
            for (size_t i = 0; i < writer->memory[kind].nodes.count; i++)
                column[row++] = node_field(&writer->memory[kind].nodes.items[i], kind, part);
        }
        if (!column || !parts_add_column(&writer->parts, part, column, count))
            return false;
    }
    return (!writer->has_reread || add_reread(writer)) &&
           index_writer_add_section(writer, SECTION_MEMORY, &writer->parts);
}

static bool write_calls(struct index_writer *writer)
{
    size_t count = writer->groups.count;
    const struct call_group_entry *groups = writer->groups.items;
    parts_writer_reset(&writer->parts);
    for (uint32_t part = PART_GROUP_OFFSETS; part <= PART_GROUP_EXITS_MAX; part++) {
        uint64_t *column = column_room(writer, count);
        for (size_t i = 0; column && i < count; i++)
            column[i] = part == PART_GROUP_OFFSETS   ? groups[i].offset
                        : part == PART_GROUP_BYTES   ? groups[i].size_bytes
                        : part == PART_GROUP_ENTRIES ? groups[i].entry
                                                     : groups[i].exit_max;
        if (!column || !parts_add_column(&writer->parts, part, column, count))
            return false;
    }
    return parts_add_column(&writer->parts, PART_CALL_COUNT, &writer->call_count, 1) &&
           index_writer_add_section(writer, SECTION_CALLS, &writer->parts);
}

static bool write_lanes(struct index_writer *writer, const struct index_ending *ending)
{
    size_t rows = ending->lane_count * LANE_ROWS;
    uint64_t *column = column_room(writer, rows);
    struct bytes names = {0};
    bool is_done = column != NULL;
    for (size_t i = 0; i < ending->lane_count && is_done; i++) {
        const struct index_lane *lane = &ending->lanes[i];
        memcpy(column + i * LANE_ROWS, lane->figures, sizeof lane->figures);
        is_done = bytes_append(&names, lane->name, strlen(lane->name) + 1);
    }
    parts_writer_reset(&writer->parts);
    is_done = is_done &&
              parts_add_text(&writer->parts, PART_LANE_NAMES, names.items, names.count) &&
              parts_add_column(&writer->parts, PART_LANE_FIGURES, column, rows) &&
              index_writer_add_section(writer, SECTION_LANES, &writer->parts);
    free(names.items);
    return is_done;
}

static bool write_late(struct index_writer *writer)
{
    struct segment_late *late = writer->late.items;
    size_t count = writer->late.count;
    uint64_t *column = column_room(writer, 3 * count);
    if (!column)
        return false;
    segment_late_sort(late, count);
    for (size_t i = 0; i < count; i++) {
        column[i] = late[i].event;
        column[count + i] = late[i].pc;
        column[2 * count + i] = late[i].flags;
    }
    parts_writer_reset(&writer->parts);
    return parts_add_column(&writer->parts, PART_LATE_EVENTS, column, count) &&
           parts_add_column(&writer->parts, PART_LATE_PCS, column + count, count) &&
           parts_add_column(&writer->parts, PART_LATE_FLAGS, column + 2 * count, count) &&
           index_writer_add_section(writer, SECTION_LATE, &writer->parts);
}

// In the order in which they were added, which is that of segments.
static bool add_shard_late(struct index_writer *writer)
{
    const struct segment_late *late = writer->late.items;
    size_t count = writer->late.count;
    uint64_t *column = column_room(writer, 4 * count);
    if (!column)
        return false;
    for (size_t i = 0; i < count; i++) {
        column[i] = late[i].event;
        column[count + i] = late[i].pc;
        column[2 * count + i] = late[i].instruction_position;
        column[3 * count + i] = late[i].flags;
    }
    for (uint32_t part = PART_SHARD_LATE_EVENTS; part <= PART_SHARD_LATE_FLAGS; part++)
        if (!parts_add_column(&writer->parts, part,
                              column + (part - PART_SHARD_LATE_EVENTS) * count, count))
            return false;
    return true;
}

bool index_writer_end_part(struct index_writer *writer)
{
    size_t count = writer->segments.count;
    const struct shard_place *place = &writer->place;
    const uint64_t figures[SHARD_FIGURES] = {
        [SHARD_NUMBER] = place->number,
        [SHARD_COUNT] = place->count,
        [SHARD_FROM] = place->from,
        [SHARD_END] = place->end,
        [SHARD_FIRST_SEGMENT] = writer->first_segment,
        [SHARD_HASH] = XXH3_64bits_digest(writer->hash),
    };
    if (!add_segments(writer))
        return false;
    uint64_t *column = column_room(writer, count);
    for (size_t i = 0; column && i < count; i++)
        column[i] = writer->segments.items[i].flags;
    return column && parts_add_column(&writer->parts, PART_SHARD_FLAGS, column, count) &&
           parts_add_column(&writer->parts, PART_SHARD_FIGURES, figures, SHARD_FIGURES) &&
           add_shard_late(writer) &&
           index_writer_add_section(writer, SECTION_SHARD, &writer->parts);
}

void index_ending_set_trace(struct index_ending *ending, const struct fingerprint *trace)
{
    ending->identity[IDENTITY_TRACE_BYTES] = trace->size_bytes;
    ending->identity[IDENTITY_TRACE_MTIME_NS] = trace->mtime_ns;
    ending->identity[IDENTITY_FINGERPRINT_LOW] = trace->sample.low;
    ending->identity[IDENTITY_FINGERPRINT_HIGH] = trace->sample.high;
}

static bool write_identity(struct index_writer *writer, const struct index_ending *ending)
{
    parts_writer_reset(&writer->parts);
    size_t rows = ending->is_packed                      ? IDENTITY_ROWS
                  : ending->identity[IDENTITY_FUNCTIONS] ? IDENTITY_TEXT_BYTES
                                                         : IDENTITY_ROWS_MIN;
    return parts_add_column(&writer->parts, PART_IDENTITY, ending->identity, rows) &&
           parts_add_text(&writer->parts, PART_IDENTITY_KIND, ending->kind, strlen(ending->kind)) &&
           (!ending->task_key || parts_add_text(&writer->parts, PART_IDENTITY_TASK_KEY,
                                                ending->task_key, strlen(ending->task_key))) &&
           index_writer_add_section(writer, SECTION_IDENTITY, &writer->parts);
}

bool index_writer_end(struct index_writer *writer, const struct index_ending *ending)
{
    writer->lane_count = ending->lane_count; // including lanes all of whose lines were skipped
    writer->is_by_lanes = ending->is_by_lanes;
    if (writer->is_part) // it has no calls; directories are made when all parts are merged
        return write_lanes(writer, ending) && write_identity(writer, ending);
    if (!index_writer_flush_calls(writer) || !write_calls(writer) || !write_segments(writer) ||
        (writer->has_sparse_checkpoints && !write_sparse_checkpoints(writer)))
        return false;
    parts_writer_reset(&writer->parts);
    // Sections without parts say what readers have to know.
    const struct {
        bool is_there;
        enum index_section number;
    } kinds[] = {
        {writer->has_places, SECTION_PLACES},
        {writer->has_forms, SECTION_FORMS},
        {writer->has_unknown_writes, SECTION_UNKNOWN_WRITES},
        {writer->has_outside, SECTION_OUTSIDE},
        {writer->is_nested, SECTION_NESTING},
        {(ending->identity[IDENTITY_OPTIONS] & TRAWL_HAS_PROGRAMS) != 0, SECTION_PROGRAMS},
    };
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (kinds[i].is_there && !index_writer_add_section(writer, kinds[i].number, &writer->parts))
            return false;
    }
    return write_lanes(writer, ending) && write_registers(writer) && write_memory(writer) &&
           (!writer->late.count || write_late(writer)) && write_identity(writer, ending);
}

// --- The header ----------------------------------------------------------------------------------

static void write_header(struct index_writer *writer)
{
    uint8_t header[INDEX_HEADER_BYTES], further[INDEX_FURTHER_ROOM_BYTES];
    if (index_further_bytes(writer->section_count) && !writer->is_further_written) {
        index_further_make(further, writer->sections, writer->section_count);
        file_writer_append(writer->file, further,
                           (size_t)index_further_bytes(writer->section_count));
        writer->is_further_written = true; // an index that was read back is also published
    }
    index_header_make(header, writer->is_part ? SHARD_MAGIC : INDEX_MAGIC, writer->sections,
                      writer->section_count, file_writer_position(writer->file));
    file_writer_patch(writer->file, 0, header, sizeof header);
}

enum status index_writer_read_back(struct index_writer *writer, struct map *map, struct error *err)
{
    write_header(writer);
    return file_writer_read_back(writer->file, map, err);
}

void index_writer_settle(struct index_writer *writer)
{
    file_writer_settle(writer->file);
}

enum status index_writer_branch(struct index_writer *writer,
                                const struct file_writer_target *target, struct error *err)
{
    return file_writer_branch(writer->file, target, err);
}

enum status index_writer_publish(struct index_writer *writer, bool sync, struct error *err)
{
    write_header(writer);
    enum status status = file_writer_publish(writer->file, sync, err);
    free_writer(writer);
    return status;
}
