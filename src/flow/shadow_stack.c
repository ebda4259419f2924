#include "flow/shadow_stack.h"

#include "flow/shadow_frames.h"

#include <stdlib.h>

// How far down the stack to search for the frame of a return.
#define SEARCH_FRAMES 4096

struct shadow_stack *shadow_stack_new(const struct call_consumer *consumer,
                                      const struct function_map *functions, bool returned_only,
                                      struct task_log *log)
{
    struct shadow_stack *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->consumer = *consumer;
    shadow->entries.given = functions;
    shadow->vectors = ADDRESS_UNKNOWN;
    shadow->returned_only = returned_only;
    shadow->log = log;
    if (!shadow_add_task(shadow)) {
        shadow_stack_free(shadow);
        return NULL;
    }
    return shadow;
}

void shadow_stack_free(struct shadow_stack *shadow)
{
    if (!shadow)
        return;
    for (size_t i = 0; i < shadow->tasks.count; i++)
        shadow_free_task(&shadow->tasks.items[i]);
    free(shadow->tasks.items);
    pending_free(&shadow->waiting);
    entry_set_free(&shadow->entries);
    free(shadow);
}

// --- Exceptions ----------------------------------------------------------------------------------

// Sets the function of a frame that was called but interrupted before its first instruction.
static void name_frame(struct task *task, uint64_t pc)
{
    struct frame *top = task_top(task);
    if (top && !top->pc)
        top->pc = pc;
}

static bool is_near(uint64_t a, uint64_t b, uint64_t distance)
{
    return (a < b ? b - a : a - b) <= distance;
}

// Ends the innermost exception of the current task, with the calls in it.
static bool end_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = task_find_exception(shadow_task(shadow));
    return index == NO_FRAME || shadow_pop_from(shadow, transfer, index, 0);
}

// Leaves an exception to continue another task.
static bool suspend_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = task_find_exception(shadow_task(shadow));
    uint64_t pc = ADDRESS_UNKNOWN, sp = ADDRESS_UNKNOWN;
    if (index != NO_FRAME) {
        pc = shadow_task(shadow)->frames.items[index].return_address;
        sp = shadow_task(shadow)->frames.items[index].sp;
        // The suspension closes the frames outside, so they need not be reopened.
        if (!end_exception(shadow, transfer))
            return false;
    }
    return shadow_suspend(shadow, transfer, pc, sp);
}

// An exception return, to the interrupted code or to another task.
static bool leave_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    size_t index = task_find_exception(task);
    const struct frame *frame = index == NO_FRAME ? NULL : &task->frames.items[index];
    if (frame && (!is_known(sp) || frame->sp == sp || !is_known(frame->sp)))
        return end_exception(shadow, transfer) && (name_frame(shadow_task(shadow), pc), true);
    size_t to = shadow_find_waiting(shadow, sp, pc);
    if (to == NO_TASK)
        to = shadow_find_by_sp(shadow, sp);
    // Stacks of tasks can be next to each other, but not their program counters.
    bool goes_back =
        frame && (!is_known(frame->return_address) || is_same_pc(frame->return_address, pc));
    if (to == NO_TASK && goes_back && is_near(frame->sp, sp, 1024))
        return end_exception(shadow, transfer);
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, pc, sp);
    if (!shadow_resume(shadow, transfer, to))
        return false;
    name_frame(shadow_task(shadow), pc);
    return shadow_pop_passed(shadow, transfer,
                             sp - 1); // frames with SP itself may be where the task stopped
}

// The return address of an exception: from ELR, or for A32 from LR and the vector; or
// ADDRESS_UNKNOWN.
static uint64_t resume_of_exception(const struct transfer *transfer)
{
    static const uint8_t after[8] = {[3] = 4, [4] = 8, [6] = 4, [7] = 4}; // aborts and interrupts
    if (is_known(transfer->resume) || !is_known(transfer->link) || !transfer->is_link_new)
        return transfer->resume;
    return transfer->link - after[transfer_pc(transfer) / 4 % 8];
}

