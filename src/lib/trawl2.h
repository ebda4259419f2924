// libtrawl2: opens an execution trace and answers what the commands of `trawl` answer.
//
// It reads every kind of trace that trawl reads, builds the index if there is none, and needs
// nothing else installed. (libtrawl, with trawl.h, is smaller: it only reads an index. A program
// can use both.)
//
// A trace is a sequence of events, numbered from 0. Each belongs to a lane (a core or thread). An
// *event* is a number in the trace, as in `event:1200`; a *lane event* counts in its lane. The
// state at an event is the state after all of it has happened; TRAWL_BEFORE_ALL is the point before
// the first.
//
// There are three ways to ask: for a point (trawl_trace_*), for rows by the block (trawl_scan_*),
// and for what a command answers, as a table in memory (trawl_trace_report). Figures are those of
// the commands.
//
// Functions return TRAWL_DONE, or what went wrong, and fill `failure`, which may be NULL; what else
// they should have filled is then not to be used, and a pointer that they make is NULL. A number of
// an event, lane, register or column that is too high is TRAWL_FAILED_USAGE, like an expression or
// option that cannot be read; a name or place that the trace does not have is
// TRAWL_FAILED_NOT_FOUND; any function may find that there is no memory, or that an index is
// damaged (TRAWL_FAILED_INPUT). Each says below what else to expect. The library never prints,
// exits or changes what signals do (but see trawl_guard_files).
//
// Times are in ticks, what a tick is says trawl_trace_info; sizes are in bytes, as are positions in
// the trace; lines begin at 1, all other numbers at 0. Texts are UTF-8, or what the trace has.
//
// A structure begins with its size, which its user sets: `struct trawl_trace_info info = {sizeof
// info}`. Fields that the library does not know become zero, and it does not touch fields that the
// program does not know, so that both can be of different versions.
//
// A trace is used by one thread at a time, and so is a scan, but not the same one: a scan may be
// read while its trace is asked. Several traces, also of one file, are independent; so are tables.
// Work on whole traces uses threads of its own, which have ended when the function returns. A
// calling thread needs a megabyte of stack.
//
// For readers that know no preprocessor (cffi): without the lines that begin with #, and those that
// are `extern "C" {` and `}`, these are plain declarations.
#ifndef TRAWL2_H
#define TRAWL2_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

// The version of the library that is running: "1.1.0". Valid forever.
const char *trawl_version(void);

// What a function has to say.
enum trawl_result {
    TRAWL_DONE = 0,
    TRAWL_FAILED_IO,        // the system refused: open, read, write, map
    TRAWL_FAILED_INPUT,     // the trace, an image or an expression is not valid
    TRAWL_FAILED_LIMIT,     // a documented limit was exceeded
    TRAWL_FAILED_MEMORY,    // no memory
    TRAWL_FAILED_NOT_FOUND, // what was asked for does not exist
    TRAWL_FAILED_USAGE,     // the library was asked for something that makes no sense
};

// What went wrong, and where.
struct trawl_failure {
    uint64_t struct_bytes;
    uint64_t result; // enum trawl_result
    uint64_t line;   // of the input, from 1; 0: none
    uint64_t offset; // in the input, or in the expression; UINT64_MAX: none
    char text[480];  // one line
};

// Numbers that stand for something else.
#define TRAWL_BEFORE_ALL 0xffffffffffffffff // in place of an event: before the first one
#define TRAWL_NOTHING 0xfffffffffffffffe    // there is none
#define TRAWL_EVERY_LANE 0xfffffffffffffffd // in place of a lane

// From now on, access to a file that is truncated while it is read is a failure and not SIGBUS.
// Installs a handler of that signal, which leaves other faults as they are without one.
void trawl_guard_files(void);

// --- A trace -------------------------------------------------------------------------------------

// An open trace with its index.
struct trawl_trace;

struct trawl_trace_options {
    uint64_t struct_bytes;
    const char *const *images; // FILE, FILE@OFFSET, CORE=FILE: as after --image
    uint64_t image_count;
    const char *index_path;   // NULL: TRACE.index
    uint64_t is_in_memory;    // 1: no index is read, and none remains
    uint64_t threads;         // 0: as many as there are processors
    const char *const *words; // other options of `trawl state`: "--strip-prefix=..."
    uint64_t word_count;
};

