// The pass over the frames of a trace file that makes segments of an index: an event a frame, with
// what was collected in it as writes to registers and stores to memory. Lanes are tracepoints.
//
// Registers are in the index as in the block that the target sends; a variable of trace state is
// one more register of eight bytes after them (FORMAT.md, Trace files).
#ifndef TRAWL_TRACE_TFILE_PASS_H
#define TRAWL_TRACE_TFILE_PASS_H

#include "flow/pass.h"
#include "trace/tfile/frame.h"

struct tfile_slot {
    int32_t variable; // its number
    const char *name; // NULL: the file does not define it
};

// All zero except for `file`, `threads` and `segments` before tfile_pass_run; freed after it.
struct tfile_pass {
    const struct tfile *file;
    unsigned threads;
    struct segment_consumer segments;
    const struct trace_damage *damage;
    VEC(, struct tfile_slot) slots; // of variables; number i takes cell tfile_pass_cell(pass, i)
};

// The first cell after the block of registers, plus `slot`.
uint32_t tfile_pass_cell(const struct tfile_pass *pass, size_t slot);

// How many events a segment should have: fewer where frames are large, so that memory is bounded.
uint32_t tfile_pass_segment_events(const struct tfile *file);

// Makes the segments; `result` has lanes, bytes and damage. STATUS_LIMIT: more than an index holds.
enum status tfile_pass_run(struct tfile_pass *pass, struct pass_result *result, struct error *err);

void tfile_pass_free(struct tfile_pass *pass);

#endif
