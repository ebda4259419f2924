// A trace as a program that GDB runs, forwards and backwards.
//
// GDB stops *before* an instruction: its pc is the next one, and everything else is as the last one
// left it. So a position here is the event that comes next, and the state is that after the event
// before it; position 0 is the start, and the number of events is the end. All lanes are at the
// same position, because the order of the trace's lines is the order of the world: a lane's pc is
// that of its next instruction. A step of a lane leads to its next instruction, so that what other
// lanes do meanwhile happens, too.
//
// Nothing is executed. To run is to search the index: the nearest visit of a breakpoint, the
// nearest write to a watched place that changes it, or read of it. So a run to a breakpoint 10 GB
// away takes as long as a step.
#ifndef TRAWL_GDB_RUN_H
#define TRAWL_GDB_RUN_H

#include "base/base.h"
#include "base/vec.h"
#include "dataflow/dataflow.h"
#include "idx/memory_series.h"
#include "report/out.h"
#include "session/session.h"
#include "trace/index_view.h"

// --- agent.c -------------------------------------------------------------------------------------

struct gdb_agent {
    const uint8_t *code;
    size_t size_bytes;
};

// What an expression reads. False: the value is not known.
struct gdb_agent_reader {
    void *self;
    bool is_big_endian;
    bool (*read_register)(void *self, uint32_t number, uint64_t *value);
    bool (*read_memory)(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes);
};

// The value on top of the stack at the end. False: it depends on what is not known, is ill-formed,
// or takes too many steps.
bool gdb_agent_value(const struct gdb_agent *agent, const struct gdb_agent_reader *reader,
                     uint64_t *value);

// --- code.c --------------------------------------------------------------------------------------

enum { GDB_CODE_BYTES = 4, GDB_NO_CODE = 256 };

// All zero is a trace that was not asked yet.
struct gdb_code {
    struct dataflow flow;
    bool is_open, has_none; // the text is read; it shows no code
    // Addresses that are not executed, + 1, by a hash.
    uint64_t none[GDB_NO_CODE];
};

void gdb_code_free(struct gdb_code *code);

// The bytes from an address on of the instruction that covers it, before event `position` or after
// it. *count is 0 if the trace shows none.
enum status gdb_code_at(struct gdb_code *code, const struct index_view *view,
                        const struct trace *trace, uint64_t position, uint64_t address,
                        uint8_t bytes[GDB_CODE_BYTES], size_t *count, struct error *err);

// --- frames.c ------------------------------------------------------------------------------------

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

// --- known.c -------------------------------------------------------------------------------------

// At most 8 bytes of the register space of a lane, within an aligned word of it, or of memory.
struct gdb_cell {
    bool is_memory;
    uint64_t lane, address, size_bytes;
};

// All values of a cell in a segment.
struct gdb_history {
    struct gdb_cell cell;
    uint64_t asked, questions; // the segment of the last question, and how many were about it
    uint64_t first, end;       // events of the segment; equal: nothing was read
    size_t row;                // the cursor
    struct memory_series values;
};

enum { GDB_HISTORIES = 256 }; // a power of two

// All zero is empty.
struct gdb_known {
    struct gdb_history histories[GDB_HISTORIES]; // by a hash of the cell
    uint64_t row_count;                          // of all
};

void gdb_known_free(struct gdb_known *known);

// After addresses have got another meaning.
void gdb_known_forget_memory(struct gdb_known *known);

// What a cell holds after an event, the byte of the lowest address least significant.
// TRAWL_NOT_FOUND: not all of it is known.
enum trawl_status gdb_known_value(struct gdb_known *known, const struct index_view *view,
                                  const struct gdb_cell *cell, uint64_t event, uint64_t *value,
                                  struct trawl_error *err);

// --- run.c ---------------------------------------------------------------------------------------

// In the order of the protocol; those from GDB_WRITE_WATCHPOINT on are watchpoints.
enum gdb_point_kind {
    GDB_BREAKPOINT,
    GDB_HARDWARE_BREAKPOINT,
    GDB_WRITE_WATCHPOINT,
    GDB_READ_WATCHPOINT,
    GDB_ACCESS_WATCHPOINT,
    GDB_POINT_KINDS,
};

