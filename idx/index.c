// Opens an index, and its segments.
#include "idx/index.h"

#include "idx/caller.h"
#include "idx/column.h"
#include "idx/index_header.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum status index_damaged(const struct trawl_index *index, const char *what, struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "%s: damaged: %s", index->path, what);
}

const uint8_t *index_bytes(const struct trawl_index *index, uint64_t offset, uint64_t size_bytes)
{
    if (offset > index->size_bytes || size_bytes > index->size_bytes - offset)
        return NULL;
    return index->bytes + offset;
}

bool index_has_section(const struct trawl_index *index, enum index_section number)
{
    for (size_t i = 0; i < index->section_count; i++) {
        if (index->sections[i].number == (uint32_t)number)
            return true;
    }
    return false;
}

enum status index_no_memory(const struct trawl_index *index, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
}

enum status index_in_file(const struct trawl_index *index, enum status status, struct error *err)
{
    char text[200];
    if (status == STATUS_OK || !err)
        return status;
    snprintf(text, sizeof text, "%.199s", err->text);
    return error_set(err, status, "%s: damaged: %s", index->path, text);
}

enum status index_section(const struct trawl_index *index, enum index_section number,
                          struct parts *parts, struct error *err)
{
    for (size_t i = 0; i < index->section_count; i++) {
        if (index->sections[i].number != (uint32_t)number)
            continue;
        uint64_t size_bytes = index->sections[i].size_bytes;
        const uint8_t *bytes = index_bytes(index, index->sections[i].offset, size_bytes);
        if (!bytes)
            return index_damaged(index, "a section lies outside of the file", err);
        enum status status = parts_open(parts, index->simd, bytes, size_bytes, err);
        if (status == STATUS_OK && parts->size_bytes != size_bytes)
            return index_damaged(index, "a section is longer than its parts", err);
        return index_in_file(index, status, err);
    }
    return index_damaged(index, "a section is missing", err);
}

// --- Opening -------------------------------------------------------------------------------------

static enum status read_header(struct trawl_index *index, struct error *err)
{
    enum header_fault fault = index_header_read(index->bytes, index->size_bytes, INDEX_MAGIC,
                                                index->sections, &index->section_count);
    if (fault == HEADER_SOUND)
        fault = index_further_read(index->bytes, index->size_bytes, index->sections,
                                   &index->section_count, &index->further);
    switch (fault) {
    case HEADER_SOUND:
        break;
    case HEADER_STRANGE:
        return error_set(err, STATUS_DAMAGED, "%s: not an index of trawl", index->path);
    case HEADER_OTHER_VERSION:
        return error_set(err, STATUS_LIMIT, "%s: made by another version of trawl (format %u)",
                         index->path, index_header_major(index->bytes));
    case HEADER_DAMAGED:
        return index_damaged(index, "header", err);
    case HEADER_CUT:
        return index_damaged(index, "the file was cut", err);
    case HEADER_TOO_MANY_SECTIONS:
        return index_damaged(index, "too many sections", err);
    }
    for (size_t i = 0; i < index->section_count; i++) {
        if (index->sections[i].number > SECTION_LAST &&
            (index->sections[i].flags & SECTION_IS_REQUIRED))
            return error_set(err, STATUS_LIMIT, "%s: made by a later version of trawl",
                             index->path);
    }
    return STATUS_OK;
}

// Whether this many bytes can contain this many rows. A walk over rows must not take longer than
// the bytes justify, although columns of equal values take none. If nothing implies that rows
// differ, up to INDEX_FREE_BLOCKS blocks of them are accepted without any bytes.
static bool is_row_count_sound(uint64_t count, uint64_t size_bytes)
{
    return count / COLUMN_BLOCK <= size_bytes + INDEX_FREE_BLOCKS;
}

enum status index_open_columns(const struct trawl_index *index, const struct parts *parts,
                               struct column *columns, uint32_t first, uint32_t last, uint64_t rows,
                               struct error *err)
{
    for (uint32_t part = first; part <= last; part++) {
        enum status status = parts_column(parts, part, &columns[part], err);
        if (status != STATUS_OK)
            return index_in_file(index, status, err);
        if (rows != UINT64_MAX && columns[part].count != rows)
            return index_damaged(index, "columns of a section differ in length", err);
    }
    return STATUS_OK;
}

// Whether the ranges listed in a directory fit into the file without overlapping. Columns of equal
// values take no bytes, so a directory alone could claim anything, and the same bytes many times.
static bool fits_in_file(const struct trawl_index *index, const struct column *sizes)
{
    uint64_t bytes[COLUMN_BLOCK], left = index->size_bytes;
    if (sizes->count > left)
        return false;
    for (uint64_t from = 0; from < sizes->count; from += COLUMN_BLOCK) {
        size_t count = (size_t)u64_min(sizes->count - from, COLUMN_BLOCK);
        if (!column_read(sizes, from, count, bytes))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (bytes[i] > left)
                return false;
            left -= bytes[i];
        }
    }
    return true;
}

