// What a branch means for the innermost frame: whether it stays in its function, or goes to the
// start of another. Private to shadow_*.c.
#ifndef TRAWL_FLOW_SHADOW_JUMP_H
#define TRAWL_FLOW_SHADOW_JUMP_H

#include "flow/shadow_frames.h"

// Bytes of A64's table of vectors, and of each.
#define TABLE_BYTES 0x800
#define VECTOR_BYTES 0x80

// Whether an exception took control after an instruction, instead of its normal continuation.
static inline bool is_exception(const struct transfer *transfer)
{
    return transfer->is_exception || transfer->from.kind == BRANCH_EXCEPTION;
}

// Whether control did not go where the previous instruction sends it: lines are missing or wrong.
static inline bool is_slip(const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    return transfer->is_slip || from->kind == BRANCH_NONE ||
           (is_known(from->target) && !is_same_pc(from->target, transfer->node.pc));
}

// Whether control returns to where the innermost frame was called, with the stack of that time.
static ALWAYS_INLINE bool returns_from(const struct frame *top, const struct transfer *transfer)
{
    uint64_t sp = transfer->sp_there;
    return is_same_pc(top->return_address, transfer_pc(transfer)) &&
           (top->sp == sp || !is_known(sp) || !is_known(top->sp));
}

// Whether at a branch the stack pointer is as at the entry of a function.
static inline bool is_at_entry(const struct frame *frame, const struct transfer *transfer)
{
    uint64_t sp = transfer->sp_there;
    return !is_known(sp) || !is_known(frame->sp) || frame->sp == sp;
}

// Whether the innermost frame is a handler: of the M profile, or one that a vector branched to.
static inline bool is_in_handler(const struct task *task)
{
    size_t count = task->frames.count;
    const struct frame *top = task_top(task);
    if (!top || top->how & CALL_EXCEPTION)
        return top;
    return count > 1 && top->how & CALL_TAIL_ENTRY && top[-1].how & CALL_EXCEPTION;
}

// Whether control certainly stays in the function, as with most branches. `pc` is the target.
static inline bool stays_inside(const struct frame *frame, const struct transfer *transfer,
                                uint64_t pc)
{
    return transfer->from.kind == BRANCH_JUMP && pc > frame->pc && pc <= frame->high &&
           transfer->previous.pc <= frame->high && !(frame->how & CALL_EXCEPTION);
}

// Whether an address belongs to another function than that of a frame, according to images, the
// known addresses of the function, and its entry.
enum function_at {
    FUNCTION_SAME,
    FUNCTION_OTHER,
    FUNCTION_BY_ENTRIES, // another, if calls have shown that a function begins in between
    // In front of its function, in code of no function, as slow paths in assembly are: another, if
    // calls have shown that a function begins there or in between.
    FUNCTION_IN_FRONT,
};

enum function_at shadow_function_at(const struct function_map *given, const struct frame *frame,
                                    uint64_t pc);

// Whether a branch went exactly to the start of another function, according to images. A handler,
// or a direct branch, may do this with another stack pointer than at entry.
bool shadow_enters_known(const struct function_map *given, const struct frame *frame,
                         const struct transfer *transfer);

// Whether an unconditional jump went to an instruction with which only functions begin, unless an
// image says otherwise. A function has one such place, unless it sets up its frame late, after a
// conditional branch.
bool shadow_enters_frame(const struct function_map *given, const struct frame *frame,
                         const struct transfer *transfer);

#endif
