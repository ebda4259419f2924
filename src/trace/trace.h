// A trace of any kind: what it can do, the names of its parts, and the functions through which all
// higher layers use it. Nothing above this folder knows the kind of a trace.
//
// A kind is a constant row (trace/kinds.c) and a folder next to this file, which no other kind
// includes. All kinds fill the same result in a pass (flow/pass.h): lanes, events, calls, segments
// of an index.
#ifndef TRAWL_TRACE_TRACE_H
#define TRAWL_TRACE_TRACE_H

#include "arch/arch.h"
#include "base/base.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/merge.h"
#include "base/vec.h"
#include "cli/progress.h"
#include "elf/image_set.h"
#include "flow/call_sink.h"
#include "flow/effect_vectors.h"
#include "flow/function_id.h"
#include "flow/line_fault.h"
#include "flow/node.h"
#include "flow/pass.h"
#include "flow/profile.h"
#include "flow/reading.h"
#include "idx/trawl.h"
#include "trace/examination.h"

// --- Damage --------------------------------------------------------------------------------------

// Damage of a binary trace: what is wrong, where, and how many bytes had to be skipped. Each format
// defines its kinds of damage and their texts (trace/xray/log.h, trace/tfile/file.h).

struct trace_fault {
    unsigned kind;       // enum xray_fault_kind or tfile_fault_kind
    uint64_t value;      // its meaning depends on `kind`
    uint64_t offset;     // of the first wrong byte
    uint64_t size_bytes; // skipped
};

// The longest text of a fault, including its NUL.
#define TRACE_FAULT_TEXT_BYTES 96

// All zero: no damage. Fields are read-only for users.
struct trace_damage {
    uint64_t count, size_bytes;
    struct trace_fault first[LIMIT_DAMAGE_KEPT]; // min(count, LIMIT_DAMAGE_KEPT), by offset
};

// Counts a fault, and keeps it if it is one of the first of the trace by offset. The result does
// not depend on the order in which parts of the trace are read.
void trace_damage_add(struct trace_damage *damage, const struct trace_fault *fault);

// Adds the damage that another reader of the same trace found.
void trace_damage_merge(struct trace_damage *damage, const struct trace_damage *other);

// --- Stacks of lanes -----------------------------------------------------------------------------

// The open calls of each lane at a point, for kinds of traces from which these can be read faster
// than an index can be built.

#define LANE_POINT_ANY SIZE_MAX

// The point after all events of a lane up to this time, at most this many.
struct lane_point {
    size_t lane; // LANE_POINT_ANY: every lane
    uint64_t last_time;
    uint64_t events;
};

// An open call, described by its entry.
struct lane_frame {
    uint64_t time, event, position, pc;
};

struct lane_stack {
    VEC(, struct lane_frame) frames; // the outermost first
    uint64_t time;                   // of the last event up to the point
};

struct trace;

// The functions that such a kind provides. The traces are open.
struct trace_lane_stacks {
    size_t (*lane_count)(const struct trace *trace);
    void (*lane_name)(const struct trace *trace, size_t lane, char name[LIMIT_LANE_NAME_BYTES + 1]);

    // lane_of_byte: the lane that a byte belongs to. STATUS_NOT_FOUND: to none. find_byte: the
    // point after the last event of that lane that begins at or before the byte.
    enum status (*lane_of_byte)(const struct trace *trace, uint64_t byte, size_t *lane,
                                struct error *err);
    void (*find_byte)(const struct trace *trace, uint64_t byte, struct lane_point *point);
    // The point after the *visit-th entry of a function in point->lane; for LANE_POINT_ANY, entries
    // are counted through all lanes in order. If it is found, *visit becomes 0, otherwise it is
    // reduced by the number of entries.
    void (*find_entry)(const struct trace *trace, uint64_t pc, uint64_t *visit,
                       struct lane_point *point);

