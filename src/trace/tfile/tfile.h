// Trace files of GDB: frames of registers and memory collected at tracepoints. Each frame is an
// event, each tracepoint a lane.
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
    struct tfile_pass pass; // the last pass
    char misfit[240];       // message about images that do not fit; "": none
};

// The file, if the trace is a trace file; otherwise NULL. For reports that exist only for such
// files.
struct tfile_trace *tfile_of(struct trace *trace);

// The name of a tracepoint as a lane: "tp2".
#define TFILE_LANE_NAME_BYTES 16
void tfile_lane_name(const struct tfile_frame *frame, char name[TFILE_LANE_NAME_BYTES]);

// "recovered", "damaged", "short", "cut"; NULL: the frame is complete.
const char *tfile_frame_marks(const struct tfile *file, const struct tfile_frame *frame);

// How a trace file is described.
extern const struct trace_description tfile_description;

#endif