// A text of the identity, if it is there. It is copied, so that it cannot change.
static enum status read_text(struct trawl_index *index, const struct parts *parts,
                             enum identity_part part, char *copy, size_t room, struct error *err)
{
    const char *text;
    size_t length;
    if (!parts_find(parts, part))
        return STATUS_OK;
    if (parts_text(parts, part, &text, &length, NULL) != STATUS_OK || length >= room ||
        memchr(text, 0, length))
        return index_damaged(index, "identity", err);
    memcpy(copy, text, length);
    return STATUS_OK;
}

static enum status read_identity(struct trawl_index *index, struct error *err)
{
    struct parts parts;
    struct column column;
    enum status status = index_section(index, SECTION_IDENTITY, &parts, err);
    if (status != STATUS_OK)
        return status;
    if ((status = parts_column(&parts, PART_IDENTITY, &column, err)) != STATUS_OK)
        return index_in_file(index, status, err);
    if (column.count < IDENTITY_ROWS_MIN ||
        !column_read(&column, 0, u64_min(column.count, IDENTITY_ROWS), index->identity))
        return index_damaged(index, "identity", err);
    index->is_packed = column.count > IDENTITY_TEXT_BYTES;
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    if (!per_segment || per_segment > INDEX_SEGMENT_EVENTS_MAX ||
        index->identity[IDENTITY_EVENTS] / COLUMN_BLOCK > index->size_bytes)
        return index_damaged(index, "identity", err);
    status = read_text(index, &parts, PART_IDENTITY_KIND, index->kind, sizeof index->kind, err);
    return status == STATUS_OK ? read_text(index, &parts, PART_IDENTITY_TASK_KEY, index->task_key,
                                           sizeof index->task_key, err)
                               : status;
}

static enum status read_segments(struct trawl_index *index, struct error *err)
{
    enum status status = index_section(index, SECTION_SEGMENTS, &index->segments_parts, err);
    if (status != STATUS_OK)
        return status;
    uint64_t events = index->identity[IDENTITY_EVENTS];
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    index->segment_count = events / per_segment + (events % per_segment != 0);
    status =
        index_open_columns(index, &index->segments_parts, index->segments, PART_SEGMENT_OFFSETS,
                           PART_CHECKPOINT_BYTES, index->segment_count, err);
    if (status == STATUS_OK && (!fits_in_file(index, &index->segments[PART_SEGMENT_BYTES]) ||
                                !fits_in_file(index, &index->segments[PART_CHECKPOINT_BYTES])))
        return index_damaged(index, "directory of segments", err);
    return status;
}

static enum status read_sparse_checkpoints(struct trawl_index *index, struct error *err)
{
    index->has_sparse_checkpoints = index_has_section(index, SECTION_CHECKPOINTS);
    if (!index->has_sparse_checkpoints)
        return STATUS_OK;
    enum status status = index_section(index, SECTION_CHECKPOINTS, &index->checkpoints_parts, err);
    if (status != STATUS_OK)
        return status;
    status = index_in_file(index,
                           parts_column(&index->checkpoints_parts, PART_CHECKPOINT_IS_SPARSE,
                                        &index->sparse_checkpoints, err),
                           err);
    if (status == STATUS_OK && index->sparse_checkpoints.count != index->segment_count)
        return index_damaged(index, "directory of checkpoints", err);
    return status;
}

// Whether the lanes have all events of the trace.
static bool are_lane_events_sound(const struct trawl_index *index)
{
    uint64_t left = index->identity[IDENTITY_EVENTS];
    for (size_t i = 0; i < index->lane_count; i++) {
        uint64_t events = index->lanes[i].figures[LANE_EVENTS];
        if (events > left)
            return false;
        left -= events;
    }
    return left == 0;
}

static enum status read_lanes(struct trawl_index *index, struct error *err)
{
    struct parts parts;
    struct column figures;
    const char *names;
    size_t size_bytes;
    enum status status = index_section(index, SECTION_LANES, &parts, err);
    if (status != STATUS_OK)
        return status;
    if ((status = parts_column(&parts, PART_LANE_FIGURES, &figures, err)) ||
        (status = parts_text(&parts, PART_LANE_NAMES, &names, &size_bytes, err)))
        return index_in_file(index, status, err);
    index->lane_count = (size_t)(figures.count / LANE_ROWS);
    bool is_xray = index_has_section(index, SECTION_XRAY);
    if (figures.count % LANE_ROWS || index->lane_count > INDEX_LANES_MAX)
        return index_damaged(index, "lanes", err);
    index->lanes = calloc(index->lane_count + 1, sizeof *index->lanes);
    if (!index->lanes)
        return index_no_memory(index, err);
    for (size_t i = 0; i < index->lane_count; i++) {
        const char *end = memchr(names, 0, size_bytes);
        if (!end || !column_read(&figures, i * LANE_ROWS, LANE_ROWS, index->lanes[i].figures))
            return index_damaged(index, "lanes", err);
        index->lanes[i].name = names;
        size_bytes -= (size_t)(end + 1 - names);
        names = end + 1;
    }
    if (!are_lane_events_sound(index))
        return index_damaged(index, "lanes", err);
    if (is_xray) {
        // The lanes of an XRay log follow one after the other.
        index->lane_firsts = calloc(index->lane_count + 1, sizeof *index->lane_firsts);
        if (!index->lane_firsts)
            return index_no_memory(index, err);
        for (size_t i = 0; i < index->lane_count; i++)
            index->lane_firsts[i + 1] =
                index->lane_firsts[i] + index->lanes[i].figures[LANE_EVENTS];
        return STATUS_OK;
    }
    if (index->lane_count <= 1)
        return STATUS_OK;
    status = parts_column(&index->segments_parts, PART_SEGMENT_LANE_EVENTS,
                          &index->segments[PART_SEGMENT_LANE_EVENTS], err);
    if (status == STATUS_OK &&
        index->segments[PART_SEGMENT_LANE_EVENTS].count != index->lane_count * index->segment_count)
        return index_damaged(index, "lanes", err);
    return index_in_file(index, status, err);
}

