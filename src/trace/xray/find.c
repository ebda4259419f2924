// The buffers of an FDR log, by walking from head to head.
//
// Version 1 has buffers of the size given in the header. From version 2 on, each buffer has its
// size in an extents record. A size is accepted if the next head follows at the expected place, or
// the log ends there. Otherwise the walk continues at the next bytes that look like a head, and
// what was lost is reported. The first byte of a metadata record is its kind.
#include "trace/xray/build.h"

// A preamble without extents and pid.
#define PREAMBLE_BYTES_MIN (2 * XRAY_METADATA_BYTES)

// Whether a complete metadata record of that kind is at `at`.
static bool is_kind(const struct xray_log *log, uint64_t at, unsigned kind)
{
    if (at > log->size_bytes || log->size_bytes - at < XRAY_METADATA_BYTES)
        return false;
    return log->data[at] == (log->header.is_big_endian ? 0x80 | kind : kind << 1 | 1);
}

static bool has_extents(const struct xray_log *log, uint64_t at)
{
    return log->header.version >= 2 && is_kind(log, at, META_EXTENTS);
}

// Whether a buffer begins at `at`. At the expected place, the kinds of the records are sufficient;
// otherwise, and in a search (`strict`), the numbers must also be plausible.
static bool is_head(const struct xray_log *log, uint64_t at, bool strict)
{
    if (has_extents(log, at))
        at += XRAY_METADATA_BYTES;
    uint64_t wall = at + XRAY_METADATA_BYTES, next = wall + XRAY_METADATA_BYTES;
    if (!is_kind(log, at, META_NEW_BUFFER) || !is_kind(log, wall, META_WALL_CLOCK))
        return false;
    if (!strict)
        return true;
    bool is_big = log->header.is_big_endian;
    bool makes_sense = load_u64(log->data + wall + 1, is_big) < UINT64_C(1) << 40 &&
                       load_u32(log->data + wall + 9, is_big) < 1000000000;
    bool is_followed = log->size_bytes - next < XRAY_METADATA_BYTES ||
                       is_kind(log, next, META_CPU) || is_kind(log, next, META_PID);
    return makes_sense && is_followed;
}

// The first head in [from, to), or `to`.
static uint64_t find_head(const struct xray_log *log, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at++) {
        if (is_head(log, at, true))
            return at;
    }
    return to;
}

// Extents of an empty buffer, before other extents or at the end.
static bool is_unused(const struct xray_log *log, uint64_t at)
{
    uint64_t next = at + XRAY_METADATA_BYTES;
    return has_extents(log, at) && load_u64(log->data + at + 1, false) == 0 &&
           (next == log->size_bytes || has_extents(log, next));
}

static bool add_buffer(struct xray_build *build, uint64_t at, uint64_t end)
{
    const struct xray_log *log = build->log;
    bool is_big = log->header.is_big_endian;
    uint64_t from = has_extents(log, at) ? at + XRAY_METADATA_BYTES : at;
    uint64_t next = from + 2 * XRAY_METADATA_BYTES;
    if (next > log->size_bytes) // the log was changed since a head was found here
        return true;
    struct xray_buffer buffer = {.offset = at, .size_bytes = end - at};
    uint32_t pid = 0, tid = load_u32(log->data + from + 1, is_big);
    buffer.wall_seconds = load_u64(log->data + from + XRAY_METADATA_BYTES + 1, is_big);
    buffer.wall_micros = load_u32(log->data + from + XRAY_METADATA_BYTES + 9, is_big);
    if (is_kind(log, next, META_PID) && end - at >= next - at + XRAY_METADATA_BYTES) {
        pid = load_u32(log->data + next + 1, is_big);
        next += XRAY_METADATA_BYTES;
    }
    if (is_kind(log, next, META_CPU))
        buffer.first_tsc = load_u64(log->data + next + 3, is_big);
    if (!xray_build_thread(build, pid, tid, &buffer.thread))
        return false;
    if (buffer.thread != LIMIT_XRAY_THREADS)
        return xray_build_buffer(build, &buffer);
    xray_build_fault(build, XRAY_FAULT_THREADS, tid, at, end - at);
    return true;
}

// The end of the buffer at `at`, which begins with extents.
static uint64_t end_by_extents(struct xray_build *build, uint64_t at)
{
    const struct xray_log *log = build->log;
    uint64_t body = at + XRAY_METADATA_BYTES, size = log->size_bytes;
    uint64_t extents = load_u64(log->data + at + 1, log->header.is_big_endian);
    bool is_within = extents <= size - body;
    uint64_t end = is_within ? body + extents : size;
    if (is_within && (end == size || is_head(log, end, false) || has_extents(log, end)))
        return end;
    // A size that is too large would include the buffers after it.
    uint64_t next = find_head(log, u64_min(body + PREAMBLE_BYTES_MIN, end), end);
    if (next < end)
        xray_build_fault(build, XRAY_FAULT_EXTENTS, 0, at, 0);
    else if (!is_within)
        xray_build_fault(build, XRAY_FAULT_LOG_ENDS, 0, at, 0);
    return next;
}