// An exception returns, and at its target another one occurs at once. Only the stack pointer tells
// which task that is in.
static bool leave_before_exception(struct shadow_stack *shadow, const struct transfer *transfer,
                                   uint64_t *resume_pc, uint64_t *sp)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    const struct frame *frame = index == NO_FRAME ? NULL : &task->frames.items[index];
    bool is_of_user = frame && frame->is_of_user && task->exceptions <= 1;
    *resume_pc = frame ? frame->return_address : ADDRESS_UNKNOWN;
    *sp = is_of_user ? transfer->sp_user : *sp;
    if (!is_of_user || !is_known(*sp) || frame->sp == *sp)
        return end_exception(shadow, transfer);
    *resume_pc = resume_of_exception(transfer);
    size_t to = NO_TASK;
    if (is_known(*resume_pc))
        to = shadow_find_waiting(shadow, *sp, *resume_pc);
    if (to == NO_TASK)
        to = shadow_find_by_sp(shadow, *sp);
    if (to != NO_TASK && !is_known(*resume_pc))
        *resume_pc = shadow->tasks.items[to].resume_pc;
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, is_known(*resume_pc) ? *resume_pc : 0, *sp);
    return shadow_resume(shadow, transfer, to);
}

// Applies the branch before an exception, as far as its encoding tells, and returns the exception's
// return address in *resume_pc, and its SP.
static bool take_branch_before(struct shadow_stack *shadow, const struct transfer *transfer,
                               uint64_t *resume_pc, uint64_t *sp)
{
    const struct branch *from = &transfer->from;
    struct frame *top = task_top(shadow_task(shadow));
    switch (from->kind) {
    case BRANCH_CALL:
        *resume_pc = from->target;
        return shadow_push(shadow, transfer, is_known(from->target) ? from->target : 0,
                           transfer->sp_left, from->next, 0);
    case BRANCH_RETURN:
        *resume_pc = top ? top->return_address : ADDRESS_UNKNOWN;
        return !top || shadow_pop_from(shadow, transfer, shadow_task(shadow)->frames.count - 1, 0);
    case BRANCH_LEAVES:
        return leave_before_exception(shadow, transfer, resume_pc, sp);
    case BRANCH_JUMP:
        *resume_pc = from->target;
        return true;
    case BRANCH_INDIRECT:
        *resume_pc = ADDRESS_UNKNOWN;
        return true;
    case BRANCH_NONE:
    case BRANCH_EXCEPTION:
        *resume_pc = from->next;
        return true;
    }
    return true;
}

// An exception begins where another one returns (tail-chaining): it inherits the return address of
// that one.
static bool chain_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    const struct frame ended = task->frames.items[task_find_exception(task)];
    return end_exception(shadow, transfer) &&
           shadow_push(shadow, transfer, transfer_pc(transfer), ended.sp, ended.return_address,
                       CALL_EXCEPTION);
}

static uint64_t table_of(uint64_t pc)
{
    return pc - pc % TABLE_BYTES;
}

// Whether an exception return went to a vector: nothing returns there, so another exception
// occurred at once, which the trace does not show.
static bool leaves_for_vector(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer);
    return transfer->from.kind == BRANCH_LEAVES && pc % VECTOR_BYTES == 0 &&
           table_of(pc) == shadow->vectors;
}

static bool take_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t resume_pc = ADDRESS_UNKNOWN, sp = transfer->sp_left;
    shadow->vectors = table_of(transfer_pc(transfer));
    if (transfer->from.kind == BRANCH_RETURN && is_in_handler(shadow_task(shadow)))
        return chain_exception(shadow, transfer);
    if (!take_branch_before(shadow, transfer, &resume_pc, &sp) ||
        !shadow_push(shadow, transfer, transfer_pc(transfer), sp, resume_pc, CALL_EXCEPTION))
        return false;
    task_top(shadow_task(shadow))->is_of_user = is_known(sp) && sp == transfer->sp_user;
    return true;
}

// --- Branches ------------------------------------------------------------------------------------

// The frame of a return: control is where it was called, with the SP of that time.
static size_t find_returned(const struct task *task, uint64_t pc, uint64_t sp)
{
    size_t end = task->frames.count > SEARCH_FRAMES ? task->frames.count - SEARCH_FRAMES : 0;
    for (size_t index = task->frames.count; index > end; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        bool is_there = !is_known(sp) || !is_known(frame->sp) || frame->sp == sp;
        if (is_there && is_same_pc(frame->return_address, pc))
            return index - 1;
        if (frame->how & CALL_EXCEPTION)
            break;
    }
    return NO_FRAME;
}

