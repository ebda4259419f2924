// A trace of any kind: what it can, what its parts are called, and the functions through which
// everything above asks it. Nothing above this folder knows of what kind a trace is.
//
// A kind is a constant row (trace/kinds.c) and a folder of its own next to this file, which no
// other kind includes. What a pass over a trace fills is the same for all (flow/pass.h): lanes,
// events, calls, segments of an index.
#ifndef TRAWL_TRACE_TRACE_H
#define TRAWL_TRACE_TRACE_H

#include "base/merge.h"
#include "cli/progress.h"
#include "elf/image_set.h"
#include "flow/call_sink.h"
#include "flow/function_id.h"
#include "flow/pass.h"
#include "flow/profile.h"
#include "idx/trawl.h"
#include "trace/damage.h"
#include "trace/examination.h"
#include "trace/lane_stacks.h"
#include "trace/line_look.h"

// What a trace can. A command names what it needs, and says so in one sentence where a kind lacks
// it (trace_lacks).
enum trace_ability {
    TRACE_CALLS = 1 << 0,        // shows entries and exits of functions
    TRACE_REGISTERS = 1 << 1,    // shows what registers hold
    TRACE_MEMORY = 1 << 2,       // shows what memory holds
    TRACE_INSTRUCTIONS = 1 << 3, // events are instructions, each with its line of text
    TRACE_TIMES = 1 << 4,        // events have times
    TRACE_LINES = 1 << 5,        // places are lines of text; else the offsets of bytes
    TRACE_ADDRESSES = 1 << 6,    // PCs are addresses; else ids of functions
    TRACE_SNAPSHOTS = 1 << 7,    // an event holds what it shows, and nothing of those before
    TRACE_REPLAYS = 1 << 8,      // its index is read faster than itself
    TRACE_BY_LANES = 1 << 9,     // events are numbered lane by lane
    TRACE_CHUNKS = 1 << 10,      // read chunk by chunk: its passes fill pass_options.piece_hashes
    TRACE_ARM = 1 << 11,         // of Arm cores: bit 0 of a PC may be the Thumb bit
    TRACE_TASKS = 1 << 12,       // tells the tasks of a lane apart, by their stacks
};

// Its words, in the singular unless said otherwise.
struct trace_words {
    const char *a;       // "a Tarmac trace", "an XRay log"
    const char *lane;    // "core", "thread", "tracepoint"
    const char *heading; // of a column of lanes: "Core"
    const char *parts;   // what is left out where it is damaged, in the plural: "lines", "places"
};

enum trace_byte_order { TRACE_ORDER_UNKNOWN, TRACE_LITTLE_ENDIAN, TRACE_BIG_ENDIAN };

// How a trace is read. A kind takes what concerns it.
struct trace_options {
    enum reading reading;
    enum trace_byte_order byte_order; // as told; else that of the images counts
    unsigned threads;
};

// An instruction as a trace shows it, `address` without Thumb bit.
struct trace_instruction {
    uint64_t address;
    uint32_t encoding;
    uint8_t size_bytes;
};

struct trace;
struct index_writer;
struct register_table;
struct trace_description;

// The words of a kind for a fault of one of its traces.
typedef void trace_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// Receives one line each of what a trace has to say when a report is done: what could not be
// matched or is missing (a warning), or with details what was found.
struct trace_sayer {
    void *self;
    void (*warn)(void *self, const char *text);
    void (*lost)(void *self, const char *text);   // a warning: something of the run is not shown
    void (*detail)(void *self, const char *text); // NULL: not wanted
};

struct trace_kind {
    const char *name; // in an index
    struct trace_words words;
    unsigned abilities;
    size_t size_bytes; // of its own struct, which begins with struct trace

    // Whether a trace begins with these bytes. NULL for the kind that is taken when no other is.
    bool (*is)(const void *head, size_t size_bytes);

    // Makes ready for passes, and finds what is damaged: trace->damage. Images may tell of the
    // machine. NULL: there is nothing to do.
    enum status (*open)(struct trace *trace, const struct image_set *images, struct error *err);
    // Moves images that may be anywhere to where the trace shows that they were. NULL: it shows
    // nothing.
    enum status (*move_images)(struct trace *trace, struct image_set *images, struct error *err);
    // Some instructions with their encodings, from all over the trace, which is not read on for it:
    // at most `capacity`, how many there are is returned. NULL: it shows no encodings.
    size_t (*sample)(struct trace *trace, struct trace_instruction *instructions, size_t capacity);
    void (*close)(struct trace *trace); // NULL: nothing of its own

    // A pass (flow/pass.h). Where trace->index is set, from that instead of the trace.
    enum status (*run)(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);
    // The same, faster than by calls, into contexts whose outermost are in the lanes' `calls`; and
    // into a profile, of one lane or (NULL) of all. NULL: by `run`.
    enum status (*contexts)(struct trace *trace, const struct pass_options *options,
                            struct context_tree *tree, struct pass_result *result,
                            struct error *err);
    enum status (*profile)(struct trace *trace, const struct pass_options *options,
                           const char *lane, struct profile *profile, struct pass_result *result,
                           struct error *err);
    // Calls with whatever else the trace keeps of them (arguments, events), as they are read, of
    // one lane or (NULL) of all. NULL: there is nothing else, and calls by `run` will do.
    enum status (*stream)(struct trace *trace, const struct pass_options *options, const char *lane,
                          const struct call_sink *sink, struct pass_result *result,
                          struct error *err);

