#include "trace/xray/log_open.h"

#include "trace/xray/build.h"
#include "trace/xray/record.h"

#include <stdlib.h>

// --- The header ----------------------------------------------------------------------------------

// Checks version and type, which are the only magic number. Versions that do not exist yet are also
// accepted.
static bool magic_is(const uint8_t *bytes, bool is_big_endian, uint16_t *version, uint16_t *type)
{
    *version = load_u16(bytes, is_big_endian);
    *type = load_u16(bytes + 2, is_big_endian);
    return *version >= 1 && *version < 32 && *type <= XRAY_FDR;
}

static bool is_binary(const void *data, uint64_t size_bytes)
{
    uint16_t version, type;
    return size_bytes >= 2 * sizeof version &&
           (magic_is(data, false, &version, &type) || magic_is(data, true, &version, &type));
}

bool xray_log_is(const void *data, uint64_t size_bytes)
{
    return is_binary(data, size_bytes) || xray_yaml_is(data, size_bytes);
}

static enum status read_header(struct xray_log *log, struct error *err)
{
    uint16_t version = 0, type = 0;
    struct xray_header *header = &log->header;
    if (!is_binary(log->data, log->size_bytes))
        return error_set(err, STATUS_INPUT, "not an XRay log");
    header->is_big_endian = !magic_is(log->data, false, &version, &type);
    magic_is(log->data, header->is_big_endian, &version, &type);
    header->version = version;
    header->type = (enum xray_type)type;
    bool is_basic = header->type == XRAY_BASIC;
    if (!xray_version_is_known(header->type, version))
        return error_set_at(err, STATUS_INPUT, 0, "%s log of version %u, which trawl does not read",
                            is_basic ? "basic XRay" : "XRay FDR", version);
    if (log->size_bytes < XRAY_HEADER_BYTES)
        return error_set_at(err, STATUS_INPUT, log->size_bytes,
                            "the XRay log ends inside its header");
    uint32_t flags = load_u32(log->data + 4, header->is_big_endian);
    // In a big-endian file, bit fields begin at the other end. The remaining bits are undefined.
    header->constant_tsc = header->is_big_endian ? flags >> 31 : flags & 1;
    header->nonstop_tsc = header->is_big_endian ? flags >> 30 & 1 : flags >> 1 & 1;
    header->frequency_hz = load_u64(log->data + 8, header->is_big_endian);
    header->buffer_bytes = load_u64(log->data + 16, header->is_big_endian);
    return STATUS_OK;
}

// --- Order ---------------------------------------------------------------------------------------

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

ORDER_BY_2(compare_threads, struct xray_thread, pid, tid)

// Compares what distinguishes a buffer from others of its thread.
static int compare_times(const struct xray_buffer *a, const struct xray_buffer *b)
{
    int order = compare_u64(a->wall_seconds, b->wall_seconds);
    if (!order)
        order = compare_u64(a->wall_micros, b->wall_micros);
    return order ? order : compare_u64(a->first_tsc, b->first_tsc);
}

static int compare_buffers(const void *a_item, const void *b_item)
{
    const struct xray_buffer *a = a_item, *b = b_item;
    int order = compare_u64(a->thread, b->thread);
    if (!order)
        order = compare_times(a, b);
    return order ? order : compare_u64(a->offset, b->offset);
}

// Numbers threads by their ids, also in the buffers. `first_buffer` temporarily has their old
// numbers.
static bool order_threads(struct xray_log *log)
{
    uint32_t *renumbered = malloc((log->threads.count + 1) * sizeof *renumbered);
    if (!renumbered)
        return false;
    for (size_t i = 0; i < log->threads.count; i++)
        log->threads.items[i].first_buffer = i;
    if (log->threads.count)
        qsort(log->threads.items, log->threads.count, sizeof *log->threads.items, compare_threads);
    for (size_t i = 0; i < log->threads.count; i++) {
        renumbered[log->threads.items[i].first_buffer] = (uint32_t)i;
        log->has_many_processes |= log->threads.items[i].pid != log->threads.items[0].pid;
    }
    for (size_t i = 0; i < log->buffers.count; i++)
        log->buffers.items[i].thread = renumbered[log->buffers.items[i].thread];
    free(renumbered);
    return true;
}

// The runtime sometimes writes a slot of its ring twice (and loses another).
static bool is_duplicate(const struct xray_log *log, const struct xray_buffer *a,
                         const struct xray_buffer *b)
{
    return a->thread == b->thread && compare_times(a, b) == 0 && a->size_bytes == b->size_bytes &&
           memcmp(log->data + a->offset, log->data + b->offset, (size_t)a->size_bytes) == 0;
}

VEC(hidden, struct xray_buffer);

static bool hide(struct hidden *hidden, const struct xray_buffer *buffer)
{
    if (!VEC_ROOM(hidden, 1))
        return false;
    hidden->items[hidden->count++] = *buffer;
    return true;
}

