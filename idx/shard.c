#include "idx/shard.h"

#include "idx/index_header.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static enum status no_memory(const struct shard *shard, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory", shard->path);
}

enum status shard_damaged(const struct shard *shard, const char *what, struct error *err)
{
    return error_set(err, STATUS_INPUT, "%s: damaged: %s", shard->path, what);
}

const uint8_t *shard_bytes(const struct shard *shard, uint64_t offset, uint64_t size_bytes)
{
    uint64_t all = shard->map.size_bytes;
    if (offset > all || size_bytes > all - offset)
        return NULL;
    return (const uint8_t *)shard->map.data + offset;
}

static const struct index_section_entry *find_section(const struct shard *shard,
                                                      enum index_section number)
{
    for (size_t i = 0; i < shard->section_count; i++) {
        if (shard->sections[i].number == (uint32_t)number)
            return &shard->sections[i];
    }
    return NULL;
}

const uint8_t *shard_section(const struct shard *shard, enum index_section number,
                             uint64_t *size_bytes)
{
    const struct index_section_entry *section = find_section(shard, number);
    *size_bytes = section ? section->size_bytes : 0;
    return section ? shard_bytes(shard, section->offset, section->size_bytes) : NULL;
}

enum status shard_parts(const struct shard *shard, enum index_section number, struct parts *parts,
                        struct error *err)
{
    uint64_t size_bytes;
    const uint8_t *bytes = shard_section(shard, number, &size_bytes);
    if (!bytes)
        return shard_damaged(shard, "a section is missing", err);
    if (parts_open(parts, shard->simd, bytes, size_bytes, NULL) != STATUS_OK)
        return shard_damaged(shard, "a section", err);
    return STATUS_OK;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status map_file(struct shard *shard, enum file_role wanted, struct error *err)
{
    struct stat info;
    int fd = open(shard->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(err, STATUS_INPUT, "%s: %s", shard->path, strerror(errno));
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return file_role_refuse(shard->path, ROLE_OTHER, wanted, err);
    }
    return map_open(&shard->map, fd, shard->path, err);
}

static enum status read_header(struct shard *shard, enum file_role wanted, struct error *err)
{
    const uint8_t *file = (const uint8_t *)shard->map.data;
    enum file_role role = file_role(file, (size_t)shard->map.size_bytes, shard->map.size_bytes);
    switch (index_header_read(file, shard->map.size_bytes, SHARD_MAGIC, shard->sections,
                              &shard->section_count)) {
    case HEADER_SOUND:
        return role == wanted ? STATUS_OK : file_role_refuse(shard->path, role, wanted, err);
    case HEADER_STRANGE:
        return role == ROLE_PART ? shard_damaged(shard, "the file was cut", err)
                                 : file_role_refuse(shard->path, role, wanted, err);
    case HEADER_OTHER_VERSION:
        return error_set(err, STATUS_INPUT, "%s: made by another version of trawl", shard->path);
    case HEADER_CUT:
        return shard_damaged(shard, "the file was cut", err);
    case HEADER_DAMAGED:
    case HEADER_TOO_MANY_SECTIONS:
        break;
    }
    return shard_damaged(shard, "header", err);
}

static enum status read_identity(struct shard *shard, struct error *err)
{
    struct parts parts;
    struct column column;
    const char *kind;
    size_t length;
    enum status status = shard_parts(shard, SECTION_IDENTITY, &parts, err);
    if (status != STATUS_OK)
        return status;
    if (parts_column(&parts, PART_IDENTITY, &column, NULL) != STATUS_OK ||
        column.count < IDENTITY_ROWS_MIN ||
        !column_read(&column, 0, (size_t)u64_min(column.count, IDENTITY_ROWS), shard->identity) ||
        parts_text(&parts, PART_IDENTITY_KIND, &kind, &length, NULL) != STATUS_OK ||
        length >= sizeof shard->kind || memchr(kind, 0, length))
        return shard_damaged(shard, "identity", err);
    memcpy(shard->kind, kind, length);
    if (parts_find(&parts, PART_IDENTITY_TASK_KEY)) {
        if (parts_text(&parts, PART_IDENTITY_TASK_KEY, &kind, &length, NULL) != STATUS_OK ||
            length >= sizeof shard->task_key || memchr(kind, 0, length))
            return shard_damaged(shard, "identity", err);
        memcpy(shard->task_key, kind, length);
    }
    shard->is_packed = column.count > IDENTITY_TEXT_BYTES;
    return STATUS_OK;
}

// Whether the columns of the section have the required number of rows.
static bool open_columns(struct shard *shard, const struct parts *parts)
{
    struct column figures;
    for (uint32_t part = PART_SEGMENT_OFFSETS; part <= PART_SHARD_FLAGS; part++) {
        struct column *column = &shard->segments[part];
        if (part == PART_SEGMENT_LANE_EVENTS)
            continue;
        if (parts_column(parts, part, column, NULL) != STATUS_OK ||
            column->count != shard->segments[PART_SEGMENT_OFFSETS].count)
            return false;
    }
    for (uint32_t part = PART_SHARD_LATE_EVENTS; part <= PART_SHARD_LATE_FLAGS; part++) {
        struct column *column = &shard->late[part];
        if (parts_column(parts, part, column, NULL) != STATUS_OK ||
            column->count != shard->late[PART_SHARD_LATE_EVENTS].count)
            return false;
    }
    shard->segment_count = shard->segments[PART_SEGMENT_OFFSETS].count;
    // Each segment has bytes of its own, so the directory alone cannot claim arbitrarily many.
    return shard->segment_count <= shard->map.size_bytes &&
           shard->late[PART_SHARD_LATE_EVENTS].count / COLUMN_BLOCK <= shard->map.size_bytes &&
           parts_column(parts, PART_SHARD_FIGURES, &figures, NULL) == STATUS_OK &&
           figures.count >= SHARD_FIGURES &&
           column_read(&figures, 0, SHARD_FIGURES, shard->figures);
}

// Whether the part is unchanged. Its writer writes this section last, so all bytes before it are
// hashed, and the section has checks of its own.
static bool is_whole(const struct shard *shard)
{
    const struct index_section_entry *section = find_section(shard, SECTION_SHARD);
    uint64_t end = section->offset;
    if (end < INDEX_HEADER_BYTES || end > shard->map.size_bytes)
        return false;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return true;
#else
    return XXH3_64bits(shard->map.data + INDEX_HEADER_BYTES, (size_t)(end - INDEX_HEADER_BYTES)) ==
           shard->figures[SHARD_HASH];
#endif
}

static enum status read_shard(struct shard *shard, struct error *err)
{
    struct parts parts;
    enum status status = shard_parts(shard, SECTION_SHARD, &parts, err);
    if (status != STATUS_OK)
        return status;
    if (!open_columns(shard, &parts))
        return shard_damaged(shard, "list of segments", err);
    const uint64_t *figures = shard->figures;
    if (!figures[SHARD_NUMBER] || figures[SHARD_NUMBER] > figures[SHARD_COUNT] ||
        figures[SHARD_COUNT] > LIMIT_SHARDS)
        return shard_damaged(shard, "number of the shard", err);
    return STATUS_OK;
}

enum status shard_verify(const struct shard *shard, struct error *err)
{
    return is_whole(shard) ? STATUS_OK : shard_damaged(shard, "its bytes were changed", err);
}

struct fingerprint shard_fingerprint(const uint64_t identity[IDENTITY_ROWS])
{
    return (struct fingerprint){
        .size_bytes = identity[IDENTITY_TRACE_BYTES],
        .mtime_ns = identity[IDENTITY_TRACE_MTIME_NS],
        .sample = {identity[IDENTITY_FINGERPRINT_LOW], identity[IDENTITY_FINGERPRINT_HIGH]},
    };
}

enum status shard_open(struct shard *shard, const char *path, enum file_role wanted,
                       struct error *err)
{
    *shard = (struct shard){.path = path};
    simd_choose(&shard->simd, NULL);
    enum status status = map_file(shard, wanted, err);
    if (status != STATUS_OK) {
        shard->map = (struct map){.guard_slot = -1, .fd = -1};
        return status;
    }
    if ((status = read_header(shard, wanted, err)) || (status = read_identity(shard, err)) ||
        (status = read_shard(shard, err)))
        shard_close(shard);
    return status;
}

void shard_close(struct shard *shard)
{
    if (shard->path)
        map_close(&shard->map);
    *shard = (struct shard){0};
}

// --- Segments ------------------------------------------------------------------------------------

static bool get(const struct shard *shard, uint32_t part, uint64_t at, uint64_t *value)
{
    return column_get(&shard->segments[part], at, value);
}

// False: no memory, which is noted in the segment.
#define ROOM(segment, to, count) (VEC_ROOM(to, count) || !((segment)->lacks_memory = true))

// Reads a column of at most `count_max` rows into `segment->column`. `rising`: values must ascend.
static bool read_column(struct shard_segment *segment, const struct parts *parts, uint32_t part,
                        uint64_t count_max, bool rising)
{
    struct column column;
    segment->column.count = 0;
    if (parts_column(parts, part, &column, NULL) != STATUS_OK || column.count > count_max ||
        (rising && !column_may_rise(&column)) ||
        !ROOM(segment, &segment->column, (size_t)column.count))
        return false;
    segment->column.count = (size_t)column.count;
    uint64_t *items = segment->column.items;
    return !column.count || (rising ? column_read_rising(&column, 0, segment->column.count, items)
                                    : column_read(&column, 0, segment->column.count, items));
}

static bool read_cells(struct shard_segment *segment, const struct parts *parts, size_t lane_count)
{
    struct segment_writer *writer = &segment->writer;
    const uint64_t cells_max = (uint64_t)lane_count * REGISTER_CELLS_MAX;
    writer->cells.count = 0;
    if (!read_column(segment, parts, PART_DIGEST_CELLS, cells_max, true) ||
        !ROOM(segment, &writer->cells, segment->column.count))
        return false;
    size_t count = segment->column.count;
    for (size_t i = 0; i < count; i++) {
        uint64_t cell = segment->column.items[i];
        if (cell >> 16 >= lane_count || (cell & 0xffff) >= REGISTER_CELLS_MAX)
            return false;
        writer->cells.items[i].lane_cell = (uint32_t)cell;
    }
    if (!read_column(segment, parts, PART_DIGEST_KNOWN, count, false) ||
        segment->column.count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        writer->cells.items[i].known = (uint8_t)segment->column.items[i];
        writer->cells.items[i].unknown = (uint8_t)(segment->column.items[i] >> 8);
    }
    if (!read_column(segment, parts, PART_DIGEST_VALUES, count, false) ||
        segment->column.count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        writer->cells.items[i].value = segment->column.items[i];
    writer->cells.count = count;
    return true;
}

static bool read_lane_events(struct shard_segment *segment, const struct parts *parts,
                             size_t lane_count)
{
    struct segment_writer *writer = &segment->writer;
    writer->lane_events.count = 0;
    if (!read_column(segment, parts, PART_DIGEST_LANE_EVENTS, lane_count, false) ||
        !ROOM(segment, &writer->lane_events, segment->column.count))
        return false;
    for (size_t i = 0; i < segment->column.count; i++) {
        if (segment->column.items[i] > INDEX_SEGMENT_EVENTS_MAX)
            return false;
        writer->lane_events.items[i] = (uint32_t)segment->column.items[i];
    }
    writer->lane_events.count = segment->column.count;
    return true;
}

// Copies the current column to a vector with the same type of items.
#define TAKE_COLUMN(to, segment)                                                                   \
    (ROOM(segment, &(to), (segment)->column.count) &&                                              \
     (((to).count = (segment)->column.count) == 0 ||                                               \
      memcpy((to).items, (segment)->column.items, (to).count * sizeof *(to).items)))

static bool read_rising(struct shard_segment *segment, const struct parts *parts)
{
    struct segment_writer *writer = &segment->writer;
    writer->register_keys.count = writer->stored.count = 0;
    writer->loaded.count = writer->reread.count = 0;
    return read_column(segment, parts, PART_DIGEST_KEYS, UINT32_MAX, true) &&
           TAKE_COLUMN(writer->register_keys, segment) &&
           read_column(segment, parts, PART_DIGEST_STORED, UINT32_MAX, true) &&
           TAKE_COLUMN(writer->stored, segment) &&
           read_column(segment, parts, PART_DIGEST_LOADED, UINT32_MAX, true) &&
           TAKE_COLUMN(writer->loaded, segment) &&
           read_column(segment, parts, PART_DIGEST_REREAD, UINT32_MAX, true) &&
           TAKE_COLUMN(writer->reread, segment);
}

static bool read_contradictions(struct shard_segment *segment, const struct parts *parts)
{
    struct segment_writer *writer = &segment->writer;
    writer->contradictions = writer->contradiction_line = 0;
    if (!parts_find(parts, PART_DIGEST_CONTRADICTIONS))
        return true;
    if (!read_column(segment, parts, PART_DIGEST_CONTRADICTIONS, 2, false))
        return false;
    if (segment->column.count != 2)
        return false;
    writer->contradictions = segment->column.items[0];
    writer->contradiction_line = segment->column.items[1];
    return writer->contradictions <= segment->input.event_count;
}

static bool read_row(const struct shard *shard, uint64_t at, struct shard_segment *segment)
{
    uint64_t offset, size_bytes, events, host_calls, flags;
    if (!get(shard, PART_SEGMENT_OFFSETS, at, &offset) ||
        !get(shard, PART_SEGMENT_BYTES, at, &size_bytes) ||
        !get(shard, PART_SEGMENT_EVENTS, at, &events) || events > INDEX_SEGMENT_EVENTS_MAX ||
        !get(shard, PART_SEGMENT_LINES, at, &segment->line) ||
        !get(shard, PART_SEGMENT_POSITIONS, at, &segment->position) ||
        !get(shard, PART_SEGMENT_TIMES, at, &segment->time) ||
        !get(shard, PART_SEGMENT_TIMES_MAX, at, &segment->writer.time_max) ||
        !get(shard, PART_SEGMENT_HOST_CALLS, at, &host_calls) || host_calls > events ||
        !get(shard, PART_SHARD_FLAGS, at, &flags) ||
        flags > (SHARD_HAS_FORMS | SHARD_HAS_PLACES | UINT8_MAX))
        return false;
    const uint8_t *bytes = shard_bytes(shard, offset, size_bytes);
    segment->writer.bytes.items = (uint8_t *)(uintptr_t)bytes;
    segment->writer.bytes.count = (size_t)size_bytes;
    segment->writer.host_call_count = (size_t)host_calls;
    segment->writer.flags = (uint8_t)flags;
    segment->writer.has_places = flags & SHARD_HAS_PLACES;
    segment->writer.has_forms = flags & SHARD_HAS_FORMS;
    segment->events = (struct segment_events){
        .time = &segment->time, .line = &segment->line, .position = &segment->position};
    segment->input =
        (struct segment_input){.events = &segment->events, .event_count = (uint32_t)events};
    return bytes != NULL;
}

enum status shard_segment(const struct shard *shard, uint64_t at, size_t lane_count,
                          struct shard_segment *segment, struct error *err)
{
    struct parts parts;
    uint64_t offset, size_bytes;
    const uint8_t *digest;
    segment->lacks_memory = false;
    if (!read_row(shard, at, segment) || !get(shard, PART_CHECKPOINT_OFFSETS, at, &offset) ||
        !get(shard, PART_CHECKPOINT_BYTES, at, &size_bytes) ||
        !(digest = shard_bytes(shard, offset, size_bytes)) ||
        parts_open(&parts, shard->simd, digest, size_bytes, NULL) != STATUS_OK ||
        !read_cells(segment, &parts, lane_count) ||
        !read_lane_events(segment, &parts, lane_count) || !read_rising(segment, &parts) ||
        !read_contradictions(segment, &parts))
        return segment->lacks_memory ? no_memory(shard, err)
                                     : shard_damaged(shard, "a segment", err);
    return STATUS_OK;
}

void shard_segment_free(struct shard_segment *segment)
{
    struct segment_writer *writer = &segment->writer;
    free(writer->cells.items);
    free(writer->register_keys.items);
    free(writer->stored.items);
    free(writer->loaded.items);
    free(writer->reread.items);
    free(writer->lane_events.items);
    free(segment->column.items);
    *segment = (struct shard_segment){0};
}

struct segment_late *shard_late(const struct shard *shard, size_t *count, enum status *status,
                                struct error *err)
{
    const struct column *columns = shard->late;
    *status = STATUS_OK;
    *count = (size_t)columns[PART_SHARD_LATE_EVENTS].count;
    struct segment_late *late = *count ? calloc(*count, sizeof *late) : NULL;
    if (*count && !late)
        *status = no_memory(shard, err);
    for (size_t i = 0; i < *count && *status == STATUS_OK; i++) {
        uint64_t flags;
        if (!column_get(&columns[PART_SHARD_LATE_EVENTS], i, &late[i].event) ||
            !column_get(&columns[PART_SHARD_LATE_PCS], i, &late[i].pc) ||
            !column_get(&columns[PART_SHARD_LATE_POSITIONS], i, &late[i].instruction_position) ||
            !column_get(&columns[PART_SHARD_LATE_FLAGS], i, &flags) || flags > UINT8_MAX)
            *status = shard_damaged(shard, "corrections of events", err);
        else
            late[i].flags = (uint8_t)flags;
    }
    if (*status == STATUS_OK)
        return late;
    free(late);
    return NULL;
}
