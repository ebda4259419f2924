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
#include "trace/trace.h"

// What is wrong with a log; trace/trace.h has where, and how much had to be skipped.
enum xray_fault_kind {
    XRAY_FAULT_NO_BUFFER,   // bytes that do not begin a buffer
    XRAY_FAULT_EXTENTS,     // the extents reach into the next buffer
    XRAY_FAULT_LOG_ENDS,    // the log ends before the end of the buffer or of its last record
    XRAY_FAULT_CUT,         // the buffer ends inside a record
    XRAY_FAULT_PREAMBLE,    // the buffer ends inside its preamble
    XRAY_FAULT_ORDER,       // a record of a kind that is not allowed here; value: its kind
    XRAY_FAULT_KIND,        // metadata of an unknown kind; value: its number
    XRAY_FAULT_ACTION,      // a function record of an unknown action; value: its number
    XRAY_FAULT_EVENT_SIZE,  // an event with a negative size; value: its lower 32 bits
    XRAY_FAULT_THREAD,      // a buffer of another thread inside a buffer; value: that thread
    XRAY_FAULT_NO_TIME,     // ticks relative to an unknown time
    XRAY_FAULT_THREADS,     // a thread beyond LIMIT_XRAY_THREADS; value: the thread
    XRAY_FAULT_RECORD_TYPE, // basic log: a record of an unknown type; value: its number
    XRAY_FAULT_ARGUMENT,    // basic log: an argument that does not belong to the call before it
    XRAY_FAULT_KINDS,
};

// The text of the fault, without its place.
void xray_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// The message about calls that were ended by the exit of an outer call.
void xray_unwound_text(uint64_t count, char *text, size_t size);

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
    uint64_t shared_bytes; // up to the last record that is also in another log (xray_log_share)
};

// Places in the data.
struct xray_extent {
    uint64_t from, to;
};

struct xray_thread {
    uint32_t pid; // 0: not in the log (FDR before version 3, basic before version 3)
    uint32_t tid;
    uint32_t process;                    // of logs that were joined: index in xray_log.processes
    uint64_t first_buffer, buffer_count; // index in xray_log.buffers; number of buffers
    uint64_t size_bytes;                 // of all of them
};

// A process of one of several logs that were joined.
#define XRAY_PROCESS_NAME_BYTES 34
struct xray_process {
    uint32_t pid;
    uint32_t file;                      // which of the logs
    char name[XRAY_PROCESS_NAME_BYTES]; // "pid7", or "NAME.pid7"
};

// A program of one of these logs, with the numbers that its objects have in the ids of the result.
#define XRAY_PROGRAM_OBJECTS 16
struct xray_program {
    const char *name;                      // as typed, owned by the caller; "": none was
    uint8_t objects[XRAY_PROGRAM_OBJECTS]; // by their own numbers; 0: did not occur; not used if it
                                           // has no name
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
    // Records that are also in another log, in the order of their places. If there are none, all
    // before xray_buffer.shared_bytes are.
    VEC(, struct xray_extent) shared;
    bool has_many_processes;
    // Of logs that were joined (xray_log_join):
    VEC(, struct xray_process) processes;
    VEC(, struct xray_program) programs;
    uint32_t plain_objects, named_objects; // numbers in ids, as bits: of programs without and with
                                           // a name
    uint64_t shared_buffers;               // left out, as another log has them
    // That the runtime wrote twice; in a basic log, the beginnings of runs, if parent and child of
    // a fork wrote into it. They are not in `buffers`.
    uint64_t duplicate_buffers;
    uint64_t unused_buffers; // whose extents say that they are empty
    // Both are stored after the last of `buffers`, for code that shows the file as it is.
    uint64_t hidden_buffers;
    struct trace_damage damage;             // outside of buffers; cursors report damage inside
    const struct xray_log_watcher *watcher; // NULL: none; the caller may set it
};

// Whether this version exists: FDR 1 to 5, basic 1 to 3.
bool xray_version_is_known(enum xray_type type, unsigned version);

// Whether the byte at a place belongs to a record of xray_log.shared.
bool xray_log_shares(const struct xray_log *log, uint64_t place);

// Frees what belongs to a log and sets it to zero.
void xray_log_close(struct xray_log *log);

// The earliest first time stamp of a buffer, as origin for times; 0: there are no buffers.
uint64_t xray_log_start(const struct xray_log *log);

// The name of a thread in reports: "tid7", or "pid3.tid7" in a log of several processes.
#define XRAY_THREAD_NAME_BYTES 48
void xray_thread_name(const struct xray_log *log, const struct xray_thread *thread,
                      char name[XRAY_THREAD_NAME_BYTES]);

// Consecutive buffers of a thread: what is read in parallel with others.
struct xray_range {
    const struct xray_log *log;
    uint32_t thread;
    uint64_t first_buffer, end_buffer;
};

VEC(xray_ranges, struct xray_range);

// Adds all buffers of a log, thread by thread, cut into about `parts` ranges of equal size, but
// with a minimum size; more if there are more threads. With `parts` 1, and for logs of version 1,
// whose buffers may depend on the time of the one before, each thread is one range. False: no
// memory.
bool xray_ranges_cut(struct xray_ranges *ranges, const struct xray_log *log, unsigned parts);

// Whether this is the last range of its thread.
static inline bool xray_range_ends_thread(const struct xray_ranges *ranges, size_t range)
{
    return range + 1 == ranges->count || ranges->items[range + 1].log != ranges->items[range].log ||
           ranges->items[range + 1].thread != ranges->items[range].thread;
}

#endif