    // Fills the stacks of the lanes that the point refers to, one for each lane of the trace, and
    // the result as any pass does.
    enum status (*read)(struct trace *trace, const struct pass_options *options,
                        const struct lane_point *point, struct lane_stack *stacks,
                        struct pass_result *result, struct error *err);
    // Fills only the result, from trace->index without reading its rows.
    enum status (*recall)(struct trace *trace, const struct pass_options *options,
                          struct pass_result *result, struct error *err);
};

// --- How a line looks ----------------------------------------------------------------------------

// What a single line of a trace shows, for viewers: the meaning of its parts, the register or
// memory that it is about, and the target of a branch in it.

enum text_class {
    TEXT_PLAIN,
    TEXT_TIME,
    TEXT_EVENT, // the word that names the kind of event
    TEXT_ADDRESS,
    TEXT_ENCODING,
    TEXT_ISA,
    TEXT_MODE,
    TEXT_FAILED, // of an instruction that was not executed
    TEXT_DISASSEMBLY,
    TEXT_PUNCTUATION,
    TEXT_BAD, // cannot be read
};

struct text_part {
    const char *start, *end;
    enum text_class text_class;
};

enum line_subject {
    LINE_ABOUT_NOTHING,
    LINE_ABOUT_INSTRUCTION,
    LINE_ABOUT_REGISTER,
    LINE_ABOUT_MEMORY
};

struct line_look {
    enum line_subject subject;
    uint64_t place, size_bytes; // in the register space, or of the last access in memory
    bool is_load;
    uint64_t address; // of an instruction, without code bit
    // The effect on control of an instruction of this size; BRANCH_NONE if its encoding is not
    // shown.
    struct branch branch;
    uint8_t code_bytes;
    // For a direct branch: the operand that is its target, and its address, with code bit.
    struct text_span operand; // NULL: not a direct branch
    uint64_t target;
    // For an instruction that was executed: the words that name the registers that it reads.
    size_t read_count;
    struct text_span reads[LIMIT_LINE_READS];
    size_t part_count; // text outside of all parts is plain
    struct text_part parts[LIMIT_LINE_PARTS];
};

// The state that is passed from line to line, so that continuation lines are recognized.
struct line_look_context {
    uint32_t address_column; // UINT32_MAX: nothing to continue
    bool is_load;
    const char *text;  // what can be read of the trace before the line; NULL: nothing
    bool only_operand; // only the operand and target of a direct branch are wanted
};

#define LINE_LOOK_START ((struct line_look_context){UINT32_MAX, false, NULL, false})

// --- trace.c -------------------------------------------------------------------------------------

// What a trace can do. A command names the abilities that it needs; if a kind lacks one, the
// command says so in one sentence (trace_lacks).
enum trace_ability {
    TRACE_CALLS = 1 << 0,        // entries and exits of functions are known
    TRACE_REGISTERS = 1 << 1,    // contents of registers are known
    TRACE_MEMORY = 1 << 2,       // contents of memory are known
    TRACE_INSTRUCTIONS = 1 << 3, // events are instructions, each with its line of text
    TRACE_TIMES = 1 << 4,        // events have times
    TRACE_LINES = 1 << 5,        // positions are lines of text; otherwise byte offsets
    TRACE_ADDRESSES = 1 << 6,    // PCs are addresses; otherwise ids of functions
    TRACE_SNAPSHOTS = 1 << 7,    // each event is complete by itself, independent of those before
    TRACE_REPLAYS = 1 << 8,      // its index is read faster than the trace itself
    TRACE_BY_LANES = 1 << 9,     // events are numbered lane by lane
    TRACE_CHUNKS = 1 << 10,      // read chunk by chunk: its passes fill pass_options.block_hashes
    TRACE_INFERRED = 1 << 11,    // calls are inferred from instructions (flow/shadow_stack.h), so
                                 // images tell more of them
    TRACE_TASKS = 1 << 12,       // tasks of a lane can be distinguished by their stacks
    TRACE_LOADS = 1 << 13,       // reads of memory are known
    TRACE_COUNTS = 1 << 15,      // times are numbers of instructions of their lane
    TRACE_TTU = 1 << 14,         // Arm's Tarmac Trace Utilities read it, too
    TRACE_EVENTS = 1 << 16,      // single events are known, and not only sums of them
    TRACE_CONTEXTS = 1 << 17,    // calls and time are known for each stack of calls
};