// Nearly all records are function records, so the first bytes of this many are checked together.
#define WALK_STRIDE 16

// Skips the function records from `at` on.
static uint64_t skip_functions(const struct xray_log *log, uint64_t at, uint64_t end)
{
    const uint64_t is_metadata = log->header.is_big_endian ? 0x80 : 1;
    for (; end - at >= WALK_STRIDE * XRAY_FUNCTION_BYTES; at += WALK_STRIDE * XRAY_FUNCTION_BYTES) {
        uint64_t any = 0; // of whole records, so that the loop can be vectorized
        for (size_t i = 0; i < WALK_STRIDE; i++)
            any |= load_u64(log->data + at + i * XRAY_FUNCTION_BYTES, false);
        if (any & is_metadata)
            break;
    }
    while (end - at >= XRAY_FUNCTION_BYTES && !(log->data[at] & is_metadata))
        at += XRAY_FUNCTION_BYTES;
    return at;
}

// The start of the next buffer among the records from `at` on, or `end`. No runtime writes more
// than one into an extent, but others may.
static uint64_t next_buffer(const struct xray_log *log, uint64_t at, uint64_t end)
{
    bool is_big = log->header.is_big_endian;
    for (at = skip_functions(log, at, end); end - at >= XRAY_METADATA_BYTES;
         at = skip_functions(log, at, end)) {
        unsigned kind = is_big ? log->data[at] & 0x7f : log->data[at] >> 1;
        if ((kind == META_NEW_BUFFER || kind == META_EXTENTS) && is_head(log, at, false))
            return at;
        if (kind >= META_COUNT)
            return end;
        bool has_payload = kind == META_CUSTOM_EVENT || kind == META_TYPED_EVENT;
        uint64_t payload_bytes = has_payload ? load_u32(log->data + at + 1, is_big) : 0;
        if (payload_bytes > end - at - XRAY_METADATA_BYTES)
            return end;
        at += XRAY_METADATA_BYTES + payload_bytes;
    }
    return end;
}

// Adds the buffers of an extent. Version 1 has no extents; there it is one buffer.
static bool add_buffers(struct xray_build *build, uint64_t at, uint64_t end)
{
    const struct xray_log *log = build->log;
    for (uint64_t next; at < end; at = next) {
        next = end;
        uint64_t from = has_extents(log, at) ? at + XRAY_METADATA_BYTES : at;
        if (log->header.version >= 2 && from + XRAY_METADATA_BYTES < end)
            next = next_buffer(log, from + XRAY_METADATA_BYTES, end);
        if (!add_buffer(build, at, next))
            return false;
    }
    return true;
}

// Walks by extents; if there are none, by searching.
static bool walk(struct xray_build *build)
{
    const struct xray_log *log = build->log;
    uint64_t at = XRAY_HEADER_BYTES;
    while (at < log->size_bytes) {
        if (is_unused(log, at)) {
            if (!VEC_ROOM(&build->unused, 1))
                return false;
            build->unused.items[build->unused.count++] = at;
            at += XRAY_METADATA_BYTES;
            continue;
        }
        if (!is_head(log, at, false)) {
            uint64_t next = find_head(log, at + 1, log->size_bytes);
            xray_build_fault(build, XRAY_FAULT_NO_BUFFER, 0, at, next - at);
            at = next;
            continue;
        }
        uint64_t end = has_extents(log, at)
                           ? end_by_extents(build, at)
                           : find_head(log, at + PREAMBLE_BYTES_MIN, log->size_bytes);
        if (!add_buffers(build, at, end))
            return false;
        at = end;
    }
    return true;
}

// Whether the size in the header of version 1 leads to heads in most cases. (It may be the size of
// the file, as in the documentation, or anything else.)
static bool steps_fit(const struct xray_log *log)
{
    uint64_t step = log->header.buffer_bytes, heads = 0, slots = 0;
    if (step < PREAMBLE_BYTES_MIN + XRAY_METADATA_BYTES ||
        step > log->size_bytes - XRAY_HEADER_BYTES)
        return false;
    for (uint64_t at = XRAY_HEADER_BYTES; at < log->size_bytes; slots++) {
        heads += is_head(log, at, false);
        if (step >= log->size_bytes - at)
            break;
        at += step;
    }
    return 2 * heads > slots;
}

bool xray_find_buffers(struct xray_build *build)
{
    const struct xray_log *log = build->log;
    if (log->header.version != 1 || !steps_fit(log))
        return walk(build);
    for (uint64_t at = XRAY_HEADER_BYTES, end; at < log->size_bytes; at = end) {
        end = at + u64_min(log->header.buffer_bytes, log->size_bytes - at);
        if (!is_head(log, at, false))
            xray_build_fault(build, XRAY_FAULT_NO_BUFFER, 0, at, end - at);
        else if (!add_buffer(build, at, end))
            return false;
    }
    return true;
}