uint64_t index_lane_of(const struct trawl_index *index, uint64_t event)
{
    size_t behind;
    PARTITION_POINT(behind, index->lane_count, index->lane_firsts[middle] <= event);
    return behind - (behind > 0);
}

void index_lanes_of(const struct trawl_index *index, uint64_t first, size_t count, uint64_t *lanes)
{
    uint64_t lane = index_lane_of(index, first);
    for (size_t i = 0; i < count; i++) {
        while (lane + 1 < index->lane_count && first + i >= index->lane_firsts[lane + 1])
            lane++;
        lanes[i] = lane;
    }
}

// Finds where the levels of the memory directories begin.
static enum status count_nodes(struct trawl_index *index, struct error *err)
{
    uint64_t count = index->nodes[PART_NODE_LEVELS].count, kind, level, before = 0;
    for (uint32_t part = PART_NODE_KINDS; part <= PART_NODE_BYTES; part++) {
        if (index->nodes[part].count != count || count > 2 * index->segment_count + 64)
            return index_damaged(index, "directory of memory", err);
    }
    if (!fits_in_file(index, &index->nodes[PART_NODE_BYTES]))
        return index_damaged(index, "directory of memory", err);
    const uint64_t all = count + index->reread[0].count;
    if (!(index->node_columns = calloc((size_t)all + 1, sizeof *index->node_columns)))
        return index_no_memory(index, err);
    for (uint64_t i = 0; i < count; i++) {
        if (!column_get(&index->nodes[PART_NODE_KINDS], i, &kind) || kind > 1 ||
            !column_get(&index->nodes[PART_NODE_LEVELS], i, &level) || !level ||
            level > MEMORY_LEVELS_MAX || (kind << 8 | level) < before)
            return index_damaged(index, "directory of memory", err);
        before = kind << 8 | level;
        if (!index->node_count[kind][level]++)
            index->node_first[kind][level] = i;
    }
    before = 0;
    for (uint64_t i = 0; i < index->reread[0].count; i++) {
        if (!column_get(&index->reread[0], i, &level) || !level || level > MEMORY_LEVELS_MAX ||
            level < before)
            return index_damaged(index, "directory of memory", err);
        before = level;
        if (!index->node_count[TOUCHED_REREAD][level]++)
            index->node_first[TOUCHED_REREAD][level] = i;
    }
    return STATUS_OK;
}

// Opens what SECTION_MEMORY has of words that are only read again, if anything.
static enum status read_reread(struct trawl_index *index, struct error *err)
{
    const struct parts *parts = &index->memory_parts;
    index->reread_columns = parts_find(parts, PART_REREAD_COLUMNS);
    for (uint32_t i = 0; index->reread_columns && i < ARRAY_COUNT(index->reread); i++) {
        struct column *column = &index->reread[i];
        const enum status status =
            index_in_file(index, parts_column(parts, PART_REREAD_LEVELS + i, column, err), err);
        if (status != STATUS_OK)
            return status;
        if (column->count != index->reread[0].count || column->count > index->segment_count + 64)
            return index_damaged(index, "directory of memory", err);
    }
    return !index->reread_columns ||
                   fits_in_file(index, &index->reread[PART_REREAD_BYTES - PART_REREAD_LEVELS])
               ? STATUS_OK
               : index_damaged(index, "directory of memory", err);
}

static enum status read_other_calls(struct trawl_index *index, struct error *err)
{
    struct parts parts;
    struct column figures;
    if (!index_has_section(index, SECTION_OTHER_CALLS))
        return STATUS_OK;
    enum status status = index_section(index, SECTION_OTHER_CALLS, &parts, err);
    if (status == STATUS_OK)
        status = index_in_file(index, parts_column(&parts, PART_OTHER_CALLS, &figures, err), err);
    if (status != STATUS_OK)
        return status;
    if (figures.count != index->lane_count * OTHER_ROWS)
        return index_damaged(index, "lanes", err);
    for (size_t i = 0; i < index->lane_count; i++) {
        if (!column_read(&figures, i * OTHER_ROWS, OTHER_ROWS, index->lanes[i].other))
            return index_damaged(index, "lanes", err);
    }
    return STATUS_OK;
}