// A breakpoint or watchpoint.
struct gdb_point {
    enum gdb_point_kind kind;
    uint64_t address, size_bytes;
    // Of a breakpoint: conditions in the bytecode of agents, of which any stops; none: always
    // stops.
    VEC(, uint8_t) code;
    VEC(, uint32_t) code_ends; // of each condition in `code`
};

enum gdb_stop_reason {
    GDB_STOP_STEP,  // of a step, or at a breakpoint
    GDB_STOP_WATCH, // a watched place changes or is read, or just was on the way back
    GDB_STOP_START, // nothing is before
    GDB_STOP_END,   // nothing comes after
    GDB_STOP_INTERRUPT,
};

struct gdb_stop {
    enum gdb_stop_reason reason;
    uint64_t lane;            // whose thread has stopped
    bool is_at_breakpoint;    // a run has reached it
    uint64_t address;         // of GDB_STOP_WATCH: of the watched place
    enum gdb_point_kind kind; // and how it is watched
};

// Whether a long search has to end. It is asked after so many steps of a search, as asking takes
// longer than most of them.
enum { GDB_STEPS_AT_ONCE = 64 };

struct gdb_patience {
    void *self;
    bool (*is_over)(void *self);
    uint64_t steps; // since it was asked
    bool was_over;  // in this run
};

// Fields are for reading.
struct gdb_run {
    struct session *session; // with an index of registers and memory
    const struct index_view *view;
    bool is_of_frames;        // its events are frames of a trace file
    struct gdb_frames frames; // then; there is neither machine nor target
    uint64_t position;
    uint64_t lane; // of the last stop
    const struct gdb_machine *machine;
    bool is_big_endian;
    struct gdb_target target;
    VEC(, struct gdb_point) points;
    struct gdb_known known; // to conditions
    struct gdb_code code;
    struct gdb_patience patience;
    struct error error; // of the index, which ends the run; STATUS_OK: none
};

// Begins at a position. STATUS_LIMIT: the machine of the trace has no registers that GDB knows.
enum status gdb_run_begin(struct gdb_run *run, struct session *session, uint64_t position,
                          const struct gdb_patience *patience, struct error *err);
void gdb_run_free(struct gdb_run *run);

// The event whose state a position shows; TRAWL_START before all. Behind the last frame it is the
// last one.
static inline uint64_t gdb_run_point(const struct gdb_run *run, uint64_t position)
{
    return run->is_of_frames ? u64_min(position, run->view->info.events - 1)
                             : position - 1; // before event 0 is TRAWL_START
}

// Goes to the first instruction at or after a point of the trace: with the event's own line when
// GDB shows the instruction that comes next.
void gdb_run_go_to(struct gdb_run *run, uint64_t event);

// The next instruction of a lane, or the frame of a position. False: it has no more.
bool gdb_run_next(struct gdb_run *run, uint64_t lane, uint64_t position, struct trawl_event *about);

// Adds a breakpoint or watchpoint; its conditions then belong to it. False: there are too many, or
// no memory. Removes an equal one; nothing happens if there is none.
bool gdb_run_add(struct gdb_run *run, struct gdb_point *point);
void gdb_run_remove(struct gdb_run *run, enum gdb_point_kind kind, uint64_t address,
                    uint64_t size_bytes);

// Steps a lane by one instruction, or runs, forwards or backwards.
struct gdb_stop gdb_run_step(struct gdb_run *run, uint64_t lane, bool is_back);
struct gdb_stop gdb_run_continue(struct gdb_run *run, bool is_back);

// Steps a lane as long as its pc is in [start, end).
struct gdb_stop gdb_run_range(struct gdb_run *run, uint64_t lane, uint64_t start, uint64_t end);

// A register of GDB's target of a lane at a position: its bytes, the least significant first as the
// target has them. False: not all of them are known.
bool gdb_run_register(struct gdb_run *run, uint64_t lane, uint64_t position, size_t number,
                      uint8_t *bytes);

// Reads memory as far as it is known from `address` on; returns how many bytes.
size_t gdb_run_memory(struct gdb_run *run, uint64_t address, size_t size_bytes, uint8_t *bytes);

#endif
