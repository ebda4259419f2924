// The pass over the frames of a trace file, which makes segments of an index: each frame is an
// event, and what it collected becomes writes to registers and stores to memory. Lanes are
// tracepoints.
//
// The index has registers as in the block that the target sends. Each trace state variable is an
// additional register of eight bytes after them (FORMAT.md, Trace files).
#ifndef TRAWL_TRACE_TFILE_PASS_H
#define TRAWL_TRACE_TFILE_PASS_H

#include "flow/pass.h"
#include "trace/tfile/frame.h"

struct tfile_slot {
    int32_t variable; // its number
    const char *name; // NULL: the file does not define it
};

// Initialize with zeros except for `file`, `threads` and `segments`; after tfile_pass_run, free
// with tfile_pass_free.
struct tfile_pass {
    const struct tfile *file;
    unsigned threads;
    struct segment_consumer segments;
    bool big_endian; // the order in which the index takes the bytes of an access from its number
    const struct trace_damage *damage;
    VEC(, struct tfile_slot) slots; // of variables; number i has cell tfile_pass_cell(pass, i)
};

// The cell of a slot: the first cell after the block of registers, plus `slot`.
uint32_t tfile_pass_cell(const struct tfile_pass *pass, size_t slot);

// The number of events of a segment: fewer if frames are large, so that memory is bounded.
uint32_t tfile_pass_segment_events(const struct tfile *file);

// Makes the segments; `result` gets lanes, bytes and damage. STATUS_LIMIT: more than fits into an
// index.
enum status tfile_pass_run(struct tfile_pass *pass, struct pass_result *result, struct error *err);

void tfile_pass_free(struct tfile_pass *pass);

#endif