// Control went to the function of frame `index`.
static bool come_back(struct shadow_stack *shadow, const struct transfer *transfer, size_t index)
{
    return index == NO_FRAME || index + 1 == shadow_task(shadow)->frames.count ||
           shadow_pop_from(shadow, transfer, index + 1, CALL_LEFT);
}

// Whether control went to the middle of the innermost function, with its stack.
static bool is_inside_top(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = task_top(shadow_task(shadow));
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    return top && pc != (top->pc & ~UINT64_C(1)) && shadow_was_inside(shadow, top, pc) &&
           (!is_known(sp) || !is_known(top->sp) || sp <= top->sp);
}

// Control went, without a call, to a place to which no frame of the task returns: to a waiting
// task, a new stack, or a frame farther out.
static bool go_elsewhere(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    const struct frame *top = task_top(task);
    if (is_inside_top(shadow, transfer))
        return true; // from a function whose call was left out
    if (!is_known(sp))
        return come_back(shadow, transfer, slip_find_inside(shadow, pc, sp));
    bool is_own = top && is_known(top->sp) && sp >= top->sp && sp <= task->sp_high;
    size_t to = is_own ? NO_TASK : shadow_find_by_sp(shadow, sp);
    if (is_own || (to == NO_TASK && (!top || !is_known(top->sp))))
        return shadow_pop_passed(shadow, transfer, sp);
    size_t inside = to == NO_TASK ? slip_find_inside(shadow, pc, ADDRESS_UNKNOWN) : NO_FRAME;
    if (inside != NO_FRAME && pc != (task->frames.items[inside].pc & ~UINT64_C(1)))
        return come_back(shadow, transfer, inside); // the stack pointer is not the written one
    if (!shadow_suspend_in_call(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, transfer_pc(transfer), sp);
    return shadow_resume(shadow, transfer, to) && shadow_pop_passed(shadow, transfer, sp);
}

// A call whose line is missing.
static bool take_lost_call(struct shadow_stack *shadow, const struct transfer *transfer,
                           uint64_t entry)
{
    uint64_t sp = is_same_pc(entry, transfer_pc(transfer)) ? transfer->sp_there : ADDRESS_UNKNOWN;
    return shadow_push(shadow, transfer, entry, sp, transfer->link, 0);
}

static bool take_return(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    struct frame *top = task_top(task);
    if (LIKELY(top && returns_from(top, transfer))) {
        if (UNLIKELY(top->how & CALL_EXCEPTION)) // a return that ends an exception, as on the M
                                                 // profile
            return leave_exception(shadow, transfer);
        return shadow_pop_from(shadow, transfer, task->frames.count - 1, 0);
    }
    // On the M profile: EXC_RETURN, for another task. If lines are missing, assume no task switch.
    if (!shadow->has_slipped && is_in_handler(task))
        return leave_exception(shadow, transfer);
    size_t to = shadow_find_waiting(shadow, sp, pc);
    if (to != NO_TASK) {
        if (!shadow_suspend_in_call(shadow, transfer) || !shadow_resume(shadow, transfer, to))
            return false;
        size_t resumed = find_returned(shadow_task(shadow), pc, sp); // the frame that returns here
        return resumed == NO_FRAME || shadow_pop_from(shadow, transfer, resumed, 0);
    }
    size_t index = find_returned(task, pc, sp);
    if (index != NO_FRAME)
        return shadow_pop_from(shadow, transfer, index, 0);
    // A function that moves SP for its caller, or changes the mode.
    if (top && is_same_pc(top->return_address, pc))
        return shadow_pop_from(shadow, transfer, task->frames.count - 1, 0);
    index = slip_find_returned(shadow, pc, sp);
    if (index != NO_FRAME)
        return shadow_pop_from(shadow, transfer, index, 0);
    if (top && transfer->is_link_new && slip_is_soon_after(transfer->link, top->return_address))
        return shadow_pop(shadow, transfer, 0) && take_lost_call(shadow, transfer, pc);
    if (!shadow->has_slipped && is_inside_top(shadow, transfer))
        return true; // a long jump to the function itself
    uint64_t dropped = shadow->counts.dropped;
    size_t current = shadow->current;
    bool has_memory = go_elsewhere(shadow, transfer);
    shadow->counts.unmatched += shadow->counts.dropped == dropped && shadow->current == current;
    return has_memory;
}

// A branch to the start of another function, with the stack as at the entry of this one.
static bool take_tail_call(struct shadow_stack *shadow, const struct transfer *transfer,
                           uint64_t entry)
{
    const struct frame *top = task_top(shadow_task(shadow));
    uint64_t sp = transfer->sp_there;
    if (!top || top->how & CALL_EXCEPTION)
        return shadow_push(shadow, transfer, entry, sp, top ? top->return_address : ADDRESS_UNKNOWN,
                           CALL_TAIL_ENTRY);
    uint64_t return_address = top->return_address, sp_at_entry = top->sp;
    unsigned how = CALL_TAIL_ENTRY | (top->how & CALL_TASK);
    return shadow_pop(shadow, transfer, CALL_TAIL_EXIT) &&
           shadow_push(shadow, transfer, entry, is_known(sp_at_entry) ? sp_at_entry : sp,
                       return_address, how);
}

// Whether control left an exception's vector for its handler. Vectors of A32 have room for a
// branch, which then comes first.
static bool leaves_vector(const struct frame *frame, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer);
    return transfer->previous.event == frame->entry.event ||
           (frame->pc % VECTOR_BYTES == 0 && (pc < frame->pc || pc - frame->pc >= VECTOR_BYTES) &&
            transfer->previous.pc - frame->pc < VECTOR_BYTES);
}

