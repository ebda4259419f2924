// A GDB trace file, opened: what its header says, and where its frames are.
//
// A frame is what a target collected when one of its tracepoints was hit, or at a step after one:
// blocks of registers, memory and variables of trace state. Nothing in the file leads to a frame
// but the size of the one before it, so opening walks them once. Where that chain is broken, as by
// a circular buffer that wrapped while it was saved, the walk continues at the next place where
// frames fit, and such frames are marked. What blocks hold is read by the caller
// (trace/tfile/frame.h).
#ifndef TRAWL_TRACE_TFILE_FILE_H
#define TRAWL_TRACE_TFILE_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "trace/tfile/fault.h"
#include "trace/tfile/registers.h"

#define TFILE_MAGIC_BYTES 8
#define TFILE_FRAME_HEADER_BYTES 6

// A figure that the file does not tell.
#define TFILE_UNKNOWN UINT64_MAX

enum tfile_stop {
    TFILE_STOP_UNKNOWN,
    TFILE_STOP_NOT_RUN, // or not stopped
    TFILE_STOP_COMMAND,
    TFILE_STOP_FULL, // no room in the buffer
    TFILE_STOP_DISCONNECTED,
    TFILE_STOP_PASSES, // of a tracepoint
    TFILE_STOP_ERROR,  // of an expression of a tracepoint
};

struct tfile_status {
    bool is_told, is_running;
    enum tfile_stop stop;
    uint64_t stop_tracepoint; // of passes and error
    const char *stop_text;    // of command and error; NULL without one
    // As the target claimed; TFILE_UNKNOWN where it does not tell.
    uint64_t frames, frames_created, free_bytes, buffer_bytes;
    bool goes_on_alone, is_circular;
    uint64_t start_us, stop_us; // by the target's clock, often since it was booted; 0: unknown
    const char *notes, *user;   // NULL without
};

// A variable of trace state. Its name has no $.
struct tfile_variable {
    int32_t number;
    bool is_builtin;
    int64_t initial;
    const char *name;
};

enum tfile_piece_kind {
    TFILE_DEFINITION,
    TFILE_ACTION,      // at a hit, as it was sent to the target
    TFILE_STEP_ACTION, // at each step after one
    TFILE_AT,          // where the user wanted it
    TFILE_CONDITION,   // as the user wrote it
    TFILE_COMMAND,     // an action as the user wrote it
    TFILE_STATISTICS,
};

// A line about a tracepoint: what follows its number and address, source decoded.
struct tfile_piece {
    uint32_t number;
    uint32_t order; // in the file
    uint64_t address;
    enum tfile_piece_kind kind;
    const char *text;
};

// A place where a tracepoint is; one may have several. Its pieces are in the order of the file.
struct tfile_location {
    uint32_t number;
    uint64_t address; // as the program ran
    const struct tfile_piece *pieces;
    size_t piece_count;
    uint32_t places; // locations of this number, of the first of them
    bool is_defined; // the line that the following are in was readable
    bool is_enabled, is_fast, is_static;
    // What each hit collects at least, and each step: blocks of registers, and of memory at
    // addresses that the target need not reckon.
    bool hits_take_registers, steps_take_registers;
    uint32_t hit_blocks, step_blocks;
    uint64_t steps;            // after each hit; 0: none
    uint64_t passes;           // after which tracing stops; 0: never
    const char *condition;     // its bytecode, in hexadecimal; NULL without
    const char *at;            // NULL where the file does not tell
    uint64_t hits, data_bytes; // TFILE_UNKNOWN
};

enum {
    TFILE_RECOVERED = 1, // found after a break in the chain
    TFILE_CUT = 2,       // the file ends inside of it
};

struct tfile_frame {
    uint64_t offset;     // of its data, after number and size
    uint32_t size_bytes; // of its data
    uint16_t number;     // of its tracepoint
    uint16_t marks;
};

struct tfile_options {
    enum tfile_byte_order byte_order; // if it is known better than the file says
    enum tfile_machine machine;       // likewise, for a file without a target description
};

// Fields are for reading.
struct tfile {
    const uint8_t *data; // stays the caller's
    uint64_t size_bytes;
    struct arena arena;
    struct tfile_status status;
    uint32_t register_bytes; // of each block of registers
    struct tfile_registers registers;
    bool is_big_endian;
    uint64_t address_mask;                  // addresses of 32 bits come with signs
    VEC(, struct tfile_variable) variables; // by number
    VEC(, struct tfile_piece) pieces;
    VEC(, struct tfile_location) locations; // by number and address
    uint32_t *location_of;                  // 65536: the first of a number plus 1, 0 without
    uint64_t unknown_lines;                 // of the header
    uint64_t frames_offset;                 // 0: the header has no end
    VEC(, struct tfile_frame) frames;
    uint64_t recovered_frames;
    uint64_t end_offset;        // where the walk ended: an end mark, or the end of the file
    struct trace_damage damage; // except for what is inside of frames
};

// Gives back what a file has; it is zero then.
void tfile_close(struct tfile *file);

// The locations of a tracepoint, `count` of them; NULL for a number that the header does not have.
const struct tfile_location *tfile_locations_of(const struct tfile *file, uint16_t number,
                                                size_t *count);

// The variable of a name without $, or of a number; NULL if there is none.
const struct tfile_variable *tfile_variable_named(const struct tfile *file, const char *name,
                                                  size_t length);
const struct tfile_variable *tfile_variable_numbered(const struct tfile *file, int32_t number);

// "tstop command", "buffer full", ...
const char *tfile_stop_name(enum tfile_stop stop);

#endif
