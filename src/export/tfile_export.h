// The states of a lane at chosen points as a trace file that GDB opens.
//
// A frame is the state after an event, as a tracepoint at the next instruction would have collected
// it. Its blocks are all registers, the known bytes of the requested memory, and four variables:
//
//     $trawl_event           the event, -1 before the first one
//     $trawl_time            its time
//     $trawl_unknown         bit N set: not all of register N (of x0-x30 sp pc cpsr, or r0-r12 sp
//     lr
//                            pc cpsr) is known, and what is not reads as 0, as a block of registers
//                            is all or nothing
//     $trawl_unknown_vector  the same of v0-v31 fpsr fpcr, or d0-d31 fpscr
//
// If there is no next instruction, as at the end of the trace, the pc is that of the last one and
// counts as unknown. Trailing vector registers that the trace never writes are left out; GDB shows
// them as <unavailable>.
#ifndef TRAWL_EXPORT_TFILE_EXPORT_H
#define TRAWL_EXPORT_TFILE_EXPORT_H

#include "base/vec.h"
#include "flow/clip.h"
#include "query/position.h"
#include "report/out.h"
#include "trace/index_view.h"

// --- tfile_export.c ------------------------------------------------------------------------------

struct tfile_export_memory {
    struct location location;
    uint64_t missing_count; // frames in which its address is unknown
    struct error why;       // the reason in the first of them
    // Of the current frame.
    bool is_there;
    uint64_t address;
    uint8_t *values, *known; // location.size_bytes of each
};

// Fields up to `note` and those of the memory are the caller's, the others for reading.
struct tfile_export {
    struct point_choice *points;
    VEC(, struct tfile_export_memory) memory;
    const char *note;                     // shown by `tstatus`
    uint32_t isa;                         // of the first frame,
    const struct gdb_machine *machine;    // what the core is there, and so in all frames
    const char *other_state;              // of a core in points that are left out
    uint64_t frame_count, left_out_count; // left out: points in the other state
    VEC(, uint64_t) addresses;            // of the frames, ascending, a bounded number
    bool has_more_addresses;
    struct gdb_target target;
    size_t register_count; // registers that are written, and their size
    uint32_t block_bytes;
    uint8_t *buffer; // for memory
};

// Goes over the points once, to find what all frames have in common. STATUS_NOT_FOUND: there are no
// frames.
enum status tfile_export_plan(struct tfile_export *export, struct error *err);

// Writes the file. Memory can be added between the two calls: no registers, and at most
// LIMIT_TFILE_EXPORT_MEMORY_BYTES in total.
enum status tfile_export_write(struct tfile_export *export, struct out *out, struct error *err);

void tfile_export_free(struct tfile_export *export);

// --- The text of a trace file --------------------------------------------------------------------

// Writes a trace file of GDB ("tfile") from front to back: the text of its head, then frames.
//
//     begin  description_line...  variable...  tracepoint...  end_head
//     { frame  registers  memory...  value... }...  end
//
// Only what GDB 13 and later read correctly: no line of the head reaches 1000 bytes.

struct tfile_writer {
    struct out *out;
    bool big_endian; // of the target; the head does not state it
};

// Bytes of the blocks of a frame.
#define TFILE_REGISTERS_BYTES(count) (1 + (count))
#define TFILE_MEMORY_BYTES(count) (11 + (count))
#define TFILE_VALUE_BYTES 13

// The most bytes of one block of memory.
#define TFILE_MEMORY_BYTES_MAX 65535

// Tracepoints are numbered from 1 up to here.
#define TFILE_TRACEPOINT_MAX 32767

// For GDB's `tstatus`: the number of frames, why the trace ended, and a note. Texts are cut at
// TFILE_TEXT_BYTES_MAX.
#define TFILE_TEXT_BYTES_MAX 200

struct tfile_write_status {
    uint64_t frame_count;
    const char *reason, *note;
};

void tfile_write_begin(struct tfile_writer *writer, struct out *out, bool big_endian,
                       uint32_t register_bytes, const struct tfile_write_status *status);

// One line of the target description.
void tfile_write_description_line(struct tfile_writer *writer, const char *line);

// Writes a trace state variable: $NAME in GDB. Numbers begin at 1.
void tfile_write_variable(struct tfile_writer *writer, uint32_t number, const char *name);

// Writes a tracepoint at an address. GDB uses the same numbers if the highest is written first.
void tfile_write_tracepoint(struct tfile_writer *writer, uint32_t number, uint64_t address);

void tfile_write_end_head(struct tfile_writer *writer);

// Begins a frame of `size_bytes`, the sum of the blocks that follow.
void tfile_write_frame(struct tfile_writer *writer, uint32_t tracepoint, uint32_t size_bytes);

// Writes all registers, in the order of the target description, each in the target's byte order.
void tfile_write_registers(struct tfile_writer *writer, const uint8_t *bytes, uint32_t count);

// Writes at most TFILE_MEMORY_BYTES_MAX bytes of memory.
void tfile_write_memory(struct tfile_writer *writer, uint64_t address, const uint8_t *bytes,
                        uint32_t count);

void tfile_write_value(struct tfile_writer *writer, uint32_t number, uint64_t value);

// Writes the end, after the last frame.
void tfile_write_end(struct tfile_writer *writer);

// --- point_choice.c ------------------------------------------------------------------------------

// Points of one lane, chosen in several ways at once and returned in the order of events, each
// once.

enum point_way {
    POINT_AT,    // after the event `value`, or TRAWL_START
    POINT_EVERY, // after each `value`-th event of the lane, from the first in the range on
    POINT_VISIT, // before each instruction at the address `value`
};

struct point_source {
    enum point_way way;
    uint64_t value;
    uint64_t next;    // the event after its next point, which may be TRAWL_START
    uint64_t in_lane; // of POINT_EVERY: the number in the lane of the event before it
};

// If all but view, lane and range is zero, no points are chosen.
struct point_choice {
    const struct index_view *view;
    uint64_t lane;
    struct call_range
        range; // for the last two ways; must exist; events by their numbers in the lane
    VEC(, struct point_source) sources;
    uint64_t first, end; // the events in the range, by their numbers in the lane: [first, end)
    uint64_t last;       // the event that is the last of them
};

// Adds points. False: no memory.
bool point_choice_add(struct point_choice *choice, enum point_way way, uint64_t value);
void point_choice_free(struct point_choice *choice);

// Starts, or restarts, before the first point.
enum status point_choice_begin(struct point_choice *choice, struct error *err);

// The event before the next point. STATUS_NOT_FOUND: there are no more points.
enum status point_choice_next(struct point_choice *choice, uint64_t *event, struct error *err);

#endif