// Whether control left the function of a frame for another. If images have both, they decide. Most
// other functions were called before; the rest is recognized by a function that lies in between. A
// function lies after its entry, or also directly before it if images show no other function there.
static bool is_other_function(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc)
{
    if (!frame)
        return entry_set_has(&shadow->entries, pc);
    enum function_at at = shadow_function_at(shadow->entries.given, frame, pc);
    uint64_t entry = frame->pc & ~UINT64_C(1);
    return at == FUNCTION_OTHER ||
           (at == FUNCTION_BY_ENTRIES && pc >= entry_set_next(&shadow->entries, entry)) ||
           (at == FUNCTION_IN_FRONT && entry_set_next(&shadow->entries, pc - 1) < entry);
}

// Whether an indirect branch left the innermost frame for a function farther out, as long jumps do,
// and not for the start of another.
static bool is_jump_out(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    if (transfer->from.kind != BRANCH_INDIRECT || task->frames.count < 2 ||
        task_top(task)->how & CALL_EXCEPTION || entry_set_has(&shadow->entries, pc))
        return false;
    size_t index = slip_find_inside(shadow, pc, transfer->sp_there);
    return index != NO_FRAME && index + 1 < task->frames.count;
}

// Whether a branch left the innermost function for another, judging by what lies in between: with
// the stack as at the entry, or, from a handler, which is assembly, with any stack.
static bool is_tail_call(struct shadow_stack *shadow, const struct transfer *transfer,
                         bool has_left_stack)
{
    const struct task *task = shadow_task(shadow);
    bool may_leave = has_left_stack || (transfer->from.kind == BRANCH_JUMP && is_in_handler(task));
    return may_leave &&
           is_other_function(shadow, task_top(task), transfer_pc(transfer) & ~UINT64_C(1));
}

static bool take_jump(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = task_top(shadow_task(shadow));
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    if (LIKELY(top) && stays_inside(top, transfer, pc))
        return true;
    const struct function_map *given = shadow->entries.given;
    bool has_left_stack = !top || is_at_entry(top, transfer);
    if (top && transfer->from.kind == BRANCH_INDIRECT && is_same_pc(top->return_address, pc))
        return take_return(shadow, transfer);
    if (has_left_stack && is_jump_out(shadow, transfer))
        return go_elsewhere(shadow, transfer);
    if (top && has_left_stack && shadow_enters_frame(given, top, transfer))
        return entry_set_add(&shadow->entries, pc) &&
               take_tail_call(shadow, transfer, transfer_pc(transfer));
    if (top && shadow_enters_known(given, top, transfer))
        return take_tail_call(shadow, transfer, transfer_pc(transfer));
    if (top && top->how & CALL_EXCEPTION && leaves_vector(top, transfer) &&
        !entry_set_add(&shadow->entries, pc))
        return false;
    if (top && top->how & CALL_EXCEPTION ? leaves_vector(top, transfer)
                                         : is_tail_call(shadow, transfer, has_left_stack))
        return (transfer->from.kind != BRANCH_INDIRECT || // pointers are to beginnings of functions
                entry_set_add(&shadow->entries, pc)) &&
               take_tail_call(shadow, transfer, transfer_pc(transfer));
    if (transfer->from.kind == BRANCH_INDIRECT && top && is_known(sp) && is_known(top->sp) &&
        (sp > top->sp || shadow_find_waiting(shadow, sp, pc) != NO_TASK))
        return take_return(shadow, transfer);
    if (top)
        top->high = u64_max(top->high, u64_max(pc, transfer->previous.pc));
    return true;
}

