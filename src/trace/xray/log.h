// An open XRay log: its header, its buffers, and which thread wrote each of them.
//
// Opening reads the first byte of each record (in a basic log, each record). Buffers are not
// ordered by time in the file, because the runtime writes its ring slot by slot. So they are sorted
// here, by thread and then by their wall-clock time and first time stamp. Buffers that the runtime
// wrote twice are removed and counted. Records are read with a cursor (record.h). Threads are
// independent of each other and may be read in parallel.
//
// A basic log has no buffers. Each run of records of one thread is treated as a buffer, with its
// offset in place of the wall-clock seconds.
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

// Kinds of metadata records, as in the file.
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
    uint64_t buffer_bytes; // FDR: as configured; needed only in version 1
};

struct xray_buffer {
    uint64_t offset;       // of its first record: its extents or its NewBuffer
    uint64_t size_bytes;   // of all its records
    uint64_t wall_seconds; // when it began
    uint64_t first_tsc;    // 0: unknown
    uint32_t wall_micros;
    uint32_t thread;       // index in xray_log.threads
    uint64_t shared_bytes; // of its first records, which are also in another log (xray_log_share)
};

struct xray_thread {
    uint32_t pid; // 0: not in the log (FDR before version 3, basic before version 3)
    uint32_t tid;
    uint64_t first_buffer, buffer_count; // index in xray_log.buffers; number of buffers
    uint64_t size_bytes;                 // of all of them
};

// Notified of each buffer that a cursor reaches, in the thread of the cursor.
struct xray_log_watcher {
    void (*on_buffer)(void *self, uint64_t size_bytes);
    void *self;
};

// Fields are read-only for users.
struct xray_log {
    const uint8_t *data; // owned by the caller, except if it is `made`
    uint64_t size_bytes;
    struct xray_header header;
    // For a log as YAML, whose data are made from the text:
    uint8_t *made;                     // the data; otherwise NULL
    struct xray_header told;           // the header in the text; otherwise the same as `header`
    uint64_t file_bytes;               // of the text; otherwise size_bytes
    VEC(, struct xray_buffer) buffers; // thread by thread, each in the order of time
    VEC(, struct xray_thread) threads; // by process and thread id
    bool has_many_processes;
    uint64_t duplicate_buffers; // that the runtime wrote twice; they are not in `buffers`
    uint64_t unused_buffers;    // whose extents say that they are empty
    // Both are stored after the last of `buffers`, for code that shows the file as it is.
    uint64_t hidden_buffers;
    struct trace_damage damage;             // outside of buffers; cursors report damage inside
    const struct xray_log_watcher *watcher; // NULL: none; the caller may set it
};

// Whether this version exists: FDR 1 to 5, basic 1 to 3.
bool xray_version_is_known(enum xray_type type, unsigned version);

// Frees what belongs to a log and sets it to zero.
void xray_log_close(struct xray_log *log);

// The earliest first time stamp of a buffer, as origin for times; 0: there are no buffers.
uint64_t xray_log_start(const struct xray_log *log);

// The name of a thread in reports: "tid7", or "pid3.tid7" in a log of several processes.
#define XRAY_THREAD_NAME_BYTES 32
void xray_thread_name(const struct xray_log *log, const struct xray_thread *thread,
                      char name[XRAY_THREAD_NAME_BYTES]);

#endif
