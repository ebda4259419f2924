// Slips: control comes to where the instruction before cannot have sent it, since lines between are
// missing or wrong, or since the trace does not tell of exceptions. Private to shadow_stack.c.
#ifndef TRAWL_FLOW_SHADOW_SLIP_H
#define TRAWL_FLOW_SHADOW_SLIP_H

#include "flow/shadow_frames.h"

enum slip_kind {
    SLIP_INSIDE,    // of one function: nothing is to be done
    SLIP_CALL,      // a call whose line is missing
    SLIP_TAIL_CALL, // a branch to another function, after all was put back as at the entry
    SLIP_RETURN,    // a return whose line is missing
    SLIP_EXCEPTION, // nothing but an exception leads there
    SLIP_UNCLEAR,   // the next transfer may tell
};

struct slip {
    enum slip_kind kind;
    size_t frame;   // of a return: that which ends
    uint64_t entry; // of a call: where the function begins
};

// How many bytes of instructions in a row may be missing where control came to.
#define SLIP_BYTES 16

static inline bool slip_is_soon_after(uint64_t pc, uint64_t address)
{
    return is_known(address) && (pc & ~UINT64_C(1)) - (address & ~UINT64_C(1)) <= SLIP_BYTES;
}

// What a transfer means that its instruction does not explain.
struct slip slip_judge(struct shadow_stack *shadow, const struct transfer *transfer);

// The same, when the next transfer told nothing else.
struct slip slip_judge_late(struct shadow_stack *shadow, const struct transfer *transfer);

// Whether control came to where exceptions go, although the trace does not tell of one.
bool slip_is_exception(const struct frame *top, const struct transfer *transfer);

// The frame that returns to `pc` or shortly before it, with the stack pointer that it had, which of
// the innermost does not matter where lines are missing; or NO_FRAME.
size_t slip_find_returned(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// The innermost frame whose function has an address, and whose stack pointer is not below `sp`; or
// NO_FRAME.
size_t slip_find_inside(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// Where control should have gone.
uint64_t slip_expected(const struct branch *from);

#endif