static bool take_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = task_top(shadow_task(shadow));
    if (top)
        top->high = u64_max(top->high, transfer->from.pc);
    return entry_set_add(&shadow->entries, transfer_pc(transfer) & ~UINT64_C(1)) &&
           shadow_push(shadow, transfer, transfer_pc(transfer), transfer->sp_there,
                       transfer->from.next, 0);
}

// --- Slips ---------------------------------------------------------------------------------------

// Applies the meaning of a slip.
static bool take_judged(struct shadow_stack *shadow, const struct transfer *transfer,
                        const struct slip *slip)
{
    switch (slip->kind) {
    case SLIP_CALL:
        return take_lost_call(shadow, transfer, slip->entry);
    case SLIP_TAIL_CALL:
        return take_tail_call(shadow, transfer, slip->entry);
    case SLIP_RETURN:
        return shadow_pop_from(shadow, transfer, slip->frame, 0);
    case SLIP_EXCEPTION:
        return take_exception(shadow, transfer);
    case SLIP_UNCLEAR:
        shadow->slip = *transfer;
        shadow->has_slip = true;
        return true;
    case SLIP_INSIDE:
        break;
    }
    return true;
}

// Lines that were left out as damaged are reported as such.
static void note_gap(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (!transfer->is_slip)
        doubt_note(&shadow->counts.gaps, transfer->node.line);
}

static bool take_slip(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct slip slip = slip_judge(shadow, transfer);
    if (slip.kind != SLIP_EXCEPTION) {
        shadow->has_slipped = true;
        note_gap(shadow, transfer);
    }
    if (slip.kind == SLIP_CALL && !entry_set_add(&shadow->entries, slip.entry & ~UINT64_C(1)))
        return false;
    return take_judged(shadow, transfer, &slip);
}

static bool settle_slip(struct shadow_stack *shadow)
{
    const struct transfer transfer = shadow->slip;
    shadow->has_slip = false;
    const struct slip slip = slip_judge_late(shadow, &transfer);
    return take_judged(shadow, &transfer, &slip);
}

// If only one instruction is at another place, its address was wrong: it is replaced by the
// expected one.
static struct transfer without_glitch(const struct shadow_stack *shadow,
                                      const struct transfer *transfer)
{
    struct transfer mended = *transfer;
    uint64_t distance = slip_expected(&shadow->slip.from) - transfer->from.pc;
    mended.from.pc += distance;
    mended.from.next += distance;
    if (is_known(mended.from.target))
        mended.from.target += distance;
    return mended;
}

static bool take_branch(struct shadow_stack *shadow, const struct transfer *transfer);

// Takes a transfer after one whose meaning was unclear.
static bool take_after_slip(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (transfer->previous.event != shadow->slip.node.event)
        return settle_slip(shadow) && take_branch(shadow, transfer);
    const struct transfer mended = without_glitch(shadow, transfer);
    shadow->has_slip = false;
    return is_same_pc(mended.from.next, mended.node.pc) || take_branch(shadow, &mended);
}

// -------------------------------------------------------------------------------------------------

// Control went elsewhere than the target of a branch: taken as if it had gone to the target, and
// then slipped.
static bool take_slip_after_branch(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct transfer there = *transfer, rest = *transfer;
    uint64_t target = transfer->from.target;
    there.is_overtaken = true;
    rest.from = (struct branch){.pc = target, .next = target, .target = ADDRESS_UNKNOWN};
    bool is_call = transfer->from.kind == BRANCH_CALL;
    bool is_near = slip_is_soon_after(transfer->node.pc, target);
    if (!is_call && !is_near)
        return take_slip(shadow, transfer);
    if (is_near)
        note_gap(shadow, transfer);
    return (is_call ? take_call(shadow, &there) : take_jump(shadow, &there)) &&
           (is_near || take_slip(shadow, &rest));
}