// Removes duplicates from the buffers, which are sorted. False: no memory.
static bool hide_duplicates(struct xray_log *log, struct hidden *hidden)
{
    const struct xray_header *own = &log->header;
    struct xray_buffer *buffers = log->buffers.items;
    size_t kept = 0;
    for (size_t i = 0; i < log->buffers.count; i++) {
        const struct xray_thread *of = &log->threads.items[buffers[i].thread];
        struct xray_buffer twice = buffers[i];
        if (own->type == XRAY_BASIC)
            twice.size_bytes = xray_repeated_bytes(log, buffers + of->first_buffer,
                                                   (size_t)of->buffer_count, &buffers[i]);
        else if (!kept || !is_duplicate(log, &buffers[kept - 1], &buffers[i]))
            twice.size_bytes = 0;
        if (twice.size_bytes && !hide(hidden, &twice))
            return false;
        if (twice.size_bytes && twice.size_bytes == buffers[i].size_bytes)
            continue;
        if (twice.size_bytes) {
            buffers[i].offset = buffers[i].wall_seconds += twice.size_bytes;
            buffers[i].size_bytes -= twice.size_bytes;
            buffers[i].first_tsc = load_u64(log->data + buffers[i].offset + 8, own->is_big_endian);
        }
        struct xray_thread *thread = &log->threads.items[buffers[i].thread];
        if (!thread->buffer_count++)
            thread->first_buffer = kept;
        thread->size_bytes += buffers[i].size_bytes;
        buffers[kept++] = buffers[i];
    }
    log->duplicate_buffers = hidden->count;
    log->buffers.count = kept;
    return true;
}

static bool order_buffers(struct xray_build *build)
{
    struct xray_log *log = build->log;
    struct hidden hidden = {0};
    if (log->buffers.count)
        qsort(log->buffers.items, log->buffers.count, sizeof *log->buffers.items, compare_buffers);
    bool has_memory = hide_duplicates(log, &hidden);
    for (size_t i = 0; i < build->unused.count && has_memory; i++)
        has_memory = hide(&hidden, &(struct xray_buffer){.offset = build->unused.items[i],
                                                         .size_bytes = XRAY_METADATA_BYTES});
    has_memory = has_memory && VEC_ROOM(&log->buffers, hidden.count + 1);
    if (has_memory && hidden.count)
        memcpy(log->buffers.items + log->buffers.count, hidden.items,
               hidden.count * sizeof *hidden.items);
    log->unused_buffers = build->unused.count;
    log->hidden_buffers = hidden.count;
    free(hidden.items);
    return has_memory;
}

// --- Records in two logs -------------------------------------------------------------------------

// Of two binary logs in flight data recorder mode. Both threads have their buffers in the order of
// time.
static uint64_t share_buffers(struct xray_log *log, const struct xray_thread *thread,
                              const struct xray_log *earlier, const struct xray_thread *other)
{
    enum { PREAMBLE_BYTES = 4 * XRAY_METADATA_BYTES };
    struct xray_buffer *own = log->buffers.items + thread->first_buffer;
    const struct xray_buffer *theirs = earlier->buffers.items + other->first_buffer;
    const struct xray_buffer *own_end = own + thread->buffer_count;
    const struct xray_buffer *their_end = theirs + other->buffer_count;
    uint64_t count = 0;
    while (own < own_end && theirs < their_end) {
        int order = compare_times(own, theirs);
        if (order == 0) {
            // How many bytes at the beginning of two buffers are equal, apart from their extents.
            const uint8_t *a_bytes = log->data + own->offset,
                          *b_bytes = earlier->data + theirs->offset;
            uint64_t size_bytes = u64_min(own->size_bytes, theirs->size_bytes);
            bool has_extents = log->header.version > 1;
            uint64_t at = u64_min(has_extents ? XRAY_METADATA_BYTES : 0, size_bytes);
            while (at < size_bytes && a_bytes[at] == b_bytes[at])
                at++;
            uint64_t equal = at;
            if (equal > own->shared_bytes && equal > PREAMBLE_BYTES) {
                count += own->shared_bytes == 0;
                own->shared_bytes = equal;
            }
        }
        own += order <= 0;
        theirs += order >= 0;
    }
    return count;
}

static bool next_function(struct xray_cursor *cursor, struct xray_record *record)
{
    while (xray_next(cursor, record)) {
        if (xray_is_function(record->kind))
            return true;
    }
    return false;
}

// Reads the first record of a function that is not before `tsc`.
static bool seek(struct xray_cursor *cursor, struct xray_record *record, const struct xray_log *log,
                 const struct xray_thread *thread, uint64_t tsc)
{
    const struct xray_buffer *buffers = log->buffers.items + thread->first_buffer;
    size_t after;
    PARTITION_POINT(after, thread->buffer_count, buffers[middle].first_tsc <= tsc);
    xray_cursor_buffers(cursor, log, thread->first_buffer + after - (after > 0),
                        thread->first_buffer + thread->buffer_count);
    while (next_function(cursor, record)) {
        if (record->tsc >= tsc)
            return true;
    }
    return false;
}