    // The calls that are open at a point, of kinds that are read for it (trace/lane_stacks.h).
    // NULL: an index says.
    const struct trace_lane_stacks *lane_stacks;

    // What of the options an index must be made with (enum trawl_option); *mask: those that
    // matter to a report, or with `is_for_queries` to readers of registers and memory.
    uint64_t (*identity)(const struct trace *trace, const struct pass_options *options,
                         bool is_for_queries, uint64_t *mask);
    // Why the trace can have no index; NULL: it can. NULL: it always can.
    const char *(*lacks_index)(const struct trace *trace);
    // How many events a segment should have; NULL: as many as usual.
    uint32_t (*segment_events)(const struct trace *trace);
    // What only its index holds, after a pass that made segments: its calls, where they are not
    // taken from the consumer of calls, and sections. False: no memory. NULL: nothing.
    bool (*write_calls)(struct trace *trace, struct index_writer *writer, enum simd simd);
    // `names`: the registers that it named to the segments.
    bool (*write_sections)(struct trace *trace, struct index_writer *writer,
                           const struct register_names *names);
    // Reads of the index, which fits, what passes over it need next to its rows; and sees that they
    // will not end in the midst of those. STATUS_INPUT: it is damaged. NULL: nothing to see to.
    enum status (*read_index)(struct trace *trace, struct trawl_index *index, struct error *err);
    enum status (*check_index)(struct trace *trace, struct trawl_index *index, struct error *err);

    // What it has to say of itself (trace/description.h). NULL: its index says it all.
    const struct trace_description *description;
    // Reads all of the trace, as a file, and says what there is to say of it. NULL: all that there
    // is is what is damaged.
    enum status (*examine)(struct trace *trace, struct examination *examination, struct error *err);

    // Finds which of the objects that ids->add read has which ids of the trace, which is ready.
    // NULL if there are no ids.
    enum status (*number_objects)(const struct trace *trace, void *id_names, struct error *err);

    // The registers of all lanes, of kinds of which that is known before a trace is read; else
    // NULL.
    const struct register_table *registers;
    const struct function_ids *ids; // of kinds whose PCs are ids of functions; else NULL
    line_stamp_function
        *line_stamp;              // by which files of several cores are merged; NULL: they are not
    trace_fault_text *fault_text; // NULL: the observer of a pass is told (struct line_fault)
    // Says what there is to say after a pass. NULL: nothing.
    void (*sum_up)(const struct trace *trace, const struct pass_result *result,
                   const struct trace_sayer *sayer);
    // The disassembly of the instruction at an address (without Thumb bit), in text that begins
    // with its event. False: it is not there. NULL: there is none.
    bool (*instruction_text)(const char *text, size_t size_bytes, const struct reading_options *how,
                             uint64_t address, struct text_span *found);
    // What the first exception of a lane ("" or NULL: of any) is called, likewise.
    bool (*exception_text)(const char *text, size_t size_bytes, const struct reading_options *how,
                           const char *lane, struct text_span *found);
    // Looks at one line of text, without its line end, that follows what left `context`. `aarch64`:
    // how names of registers are read. NULL: its text says nothing by lines.
    void (*look)(const char *start, const char *end, const struct reading_options *how,
                 bool aarch64, struct line_look_context *context, struct line_look *look);
    // Ticks a second; NULL or 0: not known.
    uint64_t (*frequency_hz)(const struct trace *trace);
};

// Fields are for reading, except for `options` and the meter before the trace is opened.
struct trace {
    const struct trace_kind *kind;
    const char *path; // the caller's
    struct source *source;
    struct trace_options options;
    struct progress *progress; // that a pass is shown on, where the kind does it; NULL: none
    enum meter meter;
    struct trawl_index *index; // read instead of the trace; the trace's to close; NULL: none
    struct trace_damage damage;
    bool is_checked; // that is all of it, before any pass
    // What it may be if it turns out to be no trace, by its first lines: "a log of Spike". NULL:
    // nothing that is known.
    const char *seems;
};

// Closes what trace_open (trace/open.h) opened.
void trace_close(struct trace *trace);

static inline bool trace_can(const struct trace *trace, unsigned abilities)
{
    return (trace->kind->abilities & abilities) == abilities;
}

// The first of `abilities` that the kind lacks, in words that follow "has no": "registers". NULL:
// it lacks none.
const char *trace_lacks(const struct trace_kind *kind, unsigned abilities);

// Whether a pass showed that it is one: not where lines are all that it may be, and (next to) none
// of them is understood. Under READING_TTU it always is.
bool trace_is_understood(const struct trace *trace, const struct pass_result *result);

// Ticks a second, 0 where that is unknown.
uint64_t trace_frequency_hz(const struct trace *trace);

// The unit of times of so many ticks a second: "ns" for 1,000,000,000; "ticks" if that number is 0
// or stands for no usual unit.
const char *tick_unit(uint64_t frequency_hz);
const char *trace_tick_unit(const struct trace *trace);

// Closes trace->index, so that the trace itself is read.
void trace_forget_index(struct trace *trace);

#endif