// Whether the lanes' calls follow one after the other, and the groups have as many.
static bool are_calls_sound(struct trawl_index *index)
{
    uint64_t count = 0, all;
    for (size_t i = 0; i < index->lane_count; i++) {
        const uint64_t *figures = index->lanes[i].figures;
        if (figures[LANE_FIRST_CALL] != count ||
            __builtin_add_overflow(count, figures[LANE_CALLS], &count))
            return false;
    }
    for (size_t i = 0; i < index->lane_count; i++) {
        const uint64_t *other = index->lanes[i].other;
        if (index_has_section(index, SECTION_OTHER_CALLS) &&
            (other[OTHER_FIRST_CALL] != count ||
             __builtin_add_overflow(count, other[OTHER_CALLS], &count)))
            return false;
    }
    index->call_count = count;
    if (!column_get(&index->groups[PART_CALL_COUNT], 0, &all) || all != count)
        return false;
    if (index->is_nested)
        return !index->groups[PART_GROUP_OFFSETS].count &&
               !index_has_section(index, SECTION_OTHER_CALLS);
    return count / CALL_GROUP + (count % CALL_GROUP != 0) ==
           index->groups[PART_GROUP_OFFSETS].count;
}

static enum status read_directories(struct trawl_index *index, struct error *err)
{
    enum status status;
    index->is_nested = index_has_section(index, SECTION_NESTING);
    if (index->is_nested && !index->lane_firsts)
        return index_damaged(index, "directory of calls", err);
    if ((status = index_section(index, SECTION_REGISTERS, &index->written_parts, err)) ||
        (status = index_open_columns(index, &index->written_parts, index->written,
                                     PART_WRITTEN_KEYS, PART_WRITTEN_SEGMENTS, UINT64_MAX, err)) ||
        (status = index_section(index, SECTION_MEMORY, &index->memory_parts, err)) ||
        (status = index_open_columns(index, &index->memory_parts, index->nodes, PART_NODE_KINDS,
                                     PART_NODE_BYTES, UINT64_MAX, err)) ||
        (status = read_reread(index, err)) ||
        (status = index_section(index, SECTION_CALLS, &index->calls_parts, err)) ||
        (status = index_open_columns(index, &index->calls_parts, index->groups, PART_GROUP_OFFSETS,
                                     PART_CALL_COUNT, UINT64_MAX, err)) ||
        (status = count_nodes(index, err)) || (status = read_other_calls(index, err)))
        return status;
    for (uint32_t part = PART_GROUP_OFFSETS; part <= PART_GROUP_EXITS_MAX; part++) {
        if (index->groups[part].count != index->groups[PART_GROUP_BYTES].count)
            return index_damaged(index, "directory of calls", err);
    }
    if (!fits_in_file(index, &index->groups[PART_GROUP_BYTES]) || !are_calls_sound(index))
        return index_damaged(index, "directory of calls", err);
    index->has_snapshots = index_has_section(index, SECTION_TFILE);
    index->only_stores_count = index->identity[IDENTITY_OPTIONS] & TRAWL_READ_AS_TTU;
    index->has_places = index_has_section(index, SECTION_PLACES);
    index->memory_view = (struct index_view_of_memory){.lane = TRAWL_ANY_LANE, .event = TRAWL_NONE};
    index->seen_space = TRAWL_NONE;
    index->has_late = index_has_section(index, SECTION_LATE);
    if (index->has_late &&
        ((status = index_section(index, SECTION_LATE, &index->late_parts, err)) ||
         (status = index_open_columns(index, &index->late_parts, index->late, PART_LATE_EVENTS,
                                      PART_LATE_FLAGS, UINT64_MAX, err))))
        return status;
    if (index->has_late &&
        !is_row_count_sound(index->late[PART_LATE_EVENTS].count, index->size_bytes))
        return index_damaged(index, "late events", err);
    return STATUS_OK;
}