// The terms of a kind, in the singular unless said otherwise.
struct trace_words {
    const char *a;       // "a Tarmac trace", "an XRay log"
    const char *lane;    // "core", "thread", "tracepoint"
    const char *heading; // heading of a column of lanes: "Core"
    const char *parts;   // skipped when the trace is damaged, in the plural: "lines", "places"
};

enum trace_byte_order { TRACE_ORDER_UNKNOWN, TRACE_LITTLE_ENDIAN, TRACE_BIG_ENDIAN };

// How a trace is read. A kind ignores what does not apply to it.
struct trace_options {
    enum reading reading;
    enum trace_byte_order byte_order; // as requested; if unknown, that of the images
    unsigned threads;
    const struct line_prefix *prefix; // stripped from each line; NULL: none
    unsigned isa_bits;                // of the cores, as requested; 0: as the trace shows
};

// An instruction as shown in a trace; `address` without code bit.
struct trace_instruction {
    uint64_t address;
    uint32_t encoding;
    uint8_t size_bytes;
    uint16_t place;                       // where in the trace: nearby ones have the same
    char lane[LIMIT_LANE_NAME_BYTES + 1]; // "": the trace does not name its cores
};

struct trace;
struct index_writer;
struct effects;
struct register_table;
struct trace_description;

// Writes the text for a fault of a trace of this kind.
typedef void trace_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// Receives the messages about a trace after a report, one line each: warnings about what could not
// be matched or is missing, and details about what was found.
struct trace_reporter {
    void *self;
    void (*warn)(void *self, const char *text);
    void (*lost)(void *self, const char *text);   // a warning: something of the run is not shown
    void (*detail)(void *self, const char *text); // NULL: not wanted
};

// What a kind consists of: what every kind has, and capabilities, each whole or NULL, so that
// nobody has to ask for single functions of one. A new kind begins with the first part; it is
// complete with `run`, `identity` and `write_sections` (tests/kind).

// What a text of lines can tell about itself.
struct trace_line_reader {
    // Describes one line, without its line end, after lines that left `context`. `isa`: the
    // instruction set of names of registers.
    void (*look)(const char *start, const char *end, const struct reading_options *how,
                 uint32_t isa, struct line_look_context *context, struct line_look *look);
    // Finds the disassembly of the instruction at an address (without code bit) in text that
    // begins with its event. False: not found.
    bool (*instruction)(const char *text, size_t size_bytes, const struct reading_options *how,
                        uint64_t address, struct text_span *found);
    // Finds the name of the first exception of a lane ("" or NULL: of any lane), in the same way.
    bool (*exception)(const char *text, size_t size_bytes, const struct reading_options *how,
                      const char *lane, struct text_span *found);
    line_stamp_function
        *line_stamp; // for merging files of cores by time; NULL: lines have no times
    // Whether lines can have this name of a core inserted. NULL: every name that lines of the usual
    // kind can (trace_takes_core).
    bool (*takes_core)(const char *name);
    // Without times: whether an event begins with a line, whatever stands before it.
    bool (*begins_event)(const struct trace *trace, const char *start, const char *end);
    // Whether the times of the trace have a point, so that ticks are millionths.
    bool (*has_points)(const struct trace *trace);
};

// Reports that the trace's own structure gives faster than its calls do.
struct trace_direct {
    // A pass into contexts, whose outermost ones are in the lanes' `calls`; or into a profile, of
    // one lane or (NULL) of all.
    enum status (*contexts)(struct trace *trace, const struct pass_options *options,
                            struct context_tree *tree, struct pass_result *result,
                            struct error *err);
    enum status (*profile)(struct trace *trace, const struct pass_options *options,
                           const char *lane, struct profile *profile, struct pass_result *result,
                           struct error *err);
    // Passes on calls as they are read, with everything else that the trace stores about them
    // (arguments, events), for one lane or (NULL) for all.
    enum status (*stream)(struct trace *trace, const struct pass_options *options, const char *lane,
                          const struct call_sink *sink, struct pass_result *result,
                          struct error *err);
    struct trace_lane_stacks stacks; // the calls that are open at a point
    // The arguments of the call whose entry is at a position of the trace, which is ready. Returns
    // how many there are, of which up to `capacity` are stored.
    size_t (*arguments)(const struct trace *trace, uint64_t position, uint64_t *values,
                        size_t capacity);
};

