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

#include "arch/arm/gdb_target.h"
#include "query/point_choice.h"
#include "query/position.h"
#include "report/out.h"

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
    bool aarch64;                         // the state of the first frame, and so of all
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

#endif
