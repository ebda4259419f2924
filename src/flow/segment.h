// A trace cut into segments of a fixed number of events, independent of chunks: the index and the
// VCD are made from them.
//
// An event is a node (flow/node.h). Events of all lanes are numbered in the order of their first
// lines. A line belongs to the last event of its lane, with one exception: if lines of a core's
// event follow after the end of its segment, among lines of other cores, they belong to the latest
// event of any lane. `late` has the instructions on such lines.
#ifndef TRAWL_FLOW_SEGMENT_H
#define TRAWL_FLOW_SEGMENT_H

#include "base/error.h"
#include "base/vec.h"
#include "flow/register_names.h"
#include "idx/segment_rows.h"

// The line of an instruction, for consumers that show it.
struct segment_instruction {
    uint64_t address; // as written, so usually without Thumb bit
    uint64_t text;    // where the disassembly begins, in the trace
    uint32_t text_bytes;
    uint32_t encoding;
    uint32_t event; // in the segment
    uint16_t lane;
    bool is_aarch64, is_executed;
};

// A change of the mode of a core whose stack pointer also depends on other registers
// (line_carry of trace/lines/language.h).
struct segment_mode {
    uint32_t event; // in the segment
    uint16_t lane;
    uint8_t mode;
};

struct segment {
    uint64_t number;
    uint64_t first_event;
    uint32_t event_count;
    struct segment_events events;
    VEC(, struct segment_register) registers; // in the order of their lines
    VEC(, struct segment_access) accesses;
    VEC(, struct segment_late) late;
    VEC(, struct segment_origin) origins;           // by event, after all chunks were added
    VEC(, struct segment_mode) modes;               // of each lane in order
    VEC(, struct segment_regime) regimes;           // likewise; may repeat the one before
    VEC(, struct segment_exception) exceptions;     // if calls are not listed (segment_nesting)
    uint64_t depth;                                 // likewise, before the segment
    bool is_nested;                                 // calls are not listed
    VEC(, struct segment_instruction) instructions; // likewise; if the consumer wants them
    void *own; // the consumer's; NULL at first, later as the consumer left it
};

// The consumer of segments. Any function except `write` may be NULL. False: `err` has the reason,
// and the pass ends.
struct segment_consumer {
    void *self;
    uint32_t segment_events; // in a segment; 0: no segments are made
    // For a shard: only segments whose first event begins in these bytes of the text are built and
    // written, with their numbers in the whole trace; the pass may end after them. end_position 0:
    // all.
    uint64_t from_position, end_position;
    bool keeps_instructions; // uses segment.instructions, and releases their text (source.h)
    // Receives the names of registers that the trace names; NULL: such registers are not wanted.
    // Register number n begins at cell NAMED_REGISTER_CELL(n).
    struct register_names *names;
    // Receive the names of lanes and of such registers (only for lines of Tarmac), possibly at the
    // same time as the other functions, but before `carry` gets a segment that contains them.
    void (*found_lane)(void *self, size_t lane, const char *name);
    void (*found_name)(void *self, uint32_t number, const char *name);
    // In order, one at a time: passes state from one segment to the next.
    bool (*carry)(void *self, struct segment *segment, struct error *err);
    // In parallel.
    bool (*build)(void *self, struct segment *segment, struct error *err);
    // In order, one at a time.
    bool (*write)(void *self, struct segment *segment, struct error *err);
    // Forgets all segments and names, because the pass begins again. NULL: it cannot.
    bool (*begin_again)(void *self, struct error *err);
    // Frees `own` at the end of the pass.
    void (*free_own)(void *self, void *own);
};

// Makes room for a segment's events. False: no memory.
bool segment_reserve(struct segment *segment, uint32_t event_count);
void segment_empty(struct segment *segment);
void segment_free(struct segment *segment);

#endif