static bool take_mismatch(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (!is_known(transfer->from.target))
        return take_slip(shadow, transfer);
    return slip_is_exception(task_top(shadow_task(shadow)), transfer)
               ? take_exception(shadow, transfer)
               : take_slip_after_branch(shadow, transfer);
}

// Whether an exception returns to the exception return that it interrupted, of the outer exception.
static bool is_again(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    return transfer->from.kind == BRANCH_LEAVES && index != NO_FRAME &&
           is_same_pc(task->frames.items[index].return_address, transfer_pc(transfer));
}

static bool take_branch(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    if (UNLIKELY(is_exception(transfer)))
        return take_exception(shadow, transfer);
    if (UNLIKELY(is_same_pc(from->pc, transfer_pc(transfer))) && !is_again(shadow, transfer))
        return true; // a duplicate line, or a branch to itself
    if (UNLIKELY(is_slip(transfer)))
        return take_mismatch(shadow, transfer);
    switch (from->kind) {
    case BRANCH_CALL:
        return take_call(shadow, transfer);
    case BRANCH_RETURN:
        return take_return(shadow, transfer);
    case BRANCH_LEAVES:
        return leaves_for_vector(shadow, transfer) ? take_exception(shadow, transfer)
                                                   : leave_exception(shadow, transfer);
    case BRANCH_INDIRECT:
    case BRANCH_JUMP:
        if (UNLIKELY(is_same_pc(transfer->link, from->next))) // MOV LR, PC before it
            return take_call(shadow, transfer);
        return take_jump(shadow, transfer);
    case BRANCH_NONE:
    case BRANCH_EXCEPTION:
        break;
    }
    return true;
}

bool shadow_stack_transfer(struct shadow_stack *shadow, const struct transfer *transfer)
{
    shadow->counts.transfers++;
    // At NO_TIME, and where times fall after it, several instructions can make one event.
    if (UNLIKELY(transfer->node.event == UINT64_MAX || transfer->node.event <= shadow->last_event))
        return true;
    shadow->last_event = transfer->node.event;
    struct transfer of_instruction;
    if (UNLIKELY(transfer->previous.pc == NODE_WITHOUT_PC)) {
        // Calls come from, and end with, an instruction: an event after it belongs to it.
        of_instruction = *transfer;
        of_instruction.previous.pc = transfer_origin(transfer);
        transfer = &of_instruction;
    }
    return UNLIKELY(shadow->has_slip) ? take_after_slip(shadow, transfer)
                                      : take_branch(shadow, transfer);
}

// Stores the tasks. If there is only one, its stack pointers are not needed.
static bool log_tasks(const struct shadow_stack *shadow)
{
    struct task_log *log = shadow->log;
    if (!log)
        return true;
    if (!VEC_ROOM(&log->tasks, shadow->tasks.count))
        return false;
    for (size_t i = 0; i < shadow->tasks.count; i++) {
        const struct task *task = &shadow->tasks.items[i];
        bool has_sp = shadow->tasks.count > 1 && task->sp_low <= task->sp_high;
        log->tasks.items[i] = (struct lane_task){
            .stack = i || !has_sp ? task->stack : task->sp_high,
            .stack_low = has_sp ? task->sp_low : ADDRESS_UNKNOWN,
            .entry = task->entry,
            .calls = task->content,
        };
    }
    log->tasks.count = shadow->tasks.count;
    return true;
}

bool shadow_stack_finish(struct shadow_stack *shadow, const struct node_ref *last,
                         struct call_content *outermost, struct call_counts *counts)
{
    if (shadow->has_slip && !settle_slip(shadow))
        return false;
    struct task *task = shadow_task(shadow);
    shadow->counts.unreturned = 0;
    for (size_t i = 0; i < shadow->tasks.count; i++)
        shadow->counts.unreturned += shadow->tasks.items[i].frames.count;
    for (size_t live = task->live; task->frames.count > live; shadow_drop_top(task)) {
        if (!shadow_fold(shadow, task, task->frames.count - 1, last, last, 0))
            return false;
    }
    *outermost = shadow->outermost;
    *counts = shadow->counts;
    return log_tasks(shadow);
}

struct call_content *shadow_stack_inside(struct shadow_stack *shadow)
{
    struct task *task = shadow_task(shadow);
    return shadow_around(shadow, task, task->frames.count);
}
