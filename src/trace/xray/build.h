// Assembles an xray_log while it is opened. Private to log_open.c, find.c, basic.c and yaml.c.
#ifndef TRAWL_TRACE_XRAY_BUILD_H
#define TRAWL_TRACE_XRAY_BUILD_H

#include "base/hash_index.h"
#include "trace/bytes.h"
#include "trace/xray/log.h"

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

#endif