static enum status read_xray(struct trawl_index *index, struct error *err)
{
    if (!index_has_section(index, SECTION_XRAY))
        return STATUS_OK;
    enum status status = index_section(index, SECTION_XRAY, &index->xray_parts, err);
    if (status == STATUS_OK)
        status =
            index_open_columns(index, &index->xray_parts, index->xray_buffers,
                               PART_XRAY_BUFFER_OFFSETS, PART_XRAY_BUFFER_EVENTS, UINT64_MAX, err);
    const struct column *buffers = index->xray_buffers;
    if (status == STATUS_OK &&
        (buffers[PART_XRAY_BUFFER_BYTES].count != buffers[PART_XRAY_BUFFER_OFFSETS].count ||
         buffers[PART_XRAY_BUFFER_LANES].count != buffers[PART_XRAY_BUFFER_OFFSETS].count ||
         buffers[PART_XRAY_BUFFER_EVENTS].count != buffers[PART_XRAY_BUFFER_OFFSETS].count ||
         !column_may_rise(&buffers[PART_XRAY_BUFFER_OFFSETS])))
        status = index_damaged(index, "buffers", err);
    if (status != STATUS_OK)
        return status;
    // Reads the facts about the log, and where the numbers of its threads are.
    uint64_t rows[XRAY_LOG_ROWS];
    struct column log;
    if (parts_column(&index->xray_parts, PART_XRAY_LOG, &log, NULL) != STATUS_OK ||
        parts_column(&index->xray_parts, PART_XRAY_LANES, &index->xray_lanes, NULL) != STATUS_OK ||
        log.count < XRAY_LOG_ROWS || !column_read(&log, 0, XRAY_LOG_ROWS, rows) ||
        index->xray_lanes.count != index->lane_count * XRAY_LANE_ROWS)
        return index_damaged(index, "threads", err);
    index->kind_version = rows[XRAY_LOG_VERSION];
    return index->is_nested ? nesting_open(index, err) : STATUS_OK;
}

// Whether a region is valid, and comes after the previous one, if any. A call may write a block
// twice (if it is told to put its result where it puts the length of the result), but not more
// often. So rows that take no bytes are few.
static bool is_next_region(const struct trawl_index *index, uint64_t shift, uint64_t block,
                           uint64_t event)
{
    size_t count = index->regions.count;
    if (shift > 63 || block > UINT64_MAX >> shift || event >= index->identity[IDENTITY_EVENTS])
        return false;
    if (!count)
        return true;
    const struct region *last = &index->regions.items[count - 1];
    if (shift != last->shift || block != last->block)
        return shift > last->shift || (shift == last->shift && block > last->block);
    if (event != last->event)
        return event > last->event;
    return count == 1 || last[-1].event != event || last[-1].block != block ||
           last[-1].shift != shift;
}

static enum status read_regions_of_block(struct trawl_index *index, const struct column *columns,
                                         uint64_t from, size_t count, struct error *err)
{
    uint64_t shifts[COLUMN_BLOCK], blocks[COLUMN_BLOCK], events[COLUMN_BLOCK];
    if (!column_read(&columns[PART_REGION_SHIFTS], from, count, shifts) ||
        !column_read(&columns[PART_REGION_BLOCKS], from, count, blocks) ||
        !column_read(&columns[PART_REGION_EVENTS], from, count, events))
        return index_damaged(index, "regions", err);
    if (!VEC_ROOM(&index->regions, count))
        return index_no_memory(index, err);
    for (size_t i = 0; i < count; i++) {
        if (!is_next_region(index, shifts[i], blocks[i], events[i]))
            return index_damaged(index, "regions", err);
        index->region_shifts |= UINT64_C(1) << shifts[i];
        index->regions.items[index->regions.count++] =
            (struct region){blocks[i], events[i], (uint8_t)shifts[i]};
    }
    return STATUS_OK;
}

static enum status read_regions(struct trawl_index *index, struct error *err)
{
    struct parts parts;
    struct column columns[PART_REGION_EVENTS + 1];
    enum status status;
    if (!index_has_section(index, SECTION_REGIONS))
        return STATUS_OK;
    if ((status = index_section(index, SECTION_REGIONS, &parts, err)) ||
        (status = index_open_columns(index, &parts, columns, PART_REGION_SHIFTS, PART_REGION_EVENTS,
                                     UINT64_MAX, err)))
        return status;
    uint64_t count = columns[PART_REGION_SHIFTS].count;
    if (columns[PART_REGION_BLOCKS].count != count || columns[PART_REGION_EVENTS].count != count)
        return index_damaged(index, "regions", err);
    for (uint64_t from = 0; from < count && status == STATUS_OK; from += COLUMN_BLOCK)
        status = read_regions_of_block(index, columns, from,
                                       (size_t)u64_min(count - from, COLUMN_BLOCK), err);
    return status;
}

// Bytes that belong to the caller have no file.
static void release(struct map *map)
{
    if (map->fd >= 0)
        map_close(map);
}