// An instruction as its line shows it.
struct trace_code {
    uint64_t pc; // with code bit
    uint32_t encoding;
    uint8_t size_bytes; // 0: the line does not show it
    uint8_t isa;        // TRAWL_ISA
    struct effect_vectors vectors;
};

// What is added to the addresses of a page for the places where its bytes are.
struct trace_page {
    uint64_t number, to_place;
};

#define TRACE_PAGE_BYTES 4096
#define TRACE_SYSTEM_BYTES 24
#define TRACE_STEP_PAGES 18 // an instruction accesses 64 KB at most

// What the text of an event shows of an instruction and its accesses.
struct trace_step {
    struct trace_code code;
    // Where address and encoding stand, from the start of the text: other lines with the same bytes
    // there show the same instruction. 0 bytes: nowhere.
    // Or the text shows more of it than these bytes.
    uint32_t code_offset, code_bytes;
    bool has_access;
    uint64_t low, high; // the lowest and highest address of what is accessed
    uint8_t mode;       // that the instruction is executed in, for other_bank
    // Where the pages that its lines name are in memory, if the trace shows that (FORMAT.md,
    // Places).
    uint8_t page_count;
    struct trace_page pages[TRACE_STEP_PAGES];
    char system[TRACE_SYSTEM_BYTES]; // the system register that it moves, as its line names it; ""
};

// A loop whose end a core may leave out in further rounds (struct branch, ends_loop).
struct trace_loop {
    uint64_t end, start; // addresses without Thumb bit; 0: none
};

// How data flows through the instructions of a trace.
struct trace_dataflow {
    // Reads the instruction at step->code.pc and the accesses behind it, from text that begins with
    // its event and ends where the next begins. `with_accesses`: they are wanted.
    void (*read)(const char *text, size_t size_bytes, const struct reading_options *how,
                 bool with_accesses, struct trace_step *step);
    // How many instructions of the lane before this one decide what it does.
    unsigned (*before)(const struct trace_code *code);
    // What it does. `before`: those, the latest first.
    void (*effects)(const struct trace_code *code, const struct trace_code *before, size_t count,
                    struct effects *effects);
    // A vector register, by whose length in a trace code.vectors.bytes is set before `read` is
    // called. NULL: encodings say how long vectors are.
    const char *vector;
    // The register that has the flags, and which these are.
    uint64_t flags_offset;
    uint16_t flags;
    // Whether eight bytes of the register space show another register when the mode changes, which
    // an index has as a write with this mask and one of the rest.
    bool (*is_bank)(uint64_t cell, unsigned mask);
    // Whether these eight bytes are surely those of another register in mode `now` than in mode
    // `before`.
    bool (*other_bank)(uint64_t cell, unsigned before, unsigned now);
    // The stack pointer in use, and the name of that of a mode (NULL: none) in this instruction
    // set.
    uint64_t stack_cell;
    uint32_t stack_isa;
    const char *(*stack_name)(unsigned mode);
    // Whether control can go from an instruction to a PC. *loop: the last one of the core.
    bool (*leads)(const struct trace_code *from, bool is_executed, uint64_t to,
                  struct trace_loop *loop);
};

#define TRACE_CODES_BEFORE 4

// Of kinds whose PCs are ids of functions.
struct trace_ids {
    const struct function_ids *functions;
    // Finds the ids that the trace, which is ready, has for the objects that functions.add read.
    enum status (*number_objects)(const struct trace *trace, void *id_names, struct error *err);
};

