// Gaps: control reaches a place to which the previous instruction cannot have sent it, because
// lines in between are missing or wrong, or because the trace does not show exceptions. Private to
// shadow_stack.c.
#include "flow/shadow_frames.h"

// How far out to search for a frame to which control may have returned.
#define GAP_FRAMES 256

uint64_t gap_expected(const struct branch *from)
{
    bool goes_on = from->is_conditional || !is_known(from->target);
    return goes_on ? from->next : from->target;
}

static bool may_be_at(const struct frame *frame, uint64_t sp)
{
    return !is_known(sp) || !is_known(frame->sp) || sp <= frame->sp;
}

size_t gap_find_returned(struct shadow_stack *shadow, uint64_t pc, uint64_t sp)
{
    const struct task *task = shadow_task(shadow);
    size_t count = task->frames.count, end = count > GAP_FRAMES ? count - GAP_FRAMES : 0;
    for (size_t index = count; index > end; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        bool is_there = !is_known(sp) || !is_known(frame->sp) || frame->sp == sp;
        if ((!is_there && (index < count || !shadow->had_gap)) ||
            !gap_is_soon_after(pc, frame->return_address))
            continue;
        // What is soon after the return address may also be in another function than the caller.
        if (index > 1 && shadow_image_says(shadow, frame - 1, pc & ~UINT64_C(1)) == IMAGE_OTHER)
            continue;
        return index - 1;
    }
    return NO_FRAME;
}

size_t gap_find_inside(struct shadow_stack *shadow, uint64_t pc, uint64_t sp)
{
    const struct task *task = shadow_task(shadow);
    size_t count = task->frames.count, end = count > GAP_FRAMES ? count - GAP_FRAMES : 0;
    for (size_t index = count; index > end; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        if (shadow_was_inside(shadow, frame, pc) && may_be_at(frame, sp))
            return index - 1;
    }
    return NO_FRAME;
}

// The start of the function whose first instruction in the trace is at `pc`.
static uint64_t entry_of(struct shadow_stack *shadow, uint64_t pc)
{
    const struct function_map *given = shadow->entries.given;
    if (given && function_map_find(given, pc & ~UINT64_C(1)))
        return shadow_entry_by_image(shadow, pc);
    uint64_t entry = entry_set_last(&shadow->entries, pc & ~UINT64_C(1));
    return entry != ENTRY_SET_NONE && gap_is_soon_after(pc, entry) ? entry | (pc & 1) : pc;
}

// LR points just after the previous instruction: a call is missing, unless control continues in the
// same function, which called from there earlier.
static bool is_lost_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = task_top(shadow_task(shadow));
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (!is_known(transfer->link) || !gap_is_soon_after(transfer->link, transfer->from.next))
        return false;
    if (transfer->is_link_new || entry_set_has(&shadow->entries, pc) || !top)
        return true;
    return !shadow_is_inside(shadow, top, pc);
}

// Whether a frame may have returned to a place.
static bool may_return(const struct frame *frame, uint64_t pc, uint64_t sp)
{
    return is_same_pc(pc, frame->return_address) && (!is_known(sp) || sp == frame->sp);
}

// Whether control did not leave the innermost function, or the code outside of all calls, according
// to images: no call, jump or return leads to its middle.
static bool is_step_by_image(struct shadow_stack *shadow, const struct frame *top,
                             const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    uint64_t function = shadow_entry_by_image(shadow, pc);
    if (!shadow_is_in_image(shadow, pc) ||
        (transfer->is_link_new && gap_is_soon_after(pc, function)))
        return false;
    return top ? shadow_image_says(shadow, top, pc) == IMAGE_SAME && may_be_at(top, sp) &&
                     !may_return(top, pc, sp)
               : shadow_is_in_image(shadow, transfer->from.pc) &&
                     is_same_pc(shadow_entry_by_image(shadow, transfer->from.pc), function);
}

