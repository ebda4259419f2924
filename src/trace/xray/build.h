// Assembles an xray_log while it is opened. Private to log_open.c, find.c, basic.c, yaml.c and
// join.c.
#ifndef TRAWL_TRACE_XRAY_BUILD_H
#define TRAWL_TRACE_XRAY_BUILD_H

#include "base/base.h"
#include "base/hash_index.h"
#include "trace/xray/log.h"

// --- build.c -------------------------------------------------------------------------------------

struct xray_build {
    struct xray_log *log;
    struct hash_index threads; // of the log, by pid and tid
    VEC(, uint64_t) unused;    // offsets of empty buffers
};

// Returns the thread's number; LIMIT_XRAY_THREADS: there are too many. False: no memory.
bool xray_build_thread(struct xray_build *build, uint32_t pid, uint32_t tid, uint32_t *thread);

// Adds a buffer. False: no memory.
bool xray_build_buffer(struct xray_build *build, const struct xray_buffer *buffer);

static inline void xray_build_fault(struct xray_build *build, enum xray_fault_kind kind,
                                    uint64_t value, uint64_t offset, uint64_t size_bytes)
{
    const struct trace_fault fault = {kind, value, offset, size_bytes};
    trace_damage_add(&build->log->damage, &fault);
}

// Finds the buffers of a log of either type. False: no memory.
bool xray_find_buffers(struct xray_build *build);
bool xray_find_runs(struct xray_build *build);

// How many bytes at the beginning of a run of a basic log repeat records of earlier runs of its
// thread. They do if a process that has the log open forks: both processes write the records that
// were not written yet, each followed by its own.
uint64_t xray_repeated_bytes(const struct xray_log *log, const struct xray_buffer *runs,
                             size_t count, const struct xray_buffer *run);

// --- make.c --------------------------------------------------------------------------------------

// Makes a log in flight data recorder mode, version 5, from records: of a log as YAML, and of
// several logs that are joined. So there is a single reader of logs (log.h).

// Function records have the numbers of their actions.
enum xray_made_kind { XRAY_MADE_CUSTOM = 4, XRAY_MADE_TYPED };

#define XRAY_MADE_FUNCTION_MAX 0x0fffffff // 28 bits

struct xray_made_record {
    unsigned kind;     // enum xray_kind up to XRAY_ENTER_ARGS, or enum xray_made_kind
    uint32_t function; // of function records
    uint64_t tsc;
    uint16_t cpu;
    uint16_t type; // of typed events
    const uint64_t *arguments;
    size_t argument_count;
    const uint8_t *payload; // of events
    size_t payload_bytes;   // up to INT32_MAX
};

// The records of one thread, and the state of a reader after the last.
struct xray_made_thread {
    uint32_t pid, tid;
    VEC(, uint8_t) bytes;
    uint64_t tsc;
    uint16_t cpu;
};

// Initialize with zeros. Free with xray_make_free.
struct xray_maker {
    struct xray_log log; // only its threads are used
    struct xray_build build;
    VEC(, struct xray_made_thread) threads;
};

// The thread with these ids, which is added if it is new. It may move when another is added.
enum status xray_make_thread(struct xray_maker *maker, uint32_t pid, uint32_t tid,
                             struct xray_made_thread **thread, struct error *err);

// Adds a record. False: no memory.
bool xray_make_record(struct xray_made_thread *thread, const struct xray_made_record *record);

// Makes the log with the times of `told`: *bytes, which the caller frees with free().
enum status xray_make_log(const struct xray_maker *maker, const struct xray_header *told,
                          uint8_t **bytes, uint64_t *made_bytes, struct error *err);

void xray_make_free(struct xray_maker *maker);

// --- yaml.c --------------------------------------------------------------------------------------

// XRay logs as YAML, in the form that `llvm-xray convert -f yaml` and `trawl xray convert -f yaml`
// write.
//
// The contents of the YAML are converted into a log (make.c). Names of functions in the YAML are
// not used: a map has better ones.
//
// A payload consists of bytes, but YAML text consists of characters. trawl writes bytes above 0x7e
// as "\xNN" and everything else in ASCII. So in YAML that is all ASCII, a character up to U+00FF is
// a byte; in other YAML, characters above U+007F are their UTF-8 bytes.

// The number of bytes that xray_yaml_is needs.
#define XRAY_MAGIC_BYTES 11

// Whether a file with this beginning is a log as YAML.
bool xray_yaml_is(const void *text, uint64_t size_bytes);

// Converts the whole text into a log: *bytes, which the caller frees with free(), and the header in
// the text. STATUS_INPUT: it is not such a log; the error has the line.
enum status xray_yaml_read(const void *text, uint64_t size_bytes, uint8_t **bytes,
                           uint64_t *made_bytes, struct xray_header *told, struct error *err);

#endif
