// The state of one lane between two lines: the current node, the tracked registers, and what
// finding calls needs. `scan.c` advances it mark by mark; `lane_state_resolve` advances it over a
// whole chunk in one step, using the chunk's summary. Both give the same result, which a property
// test checks.
#ifndef TRAWL_TRACE_LINES_LANE_STATE_H
#define TRAWL_TRACE_LINES_LANE_STATE_H

#include "flow/node.h"
#include "trace/lines/marks.h"

// The current time while there is none. The reference has no other representation for it, so an
// event at this time starts no node, and after it times may decrease.
#define NO_TIME UINT64_MAX

struct lane_state {
    uint64_t time; // the highest so far, or NO_TIME
    bool has_node;
    bool has_instruction; // the current node has one
    bool has_root;        // some node had an instruction
    bool has_flow;        // the previous instruction is known
    uint8_t mode;         // of the most recent instruction (mark_mode)
    uint8_t lr_age;
    uint64_t next_pc; // expected, while has_flow
    // Where times count the instructions of the lane: those before the chunk, which are to be added
    // to the times of its marks. Otherwise 0.
    uint64_t counted;
    // In both, `event` is relative to the current chunk: -1 is the last node of the one before.
    struct node_ref node, previous;
    struct register_bytes now;    // after the last line
    struct register_bytes before; // at the end of the previous node
};

#define LANE_STATE_START                                                                           \
    ((struct lane_state){                                                                          \
        .time = NO_TIME, .lr_age = LR_AGE_MAX, .mode = mark_mode(ISA_ARM, SP_BANK_NONE)})

// Whether the most recent instruction was of AArch64; false before the first.
static inline bool lane_state_is_aarch64(const struct lane_state *state)
{
    return mode_isa(state->mode) == ISA_AARCH64;
}

// The place of a chunk in the trace.
struct chunk_base {
    uint64_t line;     // lines before it
    uint64_t position; // bytes before it
};

// The state after the chunk from which `marks` were read, given the state before it. Takes one
// step, however long the chunk is. Node events are not counted here, but by the scan.
void lane_state_resolve(struct lane_state *state, const struct marks *marks,
                        const struct marks_summary *summary, const struct chunk_base *base);

// Whether this is possible. It is not if there are events at NO_TIME, after which times may
// decrease; then the state is advanced by scanning.
bool lane_state_can_resolve(const struct lane_state *state, const struct marks *marks);

// SP or LR in the instruction set state, from `bytes`. False: one of its bytes is unknown.
static inline bool registers_sp(const struct register_bytes *bytes, bool aarch64, uint64_t *sp)
{
    int which = aarch64 ? TRACKED_XSP : TRACKED_X13;
    uint64_t mask = aarch64 ? UINT64_MAX : UINT32_MAX;
    *sp = bytes->value[which] & mask;
    return (bytes->known[which] & mask) == mask;
}

static inline bool registers_lr(const struct register_bytes *bytes, bool aarch64, uint64_t *lr)
{
    int which = aarch64 ? TRACKED_X30 : TRACKED_X14;
    uint64_t mask = aarch64 ? UINT64_MAX : UINT32_MAX;
    *lr = bytes->value[which] & mask;
    return (bytes->known[which] & mask) == mask;
}

#endif