// What the trace shows of the images of the program that ran.
struct trace_placing {
    // Moves relocatable images to the addresses where the trace shows that they were. NULL: the
    // trace does not show it.
    enum status (*move)(struct trace *trace, struct image_set *images, struct error *err);
    // Reads some instructions with their encodings from all parts of the trace, without consuming
    // its input: from the more places, the more there may be. Returns their number, at most
    // `capacity`. NULL: the trace shows no encodings.
    size_t (*sample)(struct trace *trace, struct trace_instruction *instructions, size_t capacity);
};

// How an index of a kind is made and read.
struct trace_indexing {
    // The options that an index must be made with (enum trawl_option). *mask: those that matter to
    // a report or, with `is_for_queries`, to readers of registers and memory.
    uint64_t (*identity)(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask);
    // Writes what only an index of this kind has, after a pass that made segments. `names`: the
    // names of registers that it passed to the segments. False: no memory.
    bool (*write_sections)(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names);
    // Its segments say how calls nest (segment.is_nested), instead of a list of calls.
    bool nests_calls;
    // The reason why the trace cannot have an index; NULL: it can. If the function is NULL, it
    // always can.
    const char *(*lacks)(const struct trace *trace);
    // The number of events of a segment. NULL: the default number.
    uint32_t (*segment_events)(const struct trace *trace);
    // read: reads from a matching index what passes over it need besides its rows. check_rows:
    // makes sure that such a pass will not fail in the middle of the rows. STATUS_INPUT: the index
    // is damaged. NULL: nothing to do.
    enum status (*read)(struct trace *trace, struct trawl_index *index, struct error *err);
    enum status (*check_rows)(struct trace *trace, struct trawl_index *index, struct error *err);
};

// What a kind says about a trace.
struct trace_telling {
    // How it describes itself. NULL: its index contains everything.
    const struct trace_description *description;
    // Reads the whole file of the trace and reports on it. NULL: there is nothing to report except
    // damage.
    enum status (*examine)(struct trace *trace, struct examination *examination, struct error *err);
    trace_fault_text *fault_text; // NULL: faults go to the observer of a pass (struct line_fault)
    // Reports the messages that are due after a pass. NULL: none.
    void (*sum_up)(const struct trace *trace, const struct pass_result *result,
                   const struct trace_reporter *reporter);
    // Passes on each line of the description that the trace has of its target, in the form of GDB.
    // False: it has none. NULL: it never has one.
    bool (*describe_target)(const struct trace *trace,
                            void (*put)(void *self, const char *line, size_t length), void *self);
};

struct trace_kind {
    const char *name; // as stored in an index
    struct trace_words words;
    unsigned abilities;
    // Whether a program can have this name. NULL, unless several files are not lines to be merged,
    // but logs of processes that ran at the same time, which the kind joins (trace.is_joined): then
    // source_file has each, and in `core` the name of the program that was typed for it, or "".
    bool (*joins)(const char *name);
    size_t size_bytes; // of its own struct, whose first member is a struct trace

    // Whether a trace begins with these bytes. NULL for the kind that is taken if no other matches.
    bool (*is)(const void *head, size_t size_bytes);
    // Prepares for passes, and sets trace->damage. The images may give information about the
    // machine. NULL: nothing to do.
    enum status (*open)(struct trace *trace, const struct image_set *images, struct error *err);
    void (*close)(struct trace *trace); // NULL: nothing of its own to free
    // Makes a pass (flow/pass.h). If trace->index is set, reads that instead of the trace.
    enum status (*run)(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);
    // Ticks per second. NULL or 0: unknown.
    uint64_t (*frequency_hz)(const struct trace *trace);
    // The registers of all lanes, and the architecture of their cores, for kinds where these are
    // known before a trace is read; otherwise NULL.
    const struct register_table *registers;
    const struct arch *arch;

    struct trace_indexing indexing;
    struct trace_placing placing;
    struct trace_telling telling;
    const struct trace_line_reader *text;  // NULL: it is not lines of text, or nobody looks at them
    const struct trace_direct *direct;     // NULL: reports are made from calls
    const struct trace_ids *ids;           // NULL: PCs are addresses
    const struct trace_dataflow *dataflow; // NULL: what its instructions do with data is not known
};

