// Trace files of GDB: frames of registers and memory collected at tracepoints. Each frame is an
// event, each tracepoint a lane.
#ifndef TRAWL_TRACE_TFILE_TFILE_H
#define TRAWL_TRACE_TFILE_TFILE_H

#include "elf/image_set.h"
#include "flow/pass.h"
#include "trace/tfile/file.h"
#include "trace/tfile/frame.h"
#include "trace/trace.h"

// --- pass.c --------------------------------------------------------------------------------------

// The pass over the frames of a trace file, which makes segments of an index: each frame is an
// event, and what it collected becomes writes to registers and stores to memory. Lanes are
// tracepoints.
//
// The index has registers as in the block that the target sends. Each trace state variable is an
// additional register of eight bytes after them (FORMAT.md, Trace files).

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

// --- tfile.c -------------------------------------------------------------------------------------

extern const struct trace_kind tfile_kind;

struct tfile_trace {
    struct trace trace;
    struct tfile file;
    struct bytes made;      // its bytes, if they are those of another format
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

// --- Where a program was loaded ------------------------------------------------------------------

// The load address of a position-independent image, which a GDB trace file does not contain.

// What was added to the addresses of an image. A tracepoint has its address in the running program,
// and often the name of the function that the user requested. The address is after the prologue of
// that function, and images are moved by whole pages. Most tracepoints must agree. Without such
// names, an image of x86-64 is assumed to be where gdbserver starts programs, if a tracepoint is
// then in one of its functions. False: the image is not relocatable, or its place cannot be
// determined.
bool tfile_bias(const struct tfile *file, const struct image_member *member, uint64_t *bias);

// --- section.c -----------------------------------------------------------------------------------

// The sections of a trace file in its index: SECTION_LAYOUT with its registers and variables, and
// SECTION_TFILE with the rest.

struct parts_writer;

// Call after a pass. False: no memory.
bool tfile_section_write(const struct tfile_pass *pass, struct parts_writer *parts);
bool tfile_layout_write(const struct tfile_pass *pass, struct parts_writer *parts);

#endif
