// An open GDB trace file: the contents of its header, and where its frames are.
//
// A frame contains what a target collected when it hit a tracepoint, or at a step after one: blocks
// of registers, memory and trace state variables. A frame can only be found from the size of the
// one before it, so opening walks them once. If this chain is broken, for example by a circular
// buffer that wrapped while it was saved, the walk continues at the next place where frames fit,
// and such frames are marked. The caller reads the contents of blocks (trace/tfile/frame.h).
//
// Opening takes 1.2 times as long as a plain walk over the sizes of frames; their contents are not
// touched before a report needs them (bench/RESULTS.md, Trace files of GDB).
#ifndef TRAWL_TRACE_TFILE_FILE_H
#define TRAWL_TRACE_TFILE_FILE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "trace/tfile/registers.h"
#include "trace/trace.h"

// --- What is damaged -----------------------------------------------------------------------------

// Damage of a trace file: what is wrong, where, and how much had to be skipped.

enum tfile_fault_kind {
    TFILE_FAULT_HEADER_ENDS,    // the file ends inside the header
    TFILE_FAULT_LINE,           // a line of the header that cannot be read
    TFILE_FAULT_REGISTER_BYTES, // the size of a block of registers is missing
    TFILE_FAULT_DESCRIPTION,    // of the target is damaged; the default of the machine is used
    TFILE_FAULT_NUMBER,         // a frame of a tracepoint that does not exist; value: its number
    TFILE_FAULT_SIZE,           // a frame that does not end in the file; value: its size
    TFILE_FAULT_EARLY_END,      // an end mark followed by frames
    TFILE_FAULT_CUT,            // the file ends inside a frame
    TFILE_FAULT_NO_END,         // no end mark
    TFILE_FAULT_GIVEN_UP,       // the search for frames after a break was given up
    TFILE_FAULT_EMPTY,          // a frame of zeros
    TFILE_FAULT_BLOCK,          // a block of an unknown kind; value: the kind
    TFILE_FAULT_BLOCK_CUT,      // a block that does not end in its frame
    TFILE_FAULT_PACKET,         // of a stream of the Common Trace Format
};

// The text of the fault, without its place.
void tfile_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// --- file.c --------------------------------------------------------------------------------------

#define TFILE_MAGIC_BYTES 8
#define TFILE_FRAME_HEADER_BYTES 6

// A number that the file does not contain.
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
    uint64_t stop_tracepoint; // for TFILE_STOP_PASSES and TFILE_STOP_ERROR
    const char *stop_text;    // for TFILE_STOP_COMMAND and TFILE_STOP_ERROR; otherwise NULL
    // As claimed by the target; TFILE_UNKNOWN: not given.
    uint64_t frames, frames_created, free_bytes, buffer_bytes;
    bool goes_on_alone, is_circular;
    uint64_t start_us, stop_us; // by the target's clock, often since it was booted; 0: unknown
    const char *notes, *user;   // NULL: none
};

// A trace state variable. Its name has no $.
struct tfile_variable {
    int32_t number;
    bool is_builtin;
    int64_t initial;
    const char *name;
};

enum tfile_piece_kind {
    TFILE_DEFINITION,
    TFILE_ACTION,      // at a hit, in the form sent to the target
    TFILE_STEP_ACTION, // at each step after a hit
    TFILE_AT,          // the place that the user specified
    TFILE_CONDITION,   // in the form that the user wrote
    TFILE_COMMAND,     // an action in the form that the user wrote
    TFILE_STATISTICS,
};

// A line about a tracepoint: the part after its number and address, with source text decoded.
struct tfile_piece {
    uint32_t number;
    uint32_t order; // in the file
    uint64_t address;
    enum tfile_piece_kind kind;
    const char *text;
};

// An address of a tracepoint, which may have several. Its pieces are in the order of the file.
struct tfile_location {
    uint32_t number;
    uint64_t address; // in the running program
    const struct tfile_piece *pieces;
    size_t piece_count;
    uint32_t places; // number of locations with this number; only in the first of them
    bool is_defined; // the line with the fields below was readable
    bool is_enabled, is_fast, is_static;
    // What each hit and each step collects at least: blocks of registers, and blocks of memory at
    // addresses that the target need not compute.
    bool hits_take_registers, steps_take_registers;
    uint32_t hit_blocks, step_blocks;
    uint64_t steps;            // after each hit; 0: none
    uint64_t passes;           // after this many, tracing stops; 0: never
    const char *condition;     // bytecode in hexadecimal; NULL: none
    const char *at;            // NULL: unknown
    uint64_t hits, data_bytes; // TFILE_UNKNOWN: unknown
};

