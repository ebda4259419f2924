// An XRay log, opened: its header, its buffers, and which of them each thread wrote.
//
// Opening looks at the first byte of each record (of a basic log, at each record). Buffers are not
// in the order of time in the file: the runtime writes its ring slot by slot. So they are put in
// order here, by thread and then by their wall-clock time and first time stamp, and buffers that
// the runtime wrote twice are dropped and counted. Records are read with a cursor (record.h);
// threads do not depend on each other and may be read in parallel.
//
// A basic log has no buffers; what stands for one is a run of records of one thread, and what
// stands for the wall-clock seconds is its place.
#ifndef TRAWL_TRACE_XRAY_LOG_H
#define TRAWL_TRACE_XRAY_LOG_H

#include "base/error.h"
#include "base/vec.h"
#include "trace/xray/fault.h"

#define XRAY_HEADER_BYTES 32
#define XRAY_METADATA_BYTES 16
#define XRAY_FUNCTION_BYTES 8
#define XRAY_BASIC_BYTES 32 // of a record of a basic log

enum xray_type { XRAY_BASIC = 0, XRAY_FDR = 1 };

// Kinds of metadata records as they are written.
enum xray_metadata {
    META_NEW_BUFFER,
    META_END_OF_BUFFER,
    META_CPU,
    META_TSC_WRAP,
    META_WALL_CLOCK,
    META_CUSTOM_EVENT,
    META_ARGUMENT,
    META_EXTENTS,
    META_TYPED_EVENT,
    META_PID,
    META_COUNT,
};

struct xray_header {
    enum xray_type type;
    uint16_t version; // FDR: 1 to 5; basic: 1 to 3
    bool is_big_endian, constant_tsc, nonstop_tsc;
    uint64_t frequency_hz; // of the time stamps; 0: unknown
    uint64_t buffer_bytes; // FDR: as configured. Only version 1 needs it
};

struct xray_buffer {
    uint64_t offset;       // of its first record, which are its extents or its NewBuffer
    uint64_t size_bytes;   // of all its records
    uint64_t wall_seconds; // when it was begun
    uint64_t first_tsc;    // 0: it does not tell
    uint32_t wall_micros;
    uint32_t thread; // in xray_log.threads
};

struct xray_thread {
    uint32_t pid; // 0 where the log does not tell: FDR before version 3, basic before version 3
    uint32_t tid;
    uint64_t first_buffer, buffer_count; // in xray_log.buffers
    uint64_t size_bytes;                 // of all of them
};

// Somebody who is told of each buffer that a cursor comes to, by whichever thread it is.
struct xray_log_watcher {
    void (*on_buffer)(void *self, uint64_t size_bytes);
    void *self;
};

// Fields are for reading.
struct xray_log {
    const uint8_t *data; // stays the caller's, but where it is `made`
    uint64_t size_bytes;
    struct xray_header header;
    // Of a log as YAML, whose data are made of what it says:
    uint8_t *made;                     // those, else NULL
    struct xray_header told;           // the header that it tells, else the same
    uint64_t file_bytes;               // of the text, else size_bytes
    VEC(, struct xray_buffer) buffers; // thread by thread, each in the order of time
    VEC(, struct xray_thread) threads; // by process and thread id
    bool has_many_processes;
    uint64_t duplicate_buffers; // that the runtime wrote twice, and that are not in `buffers`
    uint64_t unused_buffers;    // whose extents say that nothing is in them
    // Both are behind the last of `buffers`, for who shows the file as it is.
    uint64_t hidden_buffers;
    struct trace_damage damage;             // outside of buffers; what is inside cursors tell
    const struct xray_log_watcher *watcher; // NULL: none; the caller may set it
};

// Whether there is such a version: FDR 1 to 5, basic 1 to 3.
bool xray_version_is_known(enum xray_type type, unsigned version);

// Gives back what a log has; it is zero then.
void xray_log_close(struct xray_log *log);

// The earliest first time stamp of a buffer, from which times may be counted; 0 without buffers.
uint64_t xray_log_start(const struct xray_log *log);

// What a thread is called in reports: "tid7", or "pid3.tid7" in a log of several processes.
#define XRAY_THREAD_NAME_BYTES 32
void xray_thread_name(const struct xray_log *log, const struct xray_thread *thread,
                      char name[XRAY_THREAD_NAME_BYTES]);

#endif