enum status index_open_map(struct trawl_index **out, const char *path, struct map *map,
                           struct error *err)
{
    struct trawl_index *index = calloc(1, sizeof *index);
    if (!index || !(index->path = strdup(path))) {
        free(index);
        release(map);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    index->map = *map;
    index->bytes = (const uint8_t *)map->data;
    index->size_bytes = map->size_bytes;
    simd_choose(&index->simd, NULL);
    // The other places are those of no segment as they are: number 0 does not belong there. They
    // take 300 KB, which most questions need not touch.
    index->views[0].number = UINT64_MAX;
    index->group_views[0].number = UINT64_MAX;
    index->accesses.segment = UINT64_MAX;
    for (size_t i = 0; i < LOAD_TABLES; i++)
        index->loads[i].segment = UINT64_MAX;
    for (size_t i = 0; i < LANE_ORDERS; i++)
        index->lane_orders[i].segment = UINT64_MAX;
    enum status status;
    if ((status = read_header(index, err)) || (status = read_identity(index, err)) ||
        (status = read_segments(index, err)) || (status = read_sparse_checkpoints(index, err)) ||
        (status = read_lanes(index, err)) || (status = read_directories(index, err)) ||
        (status = read_xray(index, err)) || (status = read_regions(index, err)) ||
        (status = index_read_layout(index, err))) {
        trawl_close(index);
        return status;
    }
    *out = index;
    return STATUS_OK;
}

enum trawl_status trawl_open(struct trawl_index **index, const char *path, struct trawl_error *err)
{
    struct error why;
    struct map map;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errors_give(err, &why, error_set_errno(&why, path, "open"));
    enum status status = map_open(&map, fd, path, &why);
    if (status == STATUS_OK)
        status = index_open_map(index, path, &map, &why);
    return errors_give(err, &why, status);
}

enum trawl_status trawl_open_bytes(struct trawl_index **index, const char *name, const void *bytes,
                                   size_t size_bytes, struct trawl_error *err)
{
    struct error why;
    struct map map = {.data = bytes, .size_bytes = size_bytes, .guard_slot = -1, .fd = -1};
    return errors_give(err, &why, index_open_map(index, name, &map, &why));
}

bool index_is_intact(const struct trawl_index *index)
{
    return index->map.fd < 0 || map_is_intact(&index->map);
}

static void close_view(struct segment_view *view)
{
    for (size_t i = 0; i < ARRAY_COUNT(view->columns); i++) {
        if (view->is_column_open[i])
            free(view->columns[i].verified);
    }
    for (size_t i = 0; view->registers && i < view->register_count; i++) {
        if (!view->registers[i].is_open)
            continue;
        free(view->registers[i].events.verified);
        free(view->registers[i].values.verified);
    }
    free(view->registers);
    free(view->register_keys);
    free(view->cells);
    free(view->step_pcs);
    hash_index_free(&view->step_numbers);
    *view = (struct segment_view){.number = UINT64_MAX};
}

void trawl_close(struct trawl_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < INDEX_VIEWS; i++) {
        if (index->used_views >> i & 1)
            close_view(&index->views[i]);
    }
    release(&index->map);
    const uint64_t nodes = index->nodes[PART_NODE_LEVELS].count + index->reread[0].count;
    for (uint64_t i = 0; index->node_columns && i < nodes; i++)
        free(index->node_columns[i].verified);
    free(index->node_columns);
    free(index->regions.items);
    free(index->lane_firsts);
    register_layout_free(&index->layout);
    for (size_t i = 0; i < LANE_ORDERS; i++)
        lane_order_free(&index->lane_orders[i]);
    access_order_free(&index->accesses);
    for (size_t i = 0; i < LOAD_TABLES; i++)
        load_table_free(&index->loads[i]);
    load_decoder_free(index->load_decoder);
    function_list_free(&index->functions);
    symbol_table_free(&index->symbols);
    source_line_table_free(&index->source_lines);
    task_table_free(&index->tasks);
    index_places_free(index->places);
    nesting_free(index->nesting);
    free(index->lanes);
    free(index->visited);
    free(index->path);
    free(index);
}

// --- What it is of -------------------------------------------------------------------------------

void trawl_info_(const struct trawl_index *index, struct trawl_info *info, size_t info_bytes)
{
    const uint64_t *identity = index->identity;
    const struct trawl_info found = {
        .trace_bytes = identity[index->is_packed ? IDENTITY_TEXT_BYTES : IDENTITY_TRACE_BYTES],
        .trace_mtime_ns = identity[IDENTITY_TRACE_MTIME_NS],
        .trace_fingerprint = {identity[IDENTITY_FINGERPRINT_LOW],
                              identity[IDENTITY_FINGERPRINT_HIGH]},
        .options = identity[IDENTITY_OPTIONS],
        .events = identity[IDENTITY_EVENTS],
        .lines = identity[IDENTITY_LINES],
        .header_lines = identity[IDENTITY_HEADER_LINES],
        .damaged_lines = identity[IDENTITY_DAMAGED_LINES],
        .damaged_bytes = identity[IDENTITY_DAMAGED_BYTES],
        .refused_lane_lines = identity[IDENTITY_REFUSED_LANE_LINES],
        .lanes = index->lane_count,
        .segments = index->segment_count,
        .segment_events = identity[IDENTITY_SEGMENT_EVENTS],
        .index_bytes = index->size_bytes,
        .kind = index->kind,
        .kind_version = index->kind_version,
        .ticks_per_second = identity[IDENTITY_TICKS_PER_SECOND],
        .address_bytes = index->layout.figures.address_bytes,
        .machine = index->layout.figures.machine,
        .functions = identity[IDENTITY_FUNCTIONS],
        .is_snapshots = index->has_snapshots,
        .is_by_lanes = index->lane_firsts != NULL,
        .file_bytes = identity[IDENTITY_TRACE_BYTES],
        .packed_fault = identity[IDENTITY_PACKED_FAULT],
    };
    caller_give(info, info_bytes, &found, sizeof found);
}