// Opens a trace, and its index, which is built if there is none that fits: at some 2 GB/s, later
// it takes milliseconds. `options` may be NULL. TRAWL_FAILED_IO: a file cannot be opened or read;
// TRAWL_FAILED_INPUT: it is no trace, or an image is not for it;
// TRAWL_FAILED_USAGE: options that are unknown or contradict each other.
enum trawl_result trawl_trace_open(struct trawl_trace **trace, const char *path,
                                   const struct trawl_trace_options *options,
                                   struct trawl_failure *failure);

// Closes a trace, NULL too. It stays open as long as it has scans. Tables are independent of it.
void trawl_trace_close(struct trawl_trace *trace);

struct trawl_trace_info {
    uint64_t struct_bytes;
    const char *kind;      // "tarmac", "riscv", "xray", "tfile"; as all texts here, valid until the
                           // trace is closed
    const char *tick_unit; // of times: "ticks", "ns", "instructions"
    const char *messages;  // warnings while it was opened, a line each
    uint64_t ticks_per_second; // 0: unknown
    uint64_t events, lanes, lines;
    uint64_t damaged_lines; // that were left out
    uint64_t address_bytes; // of the target: 4 or 8; 0: unknown
    uint64_t machine;       // e_machine of ELF; 0: unknown
    uint64_t registers;     // how many names of registers there are
    uint64_t is_big_endian;
    uint64_t is_snapshots; // its events are frames of a trace file, which have no times
};

// Fills what is known of the whole trace.
void trawl_trace_info(const struct trawl_trace *trace, struct trawl_trace_info *info);

struct trawl_trace_lane {
    uint64_t struct_bytes;
    const char *name; // "" if the trace names none
    uint64_t events, instructions, calls;
};

// Fills what is known of a lane; there are `lanes` of trawl_trace_info.
enum trawl_result trawl_trace_lane(struct trawl_trace *trace, uint64_t lane,
                                   struct trawl_trace_lane *about, struct trawl_failure *failure);

// --- At a point ----------------------------------------------------------------------------------

// The event of a position as users write it: line:N, time:N, event:N, byte:N, pc:ADDR#K, start,
// end, FILE:LINE; trawl-positions(7) has the rules. *event may be TRAWL_BEFORE_ALL. Times and
// visits are those of `lane`, or with TRAWL_EVERY_LANE of any. TRAWL_FAILED_NOT_FOUND: the trace
// has no such place.
enum trawl_result trawl_trace_point(struct trawl_trace *trace, const char *position, uint64_t lane,
                                    uint64_t *event, struct trawl_failure *failure);

struct trawl_trace_event {
    uint64_t struct_bytes;
    uint64_t event, lane, lane_event;
    uint64_t time;
    uint64_t line, position; // of its first line, from 1, and of that line's first byte
    uint64_t pc;             // of its instruction, without Thumb bit; TRAWL_NOTHING: it has none
    uint64_t flags;          // enum trawl_event_flag of trawl.h
};

// Fills what is known of an event.
enum trawl_result trawl_trace_event(struct trawl_trace *trace, uint64_t event,
                                    struct trawl_trace_event *about, struct trawl_failure *failure);

// The number in the trace of event `lane_event` of a lane.
enum trawl_result trawl_trace_event_of_lane(struct trawl_trace *trace, uint64_t lane,
                                            uint64_t lane_event, uint64_t *event,
                                            struct trawl_failure *failure);

// The value of an expression (as of `trawl find`) with the registers of a lane and memory, after an
// event or TRAWL_BEFORE_ALL, modulo 2^64. TRAWL_FAILED_NOT_FOUND: it names something that there is
// not, or reads what is not known there, or divides by zero.
enum trawl_result trawl_trace_value(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                    const char *expression, uint64_t *value,
                                    struct trawl_failure *failure);

// A name of a register.
struct trawl_trace_register {
    uint64_t struct_bytes;
    const char *name;
    uint64_t size_bytes;
    uint64_t flags;    // enum trawl_register_flag of trawl.h
    uint64_t is_shown; // listed under this name; otherwise it is another name of one that is
};

// Fills what is known of name `number` of all names of registers, of which trawl_trace_info has the
// number, in an order suitable for lists.
enum trawl_result trawl_trace_register(struct trawl_trace *trace, uint64_t number,
                                       struct trawl_trace_register *about,
                                       struct trawl_failure *failure);

// What a register, or memory, holds after an event or TRAWL_BEFORE_ALL: "x0", "0x8000:64", "sp:16",
// "queue". known[i] is 1 if values[i] is known, otherwise both are 0. Memory is in the order of its
// addresses, a register begins with its lowest byte. *size_bytes is the size of all of it, of which
// at most `capacity` bytes are filled. TRAWL_FAILED_NOT_FOUND: there is no such name, or the
// address is not known.
enum trawl_result trawl_trace_bytes(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                    const char *what, uint8_t *values, uint8_t *known,
                                    uint64_t capacity, uint64_t *size_bytes,
                                    struct trawl_failure *failure);

