// Trace files of GDB: frames of registers and memory that tracepoints collected. An event is a
// frame, a lane a tracepoint.
#ifndef TRAWL_TRACE_TFILE_TFILE_H
#define TRAWL_TRACE_TFILE_TFILE_H

#include "trace/description.h"
#include "trace/tfile/frame.h"
#include "trace/tfile/pass.h"
#include "trace/trace.h"

extern const struct trace_kind tfile_kind;

struct tfile_trace {
    struct trace trace;
    struct tfile file;
    struct tfile_pass pass; // the last one
    char misfit[240];       // what there is to say of images that do not fit; "": nothing
};

// The file, if the trace is one; else NULL. For the reports that are of such files alone.
struct tfile_trace *tfile_of(struct trace *trace);

// A tracepoint is a lane: "tp2".
#define TFILE_LANE_NAME_BYTES 16
void tfile_lane_name(const struct tfile_frame *frame, char name[TFILE_LANE_NAME_BYTES]);

// "recovered", "damaged", "short", "cut"; NULL for a frame as it should be.
const char *tfile_frame_marks(const struct tfile *file, const struct tfile_frame *frame);

// What there is to say of a trace file.
extern const struct trace_description tfile_description;

#endif
