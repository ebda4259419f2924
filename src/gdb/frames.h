// The frames of a trace file of GDB as stops: what a target collected where it hit tracepoints.
//
// GDB opens such a file itself (`target tfile`), and selects its frames by number; it cannot go
// from one to the next or back, nor look for one by a condition. Here each frame is a place where
// the program stands: a step leads to the next frame or the one before, a breakpoint stops at
// frames of its address. Between two frames the program ran on unseen, so a frame has only what it
// collected, and there is nothing to watch. A position is the event of the frame that is shown, and
// not the one that comes next; behind the last frame, nothing is known.
//
// The file has the target's own description of its registers, and a block of registers is passed on
// as the target sent it; so every machine that GDB knows is served.
#ifndef TRAWL_GDB_FRAMES_H
#define TRAWL_GDB_FRAMES_H

#include "report/out.h"
#include "session/session.h"

// Fields are for reading.
struct gdb_frames {
    uint32_t block_bytes;         // of the registers; 0: the file has no registers that have names
    uint32_t pc_offset, pc_bytes; // in the block; 0 bytes: it has none
};

// STATUS_LIMIT: there are no frames, or their registers do not fit into a packet.
enum status gdb_frames_begin(struct gdb_frames *frames, const struct session *session,
                             struct error *err);

// Writes the block of registers of a frame (or of what is behind the last) in hexadecimal digits,
// "xx" for bytes that it did not collect. Without registers, a frame still knows its pc.
enum status gdb_frames_registers(const struct gdb_frames *frames, const struct index_view *view,
                                 uint64_t event, struct out *out, struct error *err);

// What a frame collected of memory, and what is constant in images; known[i] is 0 of other bytes.
enum trawl_status gdb_frames_memory(const struct session *session, uint64_t event, uint64_t address,
                                    size_t size_bytes, uint8_t *bytes, uint8_t *known,
                                    struct trawl_error *err);

#endif