enum {
    TFILE_RECOVERED = 1, // found after a break in the chain
    TFILE_CUT = 2,       // the file ends inside it
};

struct tfile_frame {
    uint64_t offset;     // of its data, after number and size
    uint32_t size_bytes; // of its data
    uint16_t number;     // of its tracepoint
    uint16_t marks;
};

struct tfile_options {
    enum tfile_byte_order byte_order; // if it is known with more certainty than from the file
    enum tfile_machine machine;       // the same, for a file without a target description
    struct tfile_elf elf;
};

// Fields are read-only for users.
struct tfile {
    const uint8_t *data; // owned by the caller
    uint64_t size_bytes;
    struct arena arena;
    struct tfile_status status;
    uint32_t register_bytes; // of each block of registers
    struct tfile_registers registers;
    bool is_big_endian;
    uint64_t address_mask;                  // 32-bit addresses are sign-extended in the file
    VEC(, struct tfile_variable) variables; // by number
    VEC(, struct tfile_piece) pieces;
    VEC(, struct tfile_location) locations; // by number and address
    uint32_t *location_of;  // 65536 items: the first location of a number, + 1; 0: none
    uint64_t unknown_lines; // of the header
    uint64_t frames_offset; // 0: the end of the header is missing
    VEC(, struct tfile_frame) frames;
    uint64_t recovered_frames;
    uint64_t end_offset;        // where the walk ended: an end mark, or the end of the file
    struct trace_damage damage; // without damage inside frames
};

// Frees what belongs to a file and sets it to zero.
void tfile_close(struct tfile *file);

// The locations of a tracepoint and their number; NULL: the header does not define it.
const struct tfile_location *tfile_locations_of(const struct tfile *file, uint16_t number,
                                                size_t *count);

// The variable with a name without $, or with a number; NULL: none.
const struct tfile_variable *tfile_variable_named(const struct tfile *file, const char *name,
                                                  size_t length);
const struct tfile_variable *tfile_variable_numbered(const struct tfile *file, int32_t number);

// "tstop command", "buffer full", ...
const char *tfile_stop_name(enum tfile_stop stop);

// The parts of opening a trace file. Only for header.c, walk.c and file.c.

// Reads the header. STATUS_MEMORY, STATUS_LIMIT.
enum status tfile_read_header(struct tfile *file, const struct tfile_options *options,
                              struct error *err);

// Finds the frames, in the byte order given by `options` or the header, or otherwise in the one
// that fits them. False: no memory.
bool tfile_find_frames(struct tfile *file, const struct tfile_options *options);

// Whether there can be frames of a tracepoint with that number.
static inline bool tfile_is_number(const struct tfile *file, uint16_t number)
{
    return number && (file->locations.count == 0 || file->location_of[number]);
}

// --- ctf.c ---------------------------------------------------------------------------------------

// Whether a file with this beginning is a stream of the Common Trace Format.
bool tfile_ctf_is(const void *data, uint64_t size_bytes);

// Makes the bytes of a trace file from the stream and the metadata that 'tsave -ctf' wrote. Packets
// that cannot be read are added to `damage`. `order`: of the target, if it is known. STATUS_INPUT:
// it is not GDB's.
enum status tfile_ctf_convert(struct bytes *made, const uint8_t *stream, uint64_t size_bytes,
                              const char *metadata, enum tfile_byte_order order,
                              struct trace_damage *damage, struct error *err);

// --- Opening -------------------------------------------------------------------------------------

// Opens a GDB trace file.

// Whether a file with this beginning is a trace file.
bool tfile_is(const void *data, uint64_t size_bytes);

// Opens the trace file in `data`, which must exist as long as `file`. Damage does not make it fail,
// but is recorded in file->damage. STATUS_INPUT: not a trace file. Close with tfile_close in any
// case.
enum status tfile_open(struct tfile *file, const void *data, uint64_t size_bytes,
                       const struct tfile_options *options, struct error *err);

#endif
