// Assembles an xray_log while it is opened. Private to log_open.c, find.c, basic.c and yaml.c.
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

// --- yaml.c --------------------------------------------------------------------------------------

// XRay logs as YAML, in the form that `llvm-xray convert -f yaml` and `trawl xray convert -f yaml`
// write.
//
// The contents of the YAML are converted into the bytes of a flight data recorder log of version 5,
// with a buffer for each thread, so that there is a single reader of logs (log.h). Names of
// functions in the YAML are not used: a map has better ones.
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