// Fields are read-only for users, except for `options` and `meter` before the trace is opened.
struct trace {
    const struct trace_kind *kind;
    const char *path; // owned by the caller
    struct source *source;
    struct trace_options options;
    struct progress *progress; // shows the progress of a pass, if the kind reports it; NULL: none
    enum meter meter;
    struct trawl_index *index; // read instead of the trace; closed with the trace; NULL: none
    struct trace_damage damage;
    uint8_t first_world; // enum physical_world of the first physical address (flow/reading.h)
    uint32_t dialect;    // reading_options.dialect, as far as single lines are read by it
    bool is_merged;      // of the files of several cores
    bool is_joined;      // of logs of several processes (trace_kind.joins)
    bool is_checked;     // `damage` is complete before any pass
    // What it may be if it turns out not to be a trace, judged by its first lines: "a log of
    // Spike". NULL: unknown.
    const char *seems;
    // An expression for what stands before the text of the trace in its first lines, to be stripped
    // (options.prefix). NULL: nothing does, or it is unknown.
    const char *prefix_hint;
};

static inline const struct arch *trace_arch(const struct trace_kind *kind)
{
    return kind->arch ? kind->arch : &arch_unknown;
}

// Closes a trace that trace_open (trace/open.h) opened.
void trace_close(struct trace *trace);

static inline bool trace_can(const struct trace *trace, unsigned abilities)
{
    return (trace->kind->abilities & abilities) == abilities;
}

// The first of `abilities` that the kind lacks, in words that fit after "has no": "registers".
// NULL: it lacks none.
const char *trace_lacks(const struct trace_kind *kind, unsigned abilities);

// Whether a pass showed that it is a trace. False if the only evidence are its lines, and (almost)
// none of them is understood. Always true under READING_TTU.
bool trace_is_understood(const struct trace *trace, const struct pass_result *result);

// Ticks per second; 0: unknown.
uint64_t trace_frequency_hz(const struct trace *trace);

// How users may type a time with a point.
enum time_points {
    TIME_POINTS_NONE,       // ticks are whole
    TIME_POINTS_MILLIONTHS, // as the trace writes times
    TIME_POINTS_SECONDS,    // since the first event, as times are shown
};

enum time_points trace_time_points(const struct trace *trace);

// The time of the first event of any lane, which a pass finds; the trace is ready, and no other
// pass runs. UINT64_MAX: there is none.
enum status trace_first_time(struct trace *trace, uint64_t *time, struct error *err);

// The unit of a time of this many ticks per second: "ns" for 1,000,000,000; "ticks" if the number
// is 0 or has no common unit.
const char *tick_unit(uint64_t frequency_hz);

// The same for a trace, and for an index: "instructions" where times count those.
const char *trace_tick_unit(const struct trace *trace);
const char *index_tick_unit(const struct trawl_info *info);

// Prepares passes over a matching index: what they need of it besides its rows, and whether these
// can be read. STATUS_INPUT: it is damaged.
enum status trace_take_index(struct trace *trace, struct trawl_index *index, struct error *err);

// Closes trace->index, so that the trace itself is read from now on.
void trace_forget_index(struct trace *trace);

// How a kind describes a trace, for `info`.

struct items;

// Returns names of functions.
struct trace_namer {
    void *self;
    const char *(*name)(void *self, uint64_t pc); // NULL: no name
};

// Part of a kind's row. Used for an open trace, after a pass over its calls if it has any.
struct trace_description {
    const char *noun, *event_noun; // for comparing its index with it: "log", "record"
    // Writes labelled values about the whole trace.
    void (*put)(struct trace *trace, const struct pass_result *result, struct items *items);
    // Writes the options of its index that only this kind has. NULL: none.
    void (*put_index)(const struct trawl_info *about, struct items *items);
    // Writes tables: first the lanes, then others. Fails only if there is no memory.
    enum status (*put_tables)(struct trace *trace, const struct pass_result *result,
                              const struct trace_namer *namer, struct items *items,
                              struct error *err);
};

#endif