// The process and thread of a lane of an XRay log.
static enum status read_thread(struct trawl_index *index, uint64_t lane, struct trawl_lane *about,
                               struct error *err)
{
    uint64_t row[XRAY_LANE_ROWS];
    if (!index->lane_firsts)
        return STATUS_OK;
    if (!column_read(&index->xray_lanes, lane * XRAY_LANE_ROWS, XRAY_LANE_ROWS, row))
        return index_damaged(index, "threads", err);
    about->process_id = row[XRAY_LANE_PID];
    about->thread_id = row[XRAY_LANE_TID];
    return STATUS_OK;
}

enum trawl_status trawl_lane_(struct trawl_index *index, uint64_t lane, struct trawl_lane *about,
                              size_t about_bytes, struct trawl_error *err)
{
    struct error why;
    if (lane >= index->lane_count)
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such lane", index->path));
    const uint64_t *figures = index->lanes[lane].figures;
    struct trawl_lane found = {
        .name = index->lanes[lane].name,
        .line_events = figures[LANE_LINE_EVENTS],
        .events = figures[LANE_EVENTS],
        .instructions = figures[LANE_INSTRUCTIONS],
        .root = figures[LANE_ROOT] == UINT64_MAX ? TRAWL_NONE : figures[LANE_ROOT],
        .transfers = figures[LANE_TRANSFERS],
        .calls_returned = figures[LANE_RETURNED],
        .calls_dropped = figures[LANE_DROPPED],
        .calls_unreturned = figures[LANE_UNRETURNED],
        .calls = figures[LANE_CALLS],
        .is_snapshot = index->has_snapshots,
        .process_id = TRAWL_NONE,
        .thread_id = TRAWL_NONE,
    };
    enum status status = read_thread(index, lane, &found, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &found, sizeof found);
    return errors_give(err, &why, status);
}

// --- Segments ------------------------------------------------------------------------------------

uint64_t index_segment_events(const struct trawl_index *index, uint64_t number)
{
    uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    uint64_t left = index->identity[IDENTITY_EVENTS] - number * per_segment;
    return u64_min(left, per_segment);
}

// Records which blocks of a column were checked. If there is no memory, each access checks.
static void remember_verified(struct column *column)
{
    column->verified = calloc((size_t)column_verified_words(column) + 1, sizeof(uint64_t));
}

enum status index_segment_parts(const struct trawl_index *index, enum segments_part offsets,
                                uint64_t number, const char *outside, struct parts *parts,
                                struct error *err)
{
    uint64_t offset, size_bytes;
    if (!column_get(&index->segments[offsets], number, &offset) ||
        !column_get(&index->segments[offsets + 1], number, &size_bytes))
        return index_damaged(index, "directory of segments", err);
    const uint8_t *bytes = index_bytes(index, offset, size_bytes);
    if (!bytes)
        return index_damaged(index, outside, err);
    return index_in_file(index, parts_open(parts, index->simd, bytes, size_bytes, err), err);
}

// The rows of the columns of lines and positions.
static uint64_t positions_of_events(const struct segment_view *view, uint64_t events)
{
    return view->has_steps ? (events + STEP_ANCHOR - 1) / STEP_ANCHOR : events;
}

static enum status open_view(struct trawl_index *index, struct segment_view *view, uint64_t number,
                             struct error *err)
{
    close_view(view);
    index->used_views |= UINT64_C(1) << number % INDEX_VIEWS;
    enum status status =
        index_segment_parts(index, PART_SEGMENT_OFFSETS, number,
                            "a segment lies outside of the file", &view->parts, err);
    if (status != STATUS_OK)
        return status;
    // Two events cannot begin at the same byte of the trace, so their positions take some bytes.
    const struct part *positions = parts_find(&view->parts, PART_POSITION);
    view->has_steps = parts_find(&view->parts, PART_STEP_PCS) != NULL;
    const uint64_t rows = positions_of_events(view, index_segment_events(index, number));
    if (!positions || rows / COLUMN_BLOCK > positions->size_bytes)
        return index_damaged(index, "a segment is too short for its events", err);
    view->number = number;
    return STATUS_OK;
}

struct segment_view *index_segment(struct trawl_index *index, uint64_t number, struct error *err)
{
    struct segment_view *view = &index->views[number % INDEX_VIEWS];
    if (LIKELY(view->number == number && number < index->segment_count))
        return view;
    if (number >= index->segment_count) {
        error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
        return NULL;
    }
    if (open_view(index, view, number, err) != STATUS_OK) {
        close_view(view);
        return NULL;
    }
    return view;
}

