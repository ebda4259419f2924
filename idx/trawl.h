// libtrawl: reads the index that `trawl index` builds for an execution trace.
//
// An index answers questions without the trace: what every register and any memory held at a point,
// which instruction wrote it, which calls were active, when an address was executed. FORMAT.md
// describes the file.
//
// A trace is a sequence of *events*, numbered from 0 in the order of their first lines. Each
// belongs to a *lane* (a core or thread), and also has a number in that lane. The state at an event
// is the state after all of it has happened; TRAWL_START is the point before the first event.
//
// Structures can grow at their ends in later versions. A function that fills a structure is
// therefore a macro that passes on its size: fields that the library does not know become zero, and
// fields that the program does not know are omitted. Functions whose names end with _ implement
// these macros; call the macros.
//
// Functions return TRAWL_OK, or another status and fill `err` (which may be NULL). The contents of
// a file can at worst make them fail: damage is detected when a part is first read. Use an index
// from one thread at a time; opening it several times is cheap.
#ifndef TRAWL_H
#define TRAWL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TRAWL_API __attribute__((visibility("default")))
#else
#define TRAWL_API
#endif

enum trawl_status {
    TRAWL_OK = 0,
    TRAWL_IO,        // the system refused: open, read, map
    TRAWL_DAMAGED,   // not an index, or a damaged one
    TRAWL_LIMIT,     // made by a later version
    TRAWL_MEMORY,    // no memory
    TRAWL_NOT_FOUND, // what was asked for does not exist
};

struct trawl_error {
    enum trawl_status status;
    uint64_t line;   // 0 if there is none
    uint64_t offset; // in the file; UINT64_MAX if there is none
    char text[480];  // one line, names the file
};

struct trawl_index;

// --- The file ------------------------------------------------------------------------------------

// Maps the file, which takes a tenth of a millisecond; reading it takes about a millisecond per
// megabyte. While it is open, the file can be replaced or removed, as trawl does when it builds a
// new one. If another program truncates it in place, the next access to the missing part raises
// SIGBUS, because the library installs no signal handlers: use trawl_open_bytes if that can happen.
TRAWL_API enum trawl_status trawl_open(struct trawl_index **index, const char *path,
                                       struct trawl_error *err);

// Opens an index that the caller has read into memory, for files that others can write to. The
// bytes must not change until the index is closed. `name` is used in messages.
TRAWL_API enum trawl_status trawl_open_bytes(struct trawl_index **index, const char *name,
                                             const void *bytes, size_t size_bytes,
                                             struct trawl_error *err);

// NULL is allowed.
TRAWL_API void trawl_close(struct trawl_index *index);

// Decodes everything in the file and checks every byte of it.
TRAWL_API enum trawl_status trawl_verify(struct trawl_index *index, struct trawl_error *err);

enum trawl_option {
    TRAWL_READ_AS_TTU = 1 << 0, // by the rules of Arm's Tarmac Trace Utilities
    TRAWL_IMPLICIT_THUMB = 1 << 1,
    TRAWL_BIG_ENDIAN = 1 << 2,
    TRAWL_READINGS_AGREE = 1 << 3,       // both readings give the same calls
    TRAWL_USES_AARCH64 = 1 << 4,         // some instruction is of AArch64
    TRAWL_DEDUCES_CALLS = 1 << 5,        // XRay: an exit may end calls above its own
    TRAWL_TELLS_TASKS = 1 << 6,          // Tarmac: has tasks, and where calls that continue began
    TRAWL_KEEPS_ORDER = 1 << 7,          // trace file, big-endian: bytes are at their addresses
    TRAWL_TELLS_UNKNOWN = 1 << 8,        // Tarmac: knows writes of unknown values
    TRAWL_TELLS_LOADS = 1 << 9,          // Tarmac: lists all reads of memory
    TRAWL_HAS_PROGRAMS = 1 << 10,        // PCs say of which program they are (trawl_pc_address)
    TRAWL_COUNTS_INSTRUCTIONS = 1 << 11, // RISC-V: a time is a number of instructions of its lane
};

// The address of the machine, in an index with TRAWL_HAS_PROGRAMS: there, PCs of programs that have
// the same addresses have a number in bits 62 to 52, whose lowest four bits are not all zero, and
// bits 51 to 0 are the address, with its sign. So PCs, symbols and source lines of these programs
// have addresses of their own. Memory is at addresses of the machine.
static inline uint64_t trawl_pc_address(uint64_t pc)
{
    bool has_program = !(pc >> 63) && (pc >> 52 & 15);
    uint64_t sign = pc >> 51 & 1 ? UINT64_C(0xfff) << 52 : 0;
    return has_program ? (pc & ((UINT64_C(1) << 52) - 1)) | sign : pc;
}

// Of the options: a hash of the expression for prefixes that were stripped from the lines of the
// trace; 0: none were.
#define TRAWL_PREFIX_HASH (UINT64_C(0xffffffff) << 32)

// Special values in place of the number of an event, call or lane. They differ from each other.
#define TRAWL_START UINT64_MAX          // the point before the first event
#define TRAWL_NONE (UINT64_MAX - 1)     // there is none
#define TRAWL_ANY_LANE (UINT64_MAX - 2) // any lane

// The direction in which to search from a point. TRAWL_BACKWARD begins with the event at the point
// itself, because that has already happened; TRAWL_FORWARD begins with the event after it. All
// events are forward of TRAWL_START.
enum trawl_direction { TRAWL_FORWARD, TRAWL_BACKWARD };