// Of logs whose buffers are runs of records in the file, which begin at other records if other
// threads wrote in between: what is shared begins where the later one of the logs does, and ends at
// the fork.
static bool share_records(struct xray_log *log, const struct xray_thread *thread,
                          const struct xray_log *earlier, const struct xray_thread *other,
                          uint64_t *count)
{
    struct xray_cursor own, theirs;
    struct xray_record own_record, their_record;
    if (!thread->buffer_count || !other->buffer_count)
        return true;
    uint64_t start = u64_max(log->buffers.items[thread->first_buffer].first_tsc,
                             earlier->buffers.items[other->first_buffer].first_tsc);
    uint64_t last_buffer = UINT64_MAX;
    bool goes_on = seek(&own, &own_record, log, thread, start) &&
                   seek(&theirs, &their_record, earlier, other, start);
    while (goes_on && own_record.kind == their_record.kind &&
           own_record.function == their_record.function && own_record.tsc == their_record.tsc) {
        struct xray_buffer *buffer = &log->buffers.items[own.buffer_index];
        uint64_t end = (uint64_t)(own.at - log->data);
        if (own.buffer_index != last_buffer) {
            if (!VEC_ROOM(&log->shared, 1))
                return false;
            log->shared.items[log->shared.count++].from = own_record.offset;
            *count += buffer->shared_bytes == 0;
            last_buffer = own.buffer_index;
        }
        log->shared.items[log->shared.count - 1].to = end;
        buffer->shared_bytes = u64_max(buffer->shared_bytes, end - buffer->offset);
        goes_on = next_function(&own, &own_record) && next_function(&theirs, &their_record);
    }
    return true;
}

ORDER_BY(compare_ranges, struct xray_extent, from)

bool xray_log_share(struct xray_log *log, const struct xray_log *earlier, uint64_t *count)
{
    const struct xray_header *own = &log->header, *theirs = &earlier->header;
    bool is_by_bytes = own->type == XRAY_FDR && !log->made && !earlier->made;
    bool has_memory = true;
    if (own->type != theirs->type || own->version != theirs->version ||
        own->is_big_endian != theirs->is_big_endian)
        return true;
    for (size_t i = 0, j = 0; i < log->threads.count && j < earlier->threads.count && has_memory;) {
        const struct xray_thread *thread = &log->threads.items[i];
        const struct xray_thread *other = &earlier->threads.items[j];
        int order = compare_threads(thread, other);
        if (order == 0 && is_by_bytes)
            *count += share_buffers(log, thread, earlier, other);
        else if (order == 0)
            has_memory = share_records(log, thread, earlier, other, count);
        i += order <= 0;
        j += order >= 0;
    }
    // Orders what is shared with several logs, and joins what overlaps.
    struct xray_extent *ranges = log->shared.items;
    size_t kept = 0;
    if (log->shared.count)
        qsort(ranges, log->shared.count, sizeof *ranges, compare_ranges);
    for (size_t i = 0; i < log->shared.count; i++) {
        if (kept && ranges[i].from <= ranges[kept - 1].to)
            ranges[kept - 1].to = u64_max(ranges[kept - 1].to, ranges[i].to);
        else
            ranges[kept++] = ranges[i];
    }
    log->shared.count = kept;
    return has_memory;
}

// --- The log -------------------------------------------------------------------------------------

static enum status open_binary(struct xray_log *log, struct error *err)
{
    enum status status = read_header(log, err);
    if (status != STATUS_OK)
        return status;
    struct xray_build build = {.log = log};
    bool has_memory =
        log->header.type == XRAY_BASIC ? xray_find_runs(&build) : xray_find_buffers(&build);
    hash_index_free(&build.threads);
    has_memory = has_memory && order_threads(log) && order_buffers(&build);
    free(build.unused.items);
    return has_memory ? STATUS_OK
                      : error_set(err, STATUS_MEMORY, "no memory for the buffers of the log");
}

enum status xray_log_open(struct xray_log *log, const void *data, uint64_t size_bytes,
                          struct error *err)
{
    enum status status = STATUS_OK;
    struct xray_header told;
    *log = (struct xray_log){.data = data, .size_bytes = size_bytes, .file_bytes = size_bytes};
    bool is_yaml = xray_yaml_is(data, size_bytes);
    if (is_yaml) {
        status = xray_yaml_read(data, size_bytes, &log->made, &log->size_bytes, &told, err);
        log->data = log->made;
    }
    if (status == STATUS_OK)
        status = open_binary(log, err);
    log->told = is_yaml ? told : log->header;
    return status;
}