const struct column *segment_open_column(struct trawl_index *index, struct segment_view *view,
                                         enum segment_part part, struct error *err)
{
    struct column *column = &view->columns[part];
    if (!parts_find(&view->parts, part)) {
        error_set(err, STATUS_NOT_FOUND, "%s: damaged: part %d of a segment is missing",
                  index->path, (int)part);
        return NULL;
    }
    if (index_in_file(index, parts_column(&view->parts, part, column, err), err) != STATUS_OK)
        return NULL;
    uint64_t events = index_segment_events(index, view->number);
    if (part == PART_LINE || part == PART_POSITION)
        events = positions_of_events(view, events);
    bool is_per_event = part <= PART_LANE;
    if (is_per_event && column->count != events) {
        index_damaged(index, "a column of a segment has another length", err);
        return NULL;
    }
    bool is_rising = part == PART_POSITION || part == PART_EXCEPTION_EVENTS ||
                     part == PART_HOST_CALLS || part == PART_STEP_EXCEPTIONS ||
                     part == PART_MEMORY_WORDS || part == PART_MEMORY_STARTS;
    if (is_rising ? !column_may_rise(column)
                  : !is_row_count_sound(column->count, view->parts.size_bytes)) {
        index_damaged(index, "a column of a segment has another length", err);
        return NULL;
    }
    remember_verified(column);
    view->is_column_open[part] = true;
    return column;
}

enum status segment_registers(struct trawl_index *index, struct segment_view *view,
                              struct error *err)
{
    struct column keys, starts, value_starts;
    enum status status;
    if (view->register_keys)
        return STATUS_OK;
    const bool has_shared = parts_find(&view->parts, PART_REGISTER_VALUE_STARTS) != NULL;
    if ((status = parts_column(&view->parts, PART_REGISTER_KEYS, &keys, err)) ||
        (status = parts_column(&view->parts, PART_REGISTER_STARTS, &starts, err)) ||
        (has_shared &&
         (status = parts_column(&view->parts, PART_REGISTER_VALUE_STARTS, &value_starts, err))))
        return index_in_file(index, status, err);
    const struct part *data = parts_find(&view->parts, PART_REGISTER_DATA);
    // Each timeline has two columns, so their number is limited by the bytes of the part.
    const uint64_t sharers = has_shared ? TIMELINE_SHARERS : 1;
    if (!data || keys.count != starts.count || (has_shared && keys.count != value_starts.count) ||
        keys.count > data->size_bytes / (2 * COLUMN_HEAD_BYTES_MIN) * sharers)
        return index_damaged(index, "registers of a segment", err);
    size_t count = (size_t)keys.count;
    view->register_keys = calloc(3 * count + 1, sizeof *view->register_keys);
    view->registers = calloc(count + 1, sizeof *view->registers);
    if (!view->register_keys || !view->registers) {
        free(view->register_keys);
        free(view->registers);
        view->register_keys = NULL;
        view->registers = NULL;
        return index_no_memory(index, err);
    }
    view->register_starts = view->register_keys + count;
    view->register_value_starts = has_shared ? view->register_keys + 2 * count : NULL;
    view->register_count = count;
    if (!column_read(&keys, 0, count, view->register_keys) ||
        !column_read(&starts, 0, count, view->register_starts) ||
        (has_shared && !column_read(&value_starts, 0, count, view->register_value_starts))) {
        free(view->register_keys);
        free(view->registers);
        view->register_keys = NULL;
        view->registers = NULL;
        return index_damaged(index, "registers of a segment", err);
    }
    return STATUS_OK;
}

static bool open_timeline_column(const struct trawl_index *index, const struct part *data,
                                 uint64_t start, struct column *column, struct error *err)
{
    if (start > data->size_bytes) {
        index_damaged(index, "registers of a segment", err);
        return false;
    }
    return index_in_file(index,
                         column_open(column, index->simd, data->bytes + start,
                                     (size_t)(data->size_bytes - start), err),
                         err) == STATUS_OK;
}

const struct timeline_view *segment_timeline(struct trawl_index *index, struct segment_view *view,
                                             size_t i, struct error *err)
{
    struct timeline_view *timeline = &view->registers[i];
    if (timeline->is_open)
        return timeline;
    const struct part *data = parts_find(&view->parts, PART_REGISTER_DATA);
    uint64_t start = view->register_starts[i];
    if (!open_timeline_column(index, data, start, &timeline->events, err))
        return NULL;
    start = view->register_value_starts ? view->register_value_starts[i]
                                        : start + timeline->events.size_bytes;
    if (!open_timeline_column(index, data, start, &timeline->values, err))
        return NULL;
    uint64_t count = timeline->events.count;
    if (!count || count != timeline->values.count ||
        count > index_segment_events(index, view->number)) {
        index_damaged(index, "registers of a segment", err);
        return NULL;
    }
    remember_verified(&timeline->events);
    remember_verified(&timeline->values);
    timeline->is_open = true;
    const struct column *events = &timeline->events, *last = i ? &timeline[-1].events : NULL;
    timeline->has_events_of_last = last && timeline[-1].is_open &&
                                   last->size_bytes == events->size_bytes &&
                                   memcmp(last->bytes, events->bytes, events->size_bytes) == 0;
    return timeline;
}