struct trawl_info {
    uint64_t trace_bytes, trace_mtime_ns, trace_fingerprint[2];
    uint64_t options; // enum trawl_option
    uint64_t events;
    uint64_t lines, header_lines; // of the trace; before the first event
    uint64_t damaged_lines, damaged_bytes, refused_lane_lines;
    uint64_t lanes;
    uint64_t segments, segment_events;
    uint64_t index_bytes;
    const char *kind;          // "tarmac", "xray", "tfile", ...; valid until the index is closed
    uint64_t kind_version;     // version of the format, for XRay logs; otherwise 0
    uint64_t ticks_per_second; // of times; 0: unknown
    uint64_t address_bytes;    // of the target: 4 or 8; 0: unknown
    uint64_t machine;          // e_machine of ELF; 0: unknown
    uint64_t functions;  // a hash of the images' functions that were used to find calls; 0: none
                         // were used
    bool is_snapshots;   // events are frames of a trace file: see Registers and Memory
    bool is_by_lanes;    // events are numbered lane by lane, and PCs are function ids * 2: XRay
    uint64_t file_bytes; // of the trace's file; not trace_bytes if it is compressed
    // For a compressed file that is damaged: 1 + the offset in the file where damage was found; the
    // index covers the text before it. Otherwise 0.
    uint64_t packed_fault;
};

#define trawl_info(index, info) trawl_info_(index, info, sizeof *(info))
TRAWL_API void trawl_info_(const struct trawl_index *index, struct trawl_info *info,
                           size_t info_bytes);

struct trawl_lane {
    const char *name;     // "" if the trace names none; valid until the index is closed
    uint64_t line_events; // lines that made an event
    uint64_t events, instructions;
    uint64_t root; // the first event with an instruction; TRAWL_NONE
    uint64_t transfers, calls_returned, calls_dropped, calls_unreturned;
    uint64_t calls;   // available from trawl_call
    bool is_snapshot; // its events are frames of a trace file: see Registers and Memory
    uint64_t process_id, thread_id; // of an XRay log; otherwise TRAWL_NONE
};

#define trawl_lane(index, lane, about, err) trawl_lane_(index, lane, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_lane_(struct trawl_index *index, uint64_t lane,
                                        struct trawl_lane *about, size_t about_bytes,
                                        struct trawl_error *err);

// How many bytes each part of the index takes: a row for each kind of column or directory. Their
// sum is index_bytes.
struct trawl_size {
    const char *name; // "events.pc"; never freed
    uint64_t bytes;
};

// Fills at most `capacity` rows; *count is the number of rows (less than 64).
#define trawl_sizes(index, sizes, capacity, count, err)                                            \
    trawl_sizes_(index, sizes, sizeof *(sizes), capacity, count, err)
TRAWL_API enum trawl_status trawl_sizes_(struct trawl_index *index, struct trawl_size *sizes,
                                         size_t size_bytes, size_t capacity, size_t *count,
                                         struct trawl_error *err);

// --- Events --------------------------------------------------------------------------------------

// The address that stands for exceptions in searches.
#define TRAWL_EXCEPTIONS UINT64_C(6)

enum trawl_event_flag {
    TRAWL_ISA = 3, // 0 A32, 1 T32, 2 A64
    TRAWL_HAS_INSTRUCTION = 1 << 2,
    TRAWL_EXECUTED = 1 << 3,  // not skipped by its condition
    TRAWL_HOST_CALL = 1 << 4, // semihosting
    TRAWL_EXCEPTION = 1 << 5,
    TRAWL_FRAME_RECOVERED = 1 << 6, // of a trace file: found after a break in the file
    TRAWL_FRAME_DAMAGED = 1 << 7,   // some of its data cannot be read
    TRAWL_XRAY_KIND = 3 << 8, // of an XRay log: 0 entry, 1 << 8 exit, 2 << 8 exit by a tail call,
                              // 3 << 8 entry with arguments
};

struct trawl_event {
    uint64_t event;         // of the trace
    uint64_t lane, in_lane; // its lane, and its number in that lane
    uint64_t time;
    uint64_t line, position; // of its first line, from 1, and of that line's first byte
    uint64_t pc;             // with Thumb bit; 2: no instruction
    uint32_t flags;          // enum trawl_event_flag
};