// The same for memory at an address, all of `size_bytes`, as any lane sees it.
enum trawl_result trawl_trace_memory(struct trawl_trace *trace, uint64_t event, uint64_t address,
                                     uint64_t size_bytes, uint8_t *values, uint8_t *known,
                                     struct trawl_failure *failure);

enum trawl_access { TRAWL_WRITES, TRAWL_READS, TRAWL_ACCESSES };
enum trawl_way { TRAWL_ONWARD, TRAWL_BACK };

// The events that wrote, read, or did either to a register or memory (`what` as above, with its
// meaning at `event`). Of a register only writes are known, those of `lane`; of memory the accesses
// of all lanes. TRAWL_BACK: the last one at or before `event`, then those before it;
// TRAWL_ONWARD: those after it. At most `capacity`, and *count is the number filled: 0, and
// TRAWL_DONE, if there is none.
enum trawl_result trawl_trace_accesses(struct trawl_trace *trace, uint64_t lane, uint64_t event,
                                       const char *what, enum trawl_access access,
                                       enum trawl_way way, uint64_t *events, uint64_t capacity,
                                       uint64_t *count, struct trawl_failure *failure);

// The name of the code at an address, as reports show it: demangled, with an offset. Valid until
// the trace is closed; NULL: it has none.
const char *trawl_trace_name(struct trawl_trace *trace, uint64_t address);

// The address of a symbol of the images, and the bytes that it has (0: unknown).
// TRAWL_FAILED_NOT_FOUND: there is no such symbol.
enum trawl_result trawl_trace_symbol(struct trawl_trace *trace, const char *name, uint64_t *address,
                                     uint64_t *size_bytes, struct trawl_failure *failure);

// A source line. Texts are valid until the trace is closed.
struct trawl_trace_line {
    uint64_t struct_bytes;
    const char *file, *directory; // as in the image; a directory may be NULL
    uint64_t line, column;        // 0: unknown
};

// The source line of the code at an address. TRAWL_FAILED_NOT_FOUND: it is not known.
enum trawl_result trawl_trace_line(struct trawl_trace *trace, uint64_t address,
                                   struct trawl_trace_line *about, struct trawl_failure *failure);

// --- Rows by the block ---------------------------------------------------------------------------

// Columns of unsigned 64-bit numbers, filled by the block at memory speed:
//
//     events    event, lane, lane_event, time, line, position, pc, flags
//     calls     lane, call, entry, exit, begin, end, pc, depth, parent, is_open
//     accesses  event, address, size, mask, value, kind
//     loads     event, address, size
//     values    event, value, known
//
// `pc` of an event is as it is in trawl.h: with Thumb bit, 2 without an instruction. Of a call,
// `entry` and `exit` are lane events, and its time is from `begin` to `end`, which its last
// instruction takes as long as `trawl calls` counts it; a call of a task that was switched out has
// a row for each time that it ran. `accesses` and `loads` are as trawl_accesses and trawl_loads in
// trawl.h; `values` are those of a register, a row for each write, `known` with a bit for each
// byte.
struct trawl_scan;

struct trawl_scan_options {
    uint64_t struct_bytes;
    uint64_t has_range;   // 1: only events from `first` to `last`
    uint64_t first, last; // of the trace
    uint64_t lane;        // of calls and values. TRAWL_EVERY_LANE: of all, for calls
    const char *what;     // for values: the register
};

// Begins to read rows, of one of the kinds above. `options` may be NULL, but for values, which need
// a register of at most 64 bits. A range ends with the trace; calls have none. The scan must be
// closed.
enum trawl_result trawl_scan_open(struct trawl_scan **scan, struct trawl_trace *trace,
                                  const char *rows, const struct trawl_scan_options *options,
                                  struct trawl_failure *failure);

// Ends a scan, at any point; NULL is allowed.
void trawl_scan_close(struct trawl_scan *scan);

// How many columns there are.
uint64_t trawl_scan_column_count(const struct trawl_scan *scan);

// The name of a column, valid forever. NULL: there are fewer.
const char *trawl_scan_column_name(const struct trawl_scan *scan, uint64_t column);

// An upper bound of the number of rows, if it is known without reading them; otherwise
// TRAWL_NOTHING.
uint64_t trawl_scan_rows_at_most(const struct trawl_scan *scan);

