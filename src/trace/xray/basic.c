// A basic log consists of records of 32 bytes, each of one thread. A run of records of one thread
// is treated as a buffer. Invalid records are detected here, so that runs contain only valid ones.
#include "trace/xray/build.h"
#include "trace/xray/record.h"

enum { TYPE_FUNCTION = 0, TYPE_ARGUMENT = 1 };

#define ACTION_MAX 3

// The current run.
struct run {
    bool is_open;
    uint32_t pid, tid, function;
    uint64_t tsc; // of its last function record
    struct xray_buffer buffer;
};

// The time of a record of a run. An argument has the time of the record before it.
static uint64_t time_of_record(const struct xray_log *log, const struct xray_buffer *run,
                               uint64_t record)
{
    enum { ARGUMENTS_MOST = 8 }; // that are looked for
    const uint8_t *at = log->data + run->offset + record * XRAY_BASIC_BYTES;
    for (unsigned i = 0; i < ARGUMENTS_MOST && record > i; i++) {
        if (load_u16(at, log->header.is_big_endian) == 0)
            break;
        at -= XRAY_BASIC_BYTES;
    }
    return load_u64(at + 8, log->header.is_big_endian);
}

uint64_t xray_repeated_bytes(const struct xray_log *log, const struct xray_buffer *runs,
                             size_t count, const struct xray_buffer *run)
{
    const uint64_t records = count ? runs[count - 1].size_bytes / XRAY_BASIC_BYTES : 0;
    // At the same time, a function may have called itself.
    if (!count || time_of_record(log, &runs[count - 1], records - 1) <= run->first_tsc)
        return 0;
    size_t number, first;
    PARTITION_POINT(number, count, runs[middle].first_tsc <= run->first_tsc);
    if (!number)
        return 0;
    const struct xray_buffer *other = &runs[--number];
    PARTITION_POINT(first, other->size_bytes / XRAY_BASIC_BYTES,
                    time_of_record(log, other, middle) < run->first_tsc);
    uint64_t equal = 0, at = first * XRAY_BASIC_BYTES;
    while (equal < run->size_bytes) {
        if (at == other->size_bytes) {
            if (++number == count)
                break;
            other = &runs[number];
            at = 0;
        }
        if (memcmp(log->data + other->offset + at, log->data + run->offset + equal,
                   XRAY_BASIC_BYTES) != 0)
            break;
        equal += XRAY_BASIC_BYTES;
        at += XRAY_BASIC_BYTES;
    }
    // A run begins with a function, not with an argument.
    while (equal && equal < run->size_bytes &&
           load_u16(log->data + run->offset + equal, log->header.is_big_endian) != 0)
        equal -= XRAY_BASIC_BYTES;
    return equal;
}

static bool end_run(struct xray_build *build, struct run *run)
{
    if (!run->is_open)
        return true;
    run->is_open = false;
    if (!xray_build_thread(build, run->pid, run->tid, &run->buffer.thread))
        return false;
    if (run->buffer.thread != LIMIT_XRAY_THREADS)
        return xray_build_buffer(build, &run->buffer);
    xray_build_fault(build, XRAY_FAULT_THREADS, run->tid, run->buffer.offset,
                     run->buffer.size_bytes);
    return true;
}

// Whether the argument at `at` belongs to the record before it. Before version 3, records have no
// process id.
static bool is_argument_of(const struct xray_header *header, const struct run *run,
                           const uint8_t *at)
{
    return run->is_open && load_u32(at + 4, header->is_big_endian) == run->function &&
           load_u32(at + 8, header->is_big_endian) == run->tid &&
           (header->version < 3 || load_u32(at + 12, header->is_big_endian) == run->pid);
}

// Rejects a record, which ends the run.
static bool refuse(struct xray_build *build, struct run *run, enum xray_fault_kind kind,
                   uint64_t value, uint64_t offset)
{
    xray_build_fault(build, kind, value, offset, XRAY_BASIC_BYTES);
    return end_run(build, run);
}

static bool add_record(struct xray_build *build, struct run *run, uint64_t offset)
{
    const struct xray_header *header = &build->log->header;
    const uint8_t *at = build->log->data + offset;
    uint16_t type = load_u16(at, header->is_big_endian);
    if (type == TYPE_FUNCTION && at[3] <= ACTION_MAX) {
        uint32_t tid = load_u32(at + 16, header->is_big_endian);
        uint32_t pid = header->version >= 3 ? load_u32(at + 20, header->is_big_endian) : 0;
        struct xray_buffer from_here = {
            .offset = offset,
            .size_bytes = XRAY_BASIC_BYTES,
            .first_tsc = load_u64(at + 8, header->is_big_endian),
            .wall_seconds = offset, // runs of a thread stay in the order of the file
        };
        bool is_same = run->is_open && run->tid == tid && run->pid == pid;
        if (is_same && UNLIKELY(from_here.first_tsc < run->tsc))
            is_same = !xray_repeated_bytes(build->log, &run->buffer, 1, &from_here);
        if (!is_same) {
            if (!end_run(build, run))
                return false;
            *run = (struct run){.is_open = true, .pid = pid, .tid = tid};
            run->buffer = from_here;
        } else {
            run->buffer.size_bytes += XRAY_BASIC_BYTES;
        }
        run->function = load_u32(at + 4, header->is_big_endian);
        run->tsc = from_here.first_tsc;
        return true;
    }
    if (type == TYPE_FUNCTION)
        return refuse(build, run, XRAY_FAULT_ACTION, at[3], offset);
    if (type != TYPE_ARGUMENT)
        return refuse(build, run, XRAY_FAULT_RECORD_TYPE, type, offset);
    if (!is_argument_of(header, run, at))
        return refuse(build, run, XRAY_FAULT_ARGUMENT, 0, offset);
    run->buffer.size_bytes += XRAY_BASIC_BYTES;
    return true;
}

// Skips function records of the run's thread with ascending times, which need no attention. Returns
// the place of the first one that does.
static uint64_t extend(const struct xray_log *log, struct run *run, uint64_t from)
{
    bool has_pid = log->header.version >= 3;
    uint64_t thread_bits = has_pid ? UINT64_MAX : UINT32_MAX;
    uint64_t thread = run->tid | (has_pid ? (uint64_t)run->pid << 32 : 0), at = from;
    if (!run->is_open || log->header.is_big_endian)
        return from;
    uint64_t tsc, last = run->tsc;
    while (log->size_bytes - at >= XRAY_BASIC_BYTES &&
           !(load_u32(log->data + at, false) & XRAY_CARE_BITS_BASIC) &&
           ((load_u64(log->data + at + 16, false) ^ thread) & thread_bits) == 0 &&
           (tsc = load_u64(log->data + at + 8, false)) >= last) {
        last = tsc;
        at += XRAY_BASIC_BYTES;
    }
    run->tsc = last;
    if (at > from)
        run->function = load_u32(log->data + at - XRAY_BASIC_BYTES + 4, false);
    run->buffer.size_bytes += at - from;
    return at;
}

bool xray_find_runs(struct xray_build *build)
{
    struct run run = {0};
    uint64_t at = XRAY_HEADER_BYTES, size = build->log->size_bytes;
    for (; size - at >= XRAY_BASIC_BYTES; at = extend(build->log, &run, at)) {
        if (!add_record(build, &run, at))
            return false;
        at += XRAY_BASIC_BYTES;
    }
    if (at < size)
        xray_build_fault(build, XRAY_FAULT_LOG_ENDS, 0, at, size - at);
    return end_run(build, &run);
}