// Whether control certainly did not leave the innermost function: it is in the part of it that was
// seen, below the stack pointer of its entry, and not where it returns to.
static bool is_step_inside(struct shadow_stack *shadow, const struct frame *top,
                           const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    uint64_t entry = top->pc & ~UINT64_C(1), high = shadow_high_of(shadow, top);
    return entry && may_be_at(top, sp) && !may_return(top, pc, sp) && pc >= entry &&
           transfer->from.pc >= entry && pc <= u64_max(high, transfer->from.pc) &&
           shadow_is_inside(shadow, top, pc);
}

bool gap_is_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = task_top(shadow_task(shadow));
    const struct exception_rules *rules = shadow->exceptions;
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (transfer->changes_mode || exception_link(rules, transfer->link) ||
        transfer_pc(transfer) < rules->low_vectors_end)
        return true;
    bool is_near = top && (shadow_range_of(shadow, top)
                               ? shadow_image_says(shadow, top, pc) == IMAGE_SAME
                               : pc >= top->pc && pc <= u64_max(top->high, transfer->from.pc));
    return pc % rules->vector_bytes == 0 && !is_near && !gap_is_soon_after(pc, transfer->from.next);
}

// Whether a silent exception explains it best: control broke off at the beginning of a function,
// or where no image has one, or at the handler of other exceptions.
static bool is_silent_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (LIKELY(!shadow->exceptions->are_silent) || transfer->is_link_new)
        return false;
    if (pc - pc % shadow->exceptions->table_bytes == shadow->vectors)
        return true;
    return !transfer->is_gap && gap_is_exception(shadow, transfer) &&
           is_same_pc(shadow_entry_by_image(shadow, pc), pc);
}

struct gap gap_judge(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    const struct frame *top = task_top(task);
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    if (!transfer->changes_mode && is_step_by_image(shadow, top, transfer))
        return (struct gap){GAP_INSIDE, NO_FRAME, ADDRESS_UNKNOWN};
    if (is_silent_exception(shadow, transfer))
        return (struct gap){GAP_EXCEPTION, NO_FRAME, ADDRESS_UNKNOWN};
    if (is_lost_call(shadow, transfer))
        return (struct gap){GAP_CALL, NO_FRAME, entry_of(shadow, pc)};
    if (top && !transfer->changes_mode && is_step_inside(shadow, top, transfer))
        return (struct gap){GAP_INSIDE, NO_FRAME, ADDRESS_UNKNOWN};
    size_t returned = gap_find_returned(shadow, pc, sp);
    if (returned != NO_FRAME)
        return (struct gap){GAP_RETURN, returned, ADDRESS_UNKNOWN};
    if (gap_is_exception(shadow, transfer))
        return (struct gap){GAP_EXCEPTION, NO_FRAME, ADDRESS_UNKNOWN};
    bool is_inside = top ? shadow_is_inside(shadow, top, pc & ~UINT64_C(1)) && may_be_at(top, sp)
                         : !entry_set_has(&shadow->entries, pc & ~UINT64_C(1));
    return (struct gap){is_inside ? GAP_INSIDE : GAP_UNCLEAR, NO_FRAME, ADDRESS_UNKNOWN};
}

struct gap gap_judge_late(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    const struct frame *top = task_top(task);
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    size_t inside = gap_find_inside(shadow, pc, sp);
    if (inside != NO_FRAME && inside + 1 < task->frames.count)
        return (struct gap){GAP_RETURN, inside + 1, ADDRESS_UNKNOWN};
    bool is_other = top && shadow_image_says(shadow, top, pc) == IMAGE_OTHER;
    if (inside != NO_FRAME || (top && !may_be_at(top, sp) && !is_other))
        return (struct gap){GAP_INSIDE, NO_FRAME, ADDRESS_UNKNOWN};
    bool is_tail_call = top && is_known(sp) && top->sp == sp && !(top->how & CALL_EXCEPTION) &&
                        is_same_pc(transfer->link, top->return_address);
    return (struct gap){is_tail_call ? GAP_TAIL_CALL : GAP_CALL, NO_FRAME,
                        entry_of(shadow, transfer_pc(transfer))};
}