// Fills the next rows, at most `capacity`: one array for each column, in the order above, NULL for
// those that are not wanted. *count is their number, less than `capacity` only at the end.
enum trawl_result trawl_scan_next(struct trawl_scan *scan, uint64_t *const *columns,
                                  uint64_t capacity, uint64_t *count,
                                  struct trawl_failure *failure);

// --- Reports -------------------------------------------------------------------------------------

// What a command answers, as a table in memory.
struct trawl_table;

// Runs a report with options and arguments as on the command line, without the trace:
//
//     const char *const words[] = {"--top=20"};
//     trawl_trace_report(trace, "profile", words, 1, &table, &failure);
//     const char *const words[] = {"x0", "--at=event:1200"};
//     trawl_trace_report(trace, "origin", words, 2, &table, &failure);
//
// TRAWL_FAILED_USAGE: there is no such report, or option, or the options give no answer;
// TRAWL_FAILED_NOT_FOUND: what they name does not exist. Reports are annotate, calls, callinfo,
// calltree, check, coverage, diff, doctor, find, grep, info, origin, pc, profile, reaches, reads,
// show, stack, state, tasks and writes. Those that are no table (annotate, calltree, doctor, info,
// state) give text, JSON where the command has it.
// --format makes any of them text.
enum trawl_result trawl_trace_report(struct trawl_trace *trace, const char *name,
                                     const char *const *words, uint64_t word_count,
                                     struct trawl_table **table, struct trawl_failure *failure);

// Frees a table, NULL too.
void trawl_table_free(struct trawl_table *table);

// How many rows and columns there are. No columns: the answer is a text.
uint64_t trawl_table_row_count(const struct trawl_table *table);
uint64_t trawl_table_column_count(const struct trawl_table *table);

// The answer, if it is a text, otherwise NULL. Valid, as all texts of a table, until it is freed.
const char *trawl_table_text(const struct trawl_table *table);

// Warnings, a line each.
const char *trawl_table_messages(const struct trawl_table *table);

// 1: parts of the trace are damaged, and left out.
uint64_t trawl_table_is_partial(const struct trawl_table *table);

enum trawl_cell { TRAWL_CELL_NUMBER, TRAWL_CELL_DOUBLE, TRAWL_CELL_TEXT };

// A column as it lies in memory.
struct trawl_table_column {
    uint64_t struct_bytes;
    const char *name;         // as in CSV: "self"
    const char *unit;         // "ticks", "ns", "address", "s", "share"; "" for none
    uint64_t cell;            // enum trawl_cell
    const uint8_t *has_value; // bit i of byte i / 8; NULL: all cells have one
    const uint64_t *numbers;  // NULL for others
    const double *doubles;
    const int32_t *texts;    // for each cell the number of its text
    const int32_t *ends;     // text n is from ends[n] to ends[n + 1] in `bytes`
    const char *bytes;       // UTF-8
    uint64_t distinct_texts; // how many there are
};

// Fills what is known of a column. Its memory stays valid until the table is freed.
enum trawl_result trawl_table_column(const struct trawl_table *table, uint64_t column,
                                     struct trawl_table_column *about,
                                     struct trawl_failure *failure);

// The column of that name; TRAWL_NOTHING: there is none.
uint64_t trawl_table_column_named(const struct trawl_table *table, const char *name);

// The number of a cell; 0: it is empty, or no whole number, or there is no such cell.
uint64_t trawl_table_number(const struct trawl_table *table, uint64_t row, uint64_t column);

// The text of a cell, of *length bytes and without a NUL. NULL: it is empty, or no text.
const char *trawl_table_cell(const struct trawl_table *table, uint64_t row, uint64_t column,
                             uint64_t *length);

// --- Arrow ---------------------------------------------------------------------------------------

// The structures of Arrow's C data interface
// (https://arrow.apache.org/docs/format/CDataInterface.html), for other programs in this process.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

// Exports a table, whose columns are not copied: it stays in memory until both it is freed and the
// array released. Texts are dictionaries. TRAWL_FAILED_USAGE: the answer is a text.
enum trawl_result trawl_table_arrow(struct trawl_table *table, struct ArrowSchema *schema,
                                    struct ArrowArray *array, struct trawl_failure *failure);

// Exports a scan in batches of at most `rows`. The scan belongs to the stream from then on, also on
// failure.
enum trawl_result trawl_scan_arrow(struct trawl_scan *scan, uint64_t rows,
                                   struct ArrowArrayStream *stream, struct trawl_failure *failure);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