#define trawl_event(index, event, about, err)                                                      \
    trawl_event_(index, event, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_event_(struct trawl_index *index, uint64_t event,
                                         struct trawl_event *about, size_t about_bytes,
                                         struct trawl_error *err);

// Columns for a block of rows, allocated by the caller, each large enough for all rows; columns
// that are NULL are not filled.
struct trawl_event_columns {
    uint64_t *lane, *in_lane, *time, *line, *position, *pc;
    uint64_t *flags; // enum trawl_event_flag
};

// The events from `first` on, at most `capacity`; *count is their number, 0 after the last event.
#define trawl_events(index, first, capacity, columns, count, err)                                  \
    trawl_events_(index, first, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status trawl_events_(struct trawl_index *index, uint64_t first,
                                          size_t capacity,
                                          const struct trawl_event_columns *columns,
                                          size_t columns_bytes, size_t *count,
                                          struct trawl_error *err);

// Event number `in_lane` of the lane.
TRAWL_API enum trawl_status trawl_event_of_lane(struct trawl_index *index, uint64_t lane,
                                                uint64_t in_lane, uint64_t *event,
                                                struct trawl_error *err);

// The PC, with Thumb bit, of the instruction that an event belongs to: its own. For an event
// without an instruction, the one that its line names, otherwise the last one before it in its
// lane: RTL writes registers and memory later than the instruction, and exceptions are taken after
// it. TRAWL_NOT_FOUND: none.
TRAWL_API enum trawl_status trawl_instruction_of(struct trawl_index *index, uint64_t event,
                                                 uint64_t *pc, struct trawl_error *err);

// The last event of the lane with an instruction, at or before event number `in_lane` of it.
// TRAWL_NOT_FOUND: none.
TRAWL_API enum trawl_status trawl_instruction_before(struct trawl_index *index, uint64_t lane,
                                                     uint64_t in_lane, uint64_t *event,
                                                     struct trawl_error *err);

// The event to which a line, or the byte at a position, belongs: the last event that begins at or
// before it. TRAWL_START: none.
TRAWL_API enum trawl_status trawl_event_at_line(struct trawl_index *index, uint64_t line,
                                                uint64_t *event, struct trawl_error *err);
TRAWL_API enum trawl_status trawl_event_at_position(struct trawl_index *index, uint64_t position,
                                                    uint64_t *event, struct trawl_error *err);

// The last event of the lane (or of any) at or before `time`. TRAWL_START: none.
TRAWL_API enum trawl_status trawl_event_at_time(struct trawl_index *index, uint64_t lane,
                                                uint64_t time, uint64_t *event,
                                                struct trawl_error *err);

// The nearest event of the lane (or of any), from a point on, that executed or skipped the
// instruction at `pc` (without bit 0) or, for TRAWL_EXCEPTIONS, took an exception. With
// TRAWL_HAS_PROGRAMS, an address of the machine is that of any program. TRAWL_NOT_FOUND: none.
TRAWL_API enum trawl_status trawl_visit(struct trawl_index *index, uint64_t lane, uint64_t pc,
                                        uint64_t event, enum trawl_direction direction,
                                        uint64_t *visit, struct trawl_error *err);

// --- Symbols -------------------------------------------------------------------------------------

// The symbols that `trawl index --image` stored, at the addresses where the images were loaded. An
// index that was built without images has none.
struct trawl_symbol {
    const char
        *name; // valid until the index is closed; not demangled; NAME@0xVALUE if several had it
    uint64_t address;    // without Thumb bit
    uint64_t size_bytes; // 0: unknown
    // Whether it is code of 32-bit Arm, so that pointers to it may have the Thumb bit: 1, or 0; -1:
    // the index does not say, because it is of another machine or an earlier version.
    int8_t is_arm_code;
};

TRAWL_API enum trawl_status trawl_symbol_count(struct trawl_index *index, uint64_t *count,
                                               struct trawl_error *err);

// Symbol `number`, in byte order of the names. TRAWL_NOT_FOUND: there are fewer.
#define trawl_symbol(index, number, about, err)                                                    \
    trawl_symbol_(index, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_symbol_(struct trawl_index *index, uint64_t number,
                                          struct trawl_symbol *about, size_t about_bytes,
                                          struct trawl_error *err);

// The symbol that names an address (without Thumb bit), as it would be with the images; and the
// first symbol with a name. TRAWL_NOT_FOUND: none.
#define trawl_symbol_at(index, address, about, err)                                                \
    trawl_symbol_at_(index, address, about, sizeof *(about), err)
#define trawl_symbol_named(index, name, about, err)                                                \
    trawl_symbol_named_(index, name, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_symbol_at_(struct trawl_index *index, uint64_t address,
                                             struct trawl_symbol *about, size_t about_bytes,
                                             struct trawl_error *err);
TRAWL_API enum trawl_status trawl_symbol_named_(struct trawl_index *index, const char *name,
                                                struct trawl_symbol *about, size_t about_bytes,
                                                struct trawl_error *err);

// --- Source lines --------------------------------------------------------------------------------

// The source lines that `trawl index --image` stored from the images' DWARF: ranges of the address
// space, each of which comes from one line or from an unknown one. An index that was built without
// images has none.
struct trawl_line {
    uint64_t address, end; // [address, end); an end of 0 is the end of the address space
    const char *file;      // with its directories as in the image, valid until the index is closed;
                           // NULL: the line is unknown
    uint32_t line, column; // 0: unknown
};

TRAWL_API enum trawl_status trawl_line_count(struct trawl_index *index, uint64_t *count,
                                             struct trawl_error *err);

// Range `number`, in the order of addresses; each begins where the previous one ends. Lines below
// the first range are unknown. TRAWL_NOT_FOUND: there are fewer.
#define trawl_line(index, number, about, err)                                                      \
    trawl_line_(index, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_line_(struct trawl_index *index, uint64_t number,
                                        struct trawl_line *about, size_t about_bytes,
                                        struct trawl_error *err);

// The range that contains an address (without Thumb bit). TRAWL_NOT_FOUND: its line is unknown.
#define trawl_line_at(index, address, about, err)                                                  \
    trawl_line_at_(index, address, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_line_at_(struct trawl_index *index, uint64_t address,
                                           struct trawl_line *about, size_t about_bytes,
                                           struct trawl_error *err);

// Image `number` of those whose lines the index does not keep, because they are many (a kernel has
// millions): they are in its file. TRAWL_NOT_FOUND: there are fewer.
struct trawl_line_image {
    const char *path;     // valid until the index is closed, like the next one
    const char *identity; // what tells it from other images: name, build-id and place, as text
    uint64_t offset;      // added to its addresses
    uint64_t address_mask;
};

#define trawl_line_image(index, number, about, err)                                                \
    trawl_line_image_(index, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_line_image_(struct trawl_index *index, uint64_t number,
                                              struct trawl_line_image *about, size_t about_bytes,
                                              struct trawl_error *err);

// --- Registers -----------------------------------------------------------------------------------

enum trawl_register_flag {
    TRAWL_REGISTER_GENERAL = 1 << 0,
    TRAWL_REGISTER_VECTOR = 1 << 1,   // or floating point
    TRAWL_REGISTER_SYSTEM = 1 << 2,   // status or control
    TRAWL_REGISTER_VARIABLE = 1 << 3, // not a register of the target, but a trace state variable
    TRAWL_REGISTER_PC = 1 << 4,       // has no bytes if it is the PC of the next event
    TRAWL_REGISTER_SP = 1 << 5,
    TRAWL_REGISTER_FP = 1 << 6,   // the frame pointer, if any
    TRAWL_REGISTER_LINK = 1 << 7, // where calls store the return address
    TRAWL_REGISTER_CODE = 1 << 8, // an address of code
    TRAWL_REGISTER_DATA = 1 << 9, // an address of data
    TRAWL_REGISTER_FLOAT = 1 << 10,
    TRAWL_REGISTER_VIEW = 1 << 11,       // of bytes that belong to other registers
    TRAWL_REGISTER_BIG_ENDIAN = 1 << 12, // the most significant byte is first
    TRAWL_REGISTER_BANKED = 1 << 13,     // only with a bank: r14_svc
};

// A register, or another name of one.
struct trawl_register {
    const char *name;            // valid until the index is closed; "" for an unnamed variable
    uint64_t offset, size_bytes; // in the register space of a lane
    uint32_t flags;              // enum trawl_register_flag
    uint32_t isas;  // bit n: the name means this in instruction set n (TRAWL_ISA); in traces
                    // without instruction sets, n is 0
    uint32_t shown; // bit n: list it under this name there; otherwise it is only an alias
    uint32_t dwarf; // its DWARF number, or TRAWL_NO_DWARF
};

#define TRAWL_NO_DWARF UINT32_MAX

// The number of registers; 0 for traces without registers.
TRAWL_API uint64_t trawl_register_count(const struct trawl_index *index);

// Register `number`, in an order suitable for lists. TRAWL_NOT_FOUND: there are fewer.
#define trawl_register(index, number, about, err)                                                  \
    trawl_register_(index, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_register_(const struct trawl_index *index, uint64_t number,
                                            struct trawl_register *about, size_t about_bytes,
                                            struct trawl_error *err);

// The register that a name, as users write it, means in instruction set number `isa`
// (trawl_event.flags & TRAWL_ISA). Case is ignored if the trace ignores it in names; leading zeros
// are always ignored.
#define trawl_register_named(index, isa, name, length, about, err)                                 \
    trawl_register_named_(index, isa, name, length, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_register_named_(const struct trawl_index *index, uint32_t isa,
                                                  const char *name, size_t length,
                                                  struct trawl_register *about, size_t about_bytes,
                                                  struct trawl_error *err);

// The first register that has all of these flags in an instruction set, or this DWARF number.
#define trawl_register_with(index, isa, flags, about, err)                                         \
    trawl_register_with_(index, isa, flags, about, sizeof *(about), err)
#define trawl_register_of_dwarf(index, isa, dwarf, about, err)                                     \
    trawl_register_of_dwarf_(index, isa, dwarf, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_register_with_(const struct trawl_index *index, uint32_t isa,
                                                 uint32_t flags, struct trawl_register *about,
                                                 size_t about_bytes, struct trawl_error *err);
TRAWL_API enum trawl_status trawl_register_of_dwarf_(const struct trawl_index *index, uint32_t isa,
                                                     uint32_t dwarf, struct trawl_register *about,
                                                     size_t about_bytes, struct trawl_error *err);

// The registers of a lane are in a space of bytes, where several names can share bytes. Offsets for
// a Tarmac trace:
#define TRAWL_X(n) (UINT64_C(8) * (n)) // r0 to r15 are the low halves of x0 to x15
#define TRAWL_XSP UINT64_C(0xf8)
#define TRAWL_Z(n) (UINT64_C(0x100) + UINT64_C(0x100) * (n)) // v and q; in AArch64 also d and s
// In an index that was made by trawl 1.1 or earlier, or by the rules of Arm's tools, these are 0x10
// bytes apart: trawl_register_named knows.
#define TRAWL_P(n) (UINT64_C(0x2100) + UINT64_C(0x20) * (n))
#define TRAWL_PSR UINT64_C(0x2300)
#define TRAWL_FPSCR UINT64_C(0x2304)
#define TRAWL_FPCR UINT64_C(0x2308)
#define TRAWL_FPSR UINT64_C(0x230c)
#define TRAWL_VPR UINT64_C(0x2310)
#define TRAWL_REGISTER_BYTES UINT64_C(0x2318)
// Other registers that the trace names (system registers, registers of a mode) come after them, in
// the order of their first appearance; all registers end at or before this offset.
#define TRAWL_REGISTER_SPACE_MAX UINT64_C(0x40000)

// In a GDB trace file, the space contains the block of registers as the target sent it, followed by
// the trace state variables (FORMAT.md says where). An event is then a frame, which is a snapshot:
// its lane has what the frame collected, other lanes have nothing, and "written" means "collected".

// The bytes [offset, offset + size) of the register space at `event`; known[i] is 1 if values[i] is
// known.
TRAWL_API enum trawl_status trawl_registers(struct trawl_index *index, uint64_t lane,
                                            uint64_t event, uint64_t offset, size_t size_bytes,
                                            uint8_t *values, uint8_t *known,
                                            struct trawl_error *err);

// The nearest event, from a point on, that wrote any of these bytes (even the same value).
// TRAWL_NOT_FOUND: there is none.
TRAWL_API enum trawl_status trawl_register_written(struct trawl_index *index, uint64_t lane,
                                                   uint64_t event, enum trawl_direction direction,
                                                   uint64_t offset, size_t size_bytes,
                                                   uint64_t *written, struct trawl_error *err);

// The events that wrote any of these bytes, from a point on: at most `capacity`, the nearest first.
// *count is the number found.
TRAWL_API enum trawl_status trawl_register_writes(struct trawl_index *index, uint64_t lane,
                                                  uint64_t event, enum trawl_direction direction,
                                                  uint64_t offset, size_t size_bytes,
                                                  uint64_t *events, size_t capacity, size_t *count,
                                                  struct trawl_error *err);

struct trawl_register_write_columns {
    uint64_t *event, *lane;
    uint64_t *offset; // of the first byte, in the register space of the lane
    uint64_t *mask;   // bit i: the byte at offset + i was written; all are before the next
                      // multiple of 8
    uint64_t *value;  // byte i is the one at offset + i; 0 if it was not written
    uint64_t *known;  // `mask`, or 0: the value is not known. If this is NULL, writes of unknown
                      // values are left out
};

// A position in the sequence of register writes. All zero: before the first.
struct trawl_register_cursor {
    uint64_t segment, timeline, write;
};

// Reads writes to registers from a position on and before segment `until` of the index, at most
// `capacity`, and moves the position past them. Segment s has the events from s * segment_events
// on. Within a segment, writes are ordered by lane and register, and then by event. A write to a
// register of more than eight bytes, or to an unaligned one, has several rows. If an event writes a
// byte several times, the last value is stored.
#define trawl_register_log(index, place, until, capacity, columns, count, err)                     \
    trawl_register_log_(index, place, until, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status
trawl_register_log_(struct trawl_index *index, struct trawl_register_cursor *place, uint64_t until,
                    size_t capacity, const struct trawl_register_write_columns *columns,
                    size_t columns_bytes, size_t *count, struct trawl_error *err);

struct trawl_register_value_columns {
    uint64_t *event;
    uint64_t *value; // byte i is the one at offset + i; 0 if it is not known
    uint64_t *known; // bit i: the byte at offset + i is known
};

// The values of at most eight bytes of the register space, which do not cross a multiple of 8: a
// row for each event after `after` (TRAWL_START: from the first on) and before `until` that writes
// any of them, even the same value, with what all of them are after it. Ascending, at most
// `capacity`; *count is the number found. Go on after the last of them.
#define trawl_register_values(index, lane, after, until, offset, size_bytes, capacity, columns,    \
                              count, err)                                                          \
    trawl_register_values_(index, lane, after, until, offset, size_bytes, capacity, columns,       \
                           sizeof *(columns), count, err)
TRAWL_API enum trawl_status
trawl_register_values_(struct trawl_index *index, uint64_t lane, uint64_t after, uint64_t until,
                       uint64_t offset, size_t size_bytes, size_t capacity,
                       const struct trawl_register_value_columns *columns, size_t columns_bytes,
                       size_t *count, struct trawl_error *err);

// The first event after `after` and before `until` that writes any of such bytes, and after which
// they are, as a number, at least `low` and at most `high`, or some of them are unknown. Blocks of
// writes whose extremes rule that out are not read. TRAWL_NOT_FOUND: none.
TRAWL_API enum trawl_status trawl_register_within(struct trawl_index *index, uint64_t lane,
                                                  uint64_t after, uint64_t until, uint64_t offset,
                                                  size_t size_bytes, uint64_t low, uint64_t high,
                                                  uint64_t *event, struct trawl_error *err);

// --- Memory --------------------------------------------------------------------------------------

// Where a trace shows physical addresses, memory is kept by place: the physical address with its
// security state. The functions below take virtual addresses, and look them up in the address space
// that the lane of `event` has at `event` (the translation tables in its registers, at its
// exception level), by the accesses that the trace shows. In other traces, and where a trace shows
// the same addresses twice, places are addresses.
TRAWL_API bool trawl_has_places(const struct trawl_index *index);

enum trawl_place_kind {
    TRAWL_PLACE_KNOWN,
    // The address space never accesses the page, but others do, at several places: one of these.
    TRAWL_PLACE_GUESSED,
    TRAWL_PLACE_UNKNOWN, // nothing accesses the page; the place is the address
};

struct trawl_place {
    uint64_t place, size_bytes; // of the byte; up to the end of its page
    enum trawl_place_kind kind;
};

#define trawl_place(index, event, address, about, err)                                             \
    trawl_place_(index, event, address, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_place_(struct trawl_index *index, uint64_t event,
                                         uint64_t address, struct trawl_place *about,
                                         size_t about_bytes, struct trawl_error *err);

// How addresses in further questions are understood.
struct trawl_memory_view {
    uint64_t lane;    // TRAWL_ANY_LANE: as that of the event has them
    uint64_t event;   // TRAWL_NONE: as they are at the event of the question
    uint64_t space;   // TRAWL_NONE: in the address space that the lane has
    bool is_physical; // they are places
};

#define trawl_see_memory(index, view, err) trawl_see_memory_(index, view, sizeof *(view), err)
TRAWL_API enum trawl_status trawl_see_memory_(struct trawl_index *index,
                                              const struct trawl_memory_view *view,
                                              size_t view_bytes, struct trawl_error *err);

// How they are understood now.
#define trawl_seen_memory(index, view) trawl_seen_memory_(index, view, sizeof *(view))
TRAWL_API void trawl_seen_memory_(const struct trawl_index *index, struct trawl_memory_view *view,
                                  size_t view_bytes);

// Address space `number`, in the order of their first accesses. TRAWL_NOT_FOUND: there are fewer.
struct trawl_space {
    const char *name; // "EL1 TTBR0_EL1=0x1000081000000"; valid until the index is closed
    uint64_t first_event,
        pages; // its first access; how often it accessed a page for the first time
};

#define trawl_space(index, number, about, err)                                                     \
    trawl_space_(index, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_space_(struct trawl_index *index, uint64_t number,
                                         struct trawl_space *about, size_t about_bytes,
                                         struct trawl_error *err);

// How many answers since the index was opened used a place that was guessed, or an unknown one at
// which there is something; and the address of the last.
struct trawl_place_doubts {
    uint64_t guessed, unknown, address;
};

#define trawl_place_doubts(index, doubts) trawl_place_doubts_(index, doubts, sizeof *(doubts))
TRAWL_API void trawl_place_doubts_(const struct trawl_index *index,
                                   struct trawl_place_doubts *doubts, size_t doubts_bytes);

// The contents of memory at `event`. A byte is known from the last store to it or load of it or, if
// that value is unknown (none, an unknown store, or one by the debug host), from the first load
// after it and before the next store. If a load shows another value than the byte had, something
// else than the stores of the trace changed it: from that load on it has this value, and since it
// was touched last it is unknown. In a GDB trace file, a byte is known if the frame `event`
// collected it.
TRAWL_API enum trawl_status trawl_memory(struct trawl_index *index, uint64_t event,
                                         uint64_t address, size_t size_bytes, uint8_t *values,
                                         uint8_t *known, struct trawl_error *err);

enum trawl_write_kind {
    TRAWL_STORE,
    TRAWL_STORE_UNKNOWN, // of an unknown value
    TRAWL_HOST_WRITE,    // the debug host may have written here
    TRAWL_OUTSIDE,       // a load shows a change by something else than the stores of the trace
};

struct trawl_write {
    uint64_t event;
    enum trawl_write_kind kind;   // of the write to these bytes that is nearest to the point
    uint64_t address, size_bytes; // from the first to the last of these bytes that it wrote
    // Of TRAWL_OUTSIDE: the last event before it at which the bytes still had the earlier value.
    uint64_t since;
};

// The nearest event, from a point on, that wrote any of these bytes. The range is cut off at the
// end of the address space. Loads do not count. TRAWL_NOT_FOUND: none.
#define trawl_memory_written(index, event, direction, address, size_bytes, write, err)             \
    trawl_memory_written_(index, event, direction, address, size_bytes, write, sizeof *(write), err)
TRAWL_API enum trawl_status trawl_memory_written_(struct trawl_index *index, uint64_t event,
                                                  enum trawl_direction direction, uint64_t address,
                                                  uint64_t size_bytes, struct trawl_write *write,
                                                  size_t write_bytes, struct trawl_error *err);

// The same for several events, the nearest first: at most `capacity`, which also bounds the memory
// used. *count is the number found.
#define trawl_memory_writes(index, event, direction, address, size_bytes, writes, capacity, count, \
                            err)                                                                   \
    trawl_memory_writes_(index, event, direction, address, size_bytes, writes, sizeof *(writes),   \
                         capacity, count, err)
TRAWL_API enum trawl_status trawl_memory_writes_(struct trawl_index *index, uint64_t event,
                                                 enum trawl_direction direction, uint64_t address,
                                                 uint64_t size_bytes, struct trawl_write *writes,
                                                 size_t write_bytes, size_t capacity, size_t *count,
                                                 struct trawl_error *err);

// The addresses of the aligned eight-byte words that were stored to after event `after` and up to
// `until`, ascending, from the first that is not below `address`. At most `capacity`, which also
// bounds the memory used; *count is the number found. Writes by host calls are not included.
TRAWL_API enum trawl_status trawl_stored_words(struct trawl_index *index, uint64_t after,
                                               uint64_t until, uint64_t address,
                                               uint64_t *addresses, size_t capacity, size_t *count,
                                               struct trawl_error *err);

enum trawl_access_kind {
    TRAWL_ACCESS_STORE,
    TRAWL_ACCESS_STORE_UNKNOWN, // of an unknown value
    TRAWL_ACCESS_LOAD,
};

struct trawl_access_columns {
    uint64_t *event;
    uint64_t *address, *size_bytes; // from the first byte to the last, within an aligned word
    uint64_t *mask;                 // bit i: the byte at address + i was accessed
    uint64_t *value;                // byte i is the one at address + i; 0 if it was not accessed
    uint64_t *kind;                 // enum trawl_access_kind
};

// A position in the sequence of accesses. The accesses of an event are numbered from 0, by address.
struct trawl_access_cursor {
    uint64_t event, number;
};

// Reads accesses ordered by event, from a position on and before event `until`, at most `capacity`,
// and moves the position past them. They include all stores (one that crosses the end of an aligned
// eight-byte word is several accesses), and those loads that show bytes that were unknown in their
// segment of the index. In a trace file, the memory collected by a frame appears as stores. Writes
// by host calls are not included.
#define trawl_accesses(index, place, until, capacity, columns, count, err)                         \
    trawl_accesses_(index, place, until, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status
trawl_accesses_(struct trawl_index *index, struct trawl_access_cursor *place, uint64_t until,
                size_t capacity, const struct trawl_access_columns *columns, size_t columns_bytes,
                size_t *count, struct trawl_error *err);

// --- Reads of memory -----------------------------------------------------------------------------

// All loads, including those that show nothing new. If the index does not list them (an index
// without TRAWL_TELLS_LOADS), these functions return TRAWL_NOT_FOUND. Values are not stored,
// because they are what memory held: trawl_loaded.
//
// The first question about a segment of the index decodes its reads, which takes one or two
// milliseconds; the next ones take some ten nanoseconds for an event, and some ten microseconds for
// an address. A few segments are kept.
struct trawl_load {
    uint64_t event;
    uint64_t address, size_bytes; // at most 255; as in the trace, so it may cross words and pages
};

// What an event read, in the order of the trace: at most `capacity` loads. *count is their number,
// which may be greater.
#define trawl_loads_of(index, event, loads, capacity, count, err)                                  \
    trawl_loads_of_(index, event, loads, sizeof *(loads), capacity, count, err)
TRAWL_API enum trawl_status trawl_loads_of_(struct trawl_index *index, uint64_t event,
                                            struct trawl_load *loads, size_t load_bytes,
                                            size_t capacity, size_t *count,
                                            struct trawl_error *err);

// What an event read from memory that it has loads of: trawl_memory at the event, but of bytes that
// the event also stores to (an atomic operation), what was there before.
TRAWL_API enum trawl_status trawl_loaded(struct trawl_index *index, uint64_t event,
                                         uint64_t address, size_t size_bytes, uint8_t *values,
                                         uint8_t *known, struct trawl_error *err);

struct trawl_load_columns {
    uint64_t *event;
    uint64_t *address, *size_bytes;
};

// Reads all loads ordered by event, from a position on and before event `until`, at most
// `capacity`, and moves the position past them.
#define trawl_loads(index, place, until, capacity, columns, count, err)                            \
    trawl_loads_(index, place, until, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status trawl_loads_(struct trawl_index *index,
                                         struct trawl_access_cursor *place, uint64_t until,
                                         size_t capacity, const struct trawl_load_columns *columns,
                                         size_t columns_bytes, size_t *count,
                                         struct trawl_error *err);

struct trawl_read {
    uint64_t event;
    uint64_t address, size_bytes; // from the first to the last of the wanted bytes that it read
};

// The nearest event, from a point on, that read any of these bytes. The range is cut off at the end
// of the address space. TRAWL_NOT_FOUND: not read.
#define trawl_memory_read(index, event, direction, address, size_bytes, read, err)                 \
    trawl_memory_read_(index, event, direction, address, size_bytes, read, sizeof *(read), err)
TRAWL_API enum trawl_status trawl_memory_read_(struct trawl_index *index, uint64_t event,
                                               enum trawl_direction direction, uint64_t address,
                                               uint64_t size_bytes, struct trawl_read *read,
                                               size_t read_bytes, struct trawl_error *err);

// The same for several events, the nearest first: at most `capacity`. *count is the number found.
#define trawl_memory_reads(index, event, direction, address, size_bytes, reads, capacity, count,   \
                           err)                                                                    \
    trawl_memory_reads_(index, event, direction, address, size_bytes, reads, sizeof *(reads),      \
                        capacity, count, err)
TRAWL_API enum trawl_status trawl_memory_reads_(struct trawl_index *index, uint64_t event,
                                                enum trawl_direction direction, uint64_t address,
                                                uint64_t size_bytes, struct trawl_read *reads,
                                                size_t read_bytes, size_t capacity, size_t *count,
                                                struct trawl_error *err);

struct trawl_memory_access {
    uint64_t event;
    uint64_t address, size_bytes; // from the first to the last of the wanted bytes
    bool is_read, is_written;     // by the event: one or both
};

// The nearest event, from a point on, that read or wrote any of these bytes, as trawl_memory_read
// and trawl_memory_written find them. TRAWL_NOT_FOUND: none.
#define trawl_memory_accessed(index, event, direction, address, size_bytes, access, err)           \
    trawl_memory_accessed_(index, event, direction, address, size_bytes, access, sizeof *(access), \
                           err)
TRAWL_API enum trawl_status trawl_memory_accessed_(struct trawl_index *index, uint64_t event,
                                                   enum trawl_direction direction, uint64_t address,
                                                   uint64_t size_bytes,
                                                   struct trawl_memory_access *access,
                                                   size_t access_bytes, struct trawl_error *err);

// --- Calls ---------------------------------------------------------------------------------------

// Flags that say how a call began and ended, if not in the usual way. Switching away from a task
// closes its open calls; they are opened again when it continues.
enum trawl_call_how {
    TRAWL_CALL_LEFT = 1 << 0,       // left for good without a return
    TRAWL_CALL_TAIL_EXIT = 1 << 1,  // ended by a branch to another function, which replaces it
    TRAWL_CALL_TAIL_ENTRY = 1 << 2, // began this way
    TRAWL_CALL_EXCEPTION = 1 << 3,  // handles an exception
    TRAWL_CALL_TASK = 1 << 4,       // the outermost function of a task, on a stack of its own
    TRAWL_CALL_RESUMED = 1 << 5,    // continues after its task was switched out
    TRAWL_CALL_SUSPENDED = 1 << 6,  // ends because its task is switched out
    TRAWL_CALL_GUESSED = 1 << 8,    // nothing shows how control came to it: lines are missing
    TRAWL_CALL_INTERRUPT = 1 << 9,  // handles an interrupt, which the running task did not cause
};

// A call; events are in-lane numbers. The call site is the event before the entry, and the caller
// continues at the event after the exit.
struct trawl_call {
    uint64_t call; // its number in the lane; calls are numbered in the order of their entries
    uint64_t entry, exit; // first and last event
    uint64_t pc;          // where the function begins
    uint64_t depth;       // 1: not inside another call
    uint64_t parent;      // TRAWL_NONE: not inside another call
    bool is_open;         // still active at the end of the trace; the exit is then the last event
    uint32_t how;         // enum trawl_call_how
    uint64_t began;       // the event of its entry; if it continues, of the entry of its first part
};

#define trawl_call(index, lane, call, about, err)                                                  \
    trawl_call_(index, lane, call, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_call_(struct trawl_index *index, uint64_t lane, uint64_t call,
                                        struct trawl_call *about, size_t about_bytes,
                                        struct trawl_error *err);

// The innermost call that is active at event `in_lane` of the lane; its parents are the other
// active calls. TRAWL_NOT_FOUND: none.
#define trawl_call_at(index, lane, in_lane, about, err)                                            \
    trawl_call_at_(index, lane, in_lane, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_call_at_(struct trawl_index *index, uint64_t lane,
                                           uint64_t in_lane, struct trawl_call *about,
                                           size_t about_bytes, struct trawl_error *err);

// The number of calls of the lane that were entered at or before event `in_lane`. Their numbers are
// 0 to *count - 1.
TRAWL_API enum trawl_status trawl_calls_entered(struct trawl_index *index, uint64_t lane,
                                                uint64_t in_lane, uint64_t *count,
                                                struct trawl_error *err);

// --- Tasks ---------------------------------------------------------------------------------------

// A stack on which a lane runs functions. A lane has at least one, which may be unknown.
struct trawl_task {
    uint64_t task;      // its number in the lane, from 0, in the order in which they first ran
    uint64_t stack;     // SP when it was first seen; for task 0, the highest; TRAWL_NONE: unknown
    uint64_t stack_low; // the lowest SP at the entry of one of its functions; TRAWL_NONE: unknown
    uint64_t entry;     // PC when it was first seen; TRAWL_NONE: unknown
    uint64_t key;       // by which its system knows it (of Linux `current`); 0: not known
};

// TRAWL_NOT_FOUND: there are fewer.
#define trawl_task(index, lane, task, about, err)                                                  \
    trawl_task_(index, lane, task, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_task_(struct trawl_index *index, uint64_t lane, uint64_t task,
                                        struct trawl_task *about, size_t about_bytes,
                                        struct trawl_error *err);

// The expression by which the index tells tasks apart (--task-key), whose values are their keys;
// NULL: none was given. Valid until the index is closed.
TRAWL_API const char *trawl_task_key(const struct trawl_index *index);

// Consecutive events of a lane in which one task ran, `first` to `last`.
struct trawl_task_run {
    uint64_t run; // its number in the lane, from 0
    uint64_t task;
    uint64_t first, last;
};

// Run `number`, or the one of an event. TRAWL_NOT_FOUND: there are fewer, or no such event.
#define trawl_task_run(index, lane, number, about, err)                                            \
    trawl_task_run_(index, lane, number, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_task_run_(struct trawl_index *index, uint64_t lane,
                                            uint64_t number, struct trawl_task_run *about,
                                            size_t about_bytes, struct trawl_error *err);
#define trawl_task_run_at(index, lane, in_lane, about, err)                                        \
    trawl_task_run_at_(index, lane, in_lane, about, sizeof *(about), err)
TRAWL_API enum trawl_status trawl_task_run_at_(struct trawl_index *index, uint64_t lane,
                                               uint64_t in_lane, struct trawl_task_run *about,
                                               size_t about_bytes, struct trawl_error *err);

// --- Blocks of calls -----------------------------------------------------------------------------

struct trawl_call_columns {
    uint64_t *call;
    uint64_t *entry, *exit, *pc, *depth, *parent, *is_open; // as in trawl_call
    uint64_t *inside; // the number of calls within it at any depth; each requires a search
};

// The calls of a lane from number `first` on, in the order of their entries: a call, then the calls
// within it, then those after it. At most `capacity`; *count is their number.
#define trawl_calls(index, lane, first, capacity, columns, count, err)                             \
    trawl_calls_(index, lane, first, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status trawl_calls_(struct trawl_index *index, uint64_t lane, uint64_t first,
                                         size_t capacity, const struct trawl_call_columns *columns,
                                         size_t columns_bytes, size_t *count,
                                         struct trawl_error *err);

// The same without calls within these calls: call `first` and the later calls in its parent. The
// first call within a call is the next one by number, if its parent is that call.
#define trawl_siblings(index, lane, first, capacity, columns, count, err)                          \
    trawl_siblings_(index, lane, first, capacity, columns, sizeof *(columns), count, err)
TRAWL_API enum trawl_status trawl_siblings_(struct trawl_index *index, uint64_t lane,
                                            uint64_t first, size_t capacity,
                                            const struct trawl_call_columns *columns,
                                            size_t columns_bytes, size_t *count,
                                            struct trawl_error *err);

// The called functions, by the PCs of their entries without bit 0, ascending from `pc` on, and the
// number of calls of each in the lane (or in any). At most `capacity`; *count is their number. Code
// that runs outside of every call is not included.
TRAWL_API enum trawl_status trawl_functions(struct trawl_index *index, uint64_t lane, uint64_t pc,
                                            uint64_t *pcs, uint64_t *calls, size_t capacity,
                                            size_t *count, struct trawl_error *err);

#ifdef __cplusplus
}
#endif

#endif
