// Slips: control reaches a place to which the previous instruction cannot have sent it, because
// lines in between are missing or wrong, or because the trace does not show exceptions. Private to
// shadow_stack.c.
#ifndef TRAWL_FLOW_SHADOW_SLIP_H
#define TRAWL_FLOW_SHADOW_SLIP_H

#include "flow/shadow_frames.h"

enum slip_kind {
    SLIP_INSIDE,    // within one function: nothing to do
    SLIP_CALL,      // a call whose line is missing
    SLIP_TAIL_CALL, // a branch to another function, with the stack as at the entry
    SLIP_RETURN,    // a return whose line is missing
    SLIP_EXCEPTION, // only an exception leads there
    SLIP_UNCLEAR,   // the next transfer may decide
};

struct slip {
    enum slip_kind kind;
    size_t frame;   // for a return: the frame that ends
    uint64_t entry; // for a call: where the function begins
};

// How many bytes of consecutive instructions may be missing at the target.
#define SLIP_BYTES 16

static inline bool slip_is_soon_after(uint64_t pc, uint64_t address)
{
    return is_known(address) && (pc & ~UINT64_C(1)) - (address & ~UINT64_C(1)) <= SLIP_BYTES;
}

// The meaning of a transfer that its instruction does not explain.
struct slip slip_judge(struct shadow_stack *shadow, const struct transfer *transfer);

// The same, if the next transfer did not explain it.
struct slip slip_judge_late(struct shadow_stack *shadow, const struct transfer *transfer);

// Whether control went to a place of exceptions, although the trace does not show one.
bool slip_is_exception(const struct frame *top, const struct transfer *transfer);

// The frame that returns to `pc` or shortly before it, with its stack pointer; if lines are
// missing, the stack pointer of the innermost frame does not matter. NO_FRAME: none.
size_t slip_find_returned(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// The innermost frame whose function contains an address, and whose stack pointer is not below
// `sp`; or NO_FRAME.
size_t slip_find_inside(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// Where control should have gone.
uint64_t slip_expected(const struct branch *from);

#endif
