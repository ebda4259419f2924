// What single events do with data, for those who follow it: the instruction of an event from its
// line in the trace, what that does from its encoding (struct effects), and which memory it
// accessed.
//
// The encoding is read again for every event, and not remembered by PC: programs write their own
// code, load other images to the same place, and processes of an operating system share addresses.
// An index could hold the encodings, for a few bytes an event; the line must be read anyway for
// what a load accessed.
#ifndef TRAWL_DATAFLOW_STEP_H
#define TRAWL_DATAFLOW_STEP_H

#include "dataflow/dataflow.h"
#include "flow/effects.h"

struct dataflow_step {
    struct trawl_event about;
    bool has_code;      // the line shows an encoding
    bool is_known;      // and it is known what that does: `effects` is valid
    bool has_access;    // of memory
    uint8_t mode;       // with has_code: that of the instruction, as kind->other_bank has it
    uint64_t low, high; // the lowest and highest address accessed
    uint8_t page_count; // 0: all places are addresses
    const struct trace_page *pages; // of what is accessed
    const struct effects *effects;  // of which is_known
    // The system register that it moves is one that the trace names, and shows to have that value.
    bool has_system;
    uint8_t system_bytes;
    uint16_t system_number;
    uint64_t system_offset;  // in the registers of the lane
    const char *system_name; // as the line has it, also if the rest is not known; "": it moves none
};

// Reads an event. *step is valid until the next call.
enum status dataflow_step(struct dataflow *flow, uint64_t event, const struct dataflow_step **step,
                          struct error *err);

// Reads the instruction of an event from its line, without accesses, and gives the text.
enum status dataflow_read(struct dataflow *flow, const struct trawl_event *about,
                          struct trace_step *step, const char **text, struct error *err);

// The cell of the register by which the trace names the stack pointer that an instruction finds:
// the trace shows that it has this value, or that the instruction writes it under that name. False:
// there is none.
bool step_names_stack(struct dataflow *flow, const struct dataflow_step *step, uint64_t *cell);

// Whether the flows of the event's instruction happened.
static inline bool step_flows(const struct dataflow_step *step)
{
    return step->is_known && (step->about.flags & TRAWL_EXECUTED);
}

// --- Places as bytes -----------------------------------------------------------------------------

// A walk over the cells of a place of an event's instruction.
struct place_walk {
    struct dataflow_bytes bytes; // of the current cell
    unsigned first;              // of its lowest byte: which byte of the place that is
    uint64_t at, end;
    const struct dataflow_step *step;
};

// False: it has no bytes that can be followed, such as a system register, or memory of which the
// trace does not show where it is.
bool place_begin(struct place_walk *walk, const struct dataflow_step *step,
                 const struct effect_place *place);
// The next cell. False: there is none.
bool place_next(struct place_walk *walk);

#endif
