#include "flow/shadow_stack.h"

#include "flow/shadow_frames.h"

#include <stdlib.h>

// How far down the stack to search for the frame of a return, and for the handler of a silent
// exception.
#define SEARCH_FRAMES 4096
#define SILENT_FRAMES 64

struct shadow_stack *shadow_stack_new(const struct call_consumer *consumer,
                                      const struct function_map *functions,
                                      const struct exception_rules *exceptions, bool returned_only,
                                      struct task_log *log)
{
    struct shadow_stack *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->consumer = *consumer;
    shadow->entries.given = functions;
    shadow->exceptions = exceptions;
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
    for (size_t i = 0; i < SYSTEM_CALLS_KEPT; i++)
        free(shadow->system_calls[i].frames.items);
    pending_free(&shadow->waiting);
    entry_set_free(&shadow->entries);
    free(shadow);
}

// --- Exceptions ----------------------------------------------------------------------------------

static bool take_branch_to(struct shadow_stack *shadow, const struct transfer *transfer);

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

static struct pending_branch pending_of(const struct frame *exception)
{
    return (struct pending_branch){(enum branch_kind)exception->pending, exception->from,
                                   exception->after};
}

// An exception has returned to where the branch before it went.
static bool take_pending(struct shadow_stack *shadow, const struct transfer *transfer,
                         const struct pending_branch *pending)
{
    struct transfer there = *transfer;
    if (pending->kind == BRANCH_NONE || is_same_pc(transfer_pc(transfer), pending->next))
        return true;
    there.from = (struct branch){.kind = pending->kind,
                                 .pc = pending->from,
                                 .next = pending->next,
                                 .target = transfer_pc(transfer)};
    there.is_exception = there.is_link_new = false;
    there.changes_world = transfer->enters_gate;
    return take_branch_to(shadow, &there);
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

// The same, to continue what it interrupted.
static bool return_from_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = task_find_exception(shadow_task(shadow));
    if (index == NO_FRAME)
        return true;
    const struct pending_branch pending = pending_of(&shadow_task(shadow)->frames.items[index]);
    return shadow_pop_from(shadow, transfer, index, 0) &&
           take_pending(shadow, transfer, &pending) && shadow_follow_image(shadow, transfer);
}

// Leaves an exception to continue another task. Where there is none, a function that the task has
// called continues the other as exceptions do, and the task waits for it to return.
static bool suspend_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    if (index == NO_FRAME)
        return shadow_suspend_in_call(shadow, transfer);
    uint64_t pc = task->frames.items[index].return_address, sp = task->frames.items[index].sp;
    task->pending = pending_of(&task->frames.items[index]);
    // The suspension closes the frames outside, so they need not be reopened.
    return end_exception(shadow, transfer) && shadow_suspend(shadow, transfer, pc, sp);
}

// Whether an exception returns to another task, which begins on the stack of the interrupted one:
// at its upper end, and where that one was not.
static bool begins_anew(struct shadow_stack *shadow, const struct frame *exception,
                        const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    const struct frame *root = task->frames.items;
    uint64_t sp = transfer->sp_there;
    if (shadow->exceptions->has_one_stack && exception->sp == sp)
        return false;
    return root->how & CALL_TASK && is_known(sp) && is_known(root->sp) && sp >= root->sp &&
           sp <= task->sp_high &&
           !shadow_may_continue(shadow, task, exception->sp, exception->return_address, sp,
                                transfer_pc(transfer));
}

// --- Tasks with keys -----------------------------------------------------------------------------

// Whether a function of an image begins at an address.
static bool begins_function(const struct shadow_stack *shadow, uint64_t pc)
{
    return shadow_is_in_image(shadow, pc) && is_same_pc(shadow_entry_by_image(shadow, pc), pc);
}

// The frame of the signal handler that ends where control goes to `sp`, of the first `below`; or
// NO_FRAME.
static size_t find_signal(const struct task *task, size_t below, uint64_t sp)
{
    while (below && !(task->frames.items[below - 1].is_signal &&
                      task->frames.items[below - 1].sp_inside == sp))
        below--;
    return below ? below - 1 : NO_FRAME;
}

// Keeps the callers of a system call, in case that it forks.
static bool note_system_call(struct shadow_stack *shadow, uint64_t pc, uint64_t sp)
{
    const struct task *task = shadow_task(shadow);
    size_t count = task->frames.count, at = 0;
    // Whether tasks have keys is not known before the first ones have returned.
    bool may_fork = task->has_key || shadow->system_call_count < SYSTEM_CALLS_KEPT;
    if (!may_fork || task->exceptions || !count || count > CALLERS_KEPT || !is_known(sp))
        return true;
    while (at < SYSTEM_CALLS_KEPT &&
           !(shadow->system_calls[at].pc == pc && shadow->system_calls[at].sp == sp &&
             shadow->system_calls[at].has_key == task->has_key &&
             shadow->system_calls[at].key == task->key))
        at++;
    if (at == SYSTEM_CALLS_KEPT)
        at = shadow->system_call_count % SYSTEM_CALLS_KEPT;
    struct system_call *kept = &shadow->system_calls[at];
    kept->frames.count = 0;
    if (!VEC_ROOM(&kept->frames, count))
        return false;
    memcpy(kept->frames.items, task->frames.items, count * sizeof *task->frames.items);
    kept->frames.count = count;
    kept->pc = pc;
    kept->sp = sp;
    kept->key = task->key;
    kept->has_key = task->has_key;
    kept->number = ++shadow->system_call_count;
    return true;
}

// The last system call in which another task may have forked the current one, which goes to its
// program for the first time: it returns from it as well, or goes to the handler of a signal (with
// a stack pointer below). `pc` is not known if an exception comes before its first instruction.
// NULL: there is none.
static struct system_call *find_fork(struct shadow_stack *shadow, uint64_t pc, uint64_t sp,
                                     bool is_signal)
{
    struct system_call *found = NULL;
    for (size_t i = 0; i < SYSTEM_CALLS_KEPT && is_known(sp); i++) {
        struct system_call *call = &shadow->system_calls[i];
        bool is_there = is_signal ? call->sp > sp && call->sp - sp < STACK_STEP_BYTES
                                  : call->sp == sp && (!is_known(pc) || is_same_pc(call->pc, pc));
        bool is_other = !call->has_key || call->key != shadow->key;
        if (call->number && is_other && is_there && (!found || call->number > found->number))
            found = call;
    }
    return found;
}

// Gives a task that goes to its program for the first time the callers of the one that forked it,
// whose stack it has in memory of its own. A thread has none.
static bool take_callers(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                         uint64_t sp)
{
    uint64_t entry = is_known(pc) ? shadow_entry_by_image(shadow, pc) : 0;
    bool is_handler = is_known(pc) && begins_function(shadow, pc);
    const struct system_call *fork = find_fork(shadow, pc, sp, false);
    bool is_signal = !fork && is_handler && (fork = find_fork(shadow, pc, sp, true));
    for (size_t i = 0; fork && i < fork->frames.count; i++) {
        struct frame copy = fork->frames.items[i];
        copy.site = transfer->previous;
        copy.entry = transfer->node;
        copy.how |= CALL_RESUMED;
        copy.is_guess |= is_signal;
        if (!shadow_push_open(shadow, &copy))
            return false;
    }
    if (fork && !is_signal)
        return true;
    if (!shadow_push(shadow, transfer, entry, sp, ADDRESS_UNKNOWN, fork ? 0 : CALL_TASK))
        return false;
    struct frame *top = task_top(shadow_task(shadow));
    top->is_signal = is_signal;
    top->sp_inside = fork ? fork->sp : ADDRESS_UNKNOWN;
    if (is_signal)
        shadow_note_guess(shadow, transfer);
    return true;
}

// A task whose key is known goes to its program: for the first time, or to another program, which
// begins without a return address.
static bool begin_program(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                          uint64_t sp, bool is_first)
{
    if (shadow_task(shadow)->frames.count && !shadow_pop_from(shadow, transfer, 0, CALL_LEFT))
        return false;
    return is_first ? take_callers(shadow, transfer, pc, sp)
                    : shadow_push(shadow, transfer, pc, sp, ADDRESS_UNKNOWN, CALL_TASK);
}

// An exception of a task whose key is known returns: no other task runs then, wherever it goes.
// *is_done: it went to a handler of a signal, or from there back, or to another program.
static bool leave_keyed(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                        uint64_t sp, bool *is_done)
{
    struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    *is_done = true;
    if (index == NO_FRAME)
        return begin_program(shadow, transfer, pc, sp, true);
    const struct frame ended = task->frames.items[index];
    if (!is_known(sp) || !is_known(ended.sp) || ended.sp == sp || !is_known(pc)) {
        *is_done = false;
        return true;
    }
    size_t signal = find_signal(task, index, sp);
    if (signal != NO_FRAME) {
        const struct pending_branch pending = pending_of(&task->frames.items[signal]);
        return shadow_pop_from(shadow, transfer, signal, 0) &&
               take_pending(shadow, transfer, &pending) && shadow_follow_image(shadow, transfer);
    }
    bool is_entry = begins_function(shadow, pc);
    *is_done = !is_same_pc(ended.return_address, pc) || (is_entry && sp < ended.sp);
    if (!*is_done)
        return true;
    if (!transfer->link)
        return begin_program(shadow, transfer, pc, sp, false);
    if (sp > ended.sp && !is_entry) // from a handler that began before the trace
        return end_exception(shadow, transfer) && shadow_pop_passed(shadow, transfer, sp - 1) &&
               shadow_follow_image(shadow, transfer);
    if (!end_exception(shadow, transfer) || !entry_set_add(&shadow->entries, pc & ~UINT64_C(1)) ||
        !shadow_push(shadow, transfer, pc, sp, ended.return_address, 0))
        return false;
    struct frame *handler = task_top(shadow_task(shadow));
    handler->is_signal = true;
    handler->sp_inside = ended.sp;
    handler->pending = ended.pending;
    handler->from = ended.from;
    handler->after = ended.after;
    return true;
}

// The handler of a signal returns: to code that ends it by a system call, and is in its place until
// then.
static bool return_from_signal(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame ended = *task_top(shadow_task(shadow));
    if (!shadow_pop(shadow, transfer, CALL_TAIL_EXIT) ||
        !shadow_push(shadow, transfer, transfer_pc(transfer), ended.sp, ended.return_address,
                     CALL_TAIL_ENTRY))
        return false;
    struct frame *top = task_top(shadow_task(shadow));
    top->is_signal = true;
    top->is_guess = ended.is_guess;
    top->sp_inside = ended.sp_inside;
    top->pending = ended.pending;
    top->from = ended.from;
    top->after = ended.after;
    return true;
}

// The task that has the key of the running one, which continues at a place; NO_TASK: it has not run
// yet.
static size_t find_next(struct shadow_stack *shadow, uint64_t pc, uint64_t sp)
{
    size_t to = shadow_find_by_key(shadow, sp);
    const uint32_t waiting = to == NO_TASK && is_known(sp) && shadow->waiting.count
                                 ? pending_find(&shadow->waiting, sp, pc_key(pc))
                                 : PENDING_NONE;
    if (waiting != PENDING_NONE && shadow->tasks.items[waiting].has_key &&
        shadow->tasks.items[waiting].key == KEY_UNSEEN) { // now it is seen
        to = waiting;
        shadow->tasks.items[to].key = shadow->tasks.items[to].named_key = shadow->key;
    }
    struct task *next = to == NO_TASK ? NULL : &shadow->tasks.items[to];
    const bool begins = next && shadow->key_kind == KEY_OF_KERNEL && begins_function(shadow, pc) &&
                        !is_same_pc(next->resume_pc, pc);
    if (!next ||
        (!begins && shadow_may_continue(shadow, next, next->resume_sp, next->resume_pc, sp, pc)))
        return to;
    // It was left where an interrupt was not seen to return: another one would be at the upper end
    // of the stack, or on another.
    const struct frame *root = next->frames.items;
    if (shadow_has_variable_key(shadow) && next->frames.count && is_known(root->sp) &&
        sp < root->sp && sp >= next->sp_low)
        return to;
    shadow_forget(shadow, to); // another one has the descriptor of one that has ended
    next->has_key = false;
    return NO_TASK;
}

// The exception that has interrupted a task at a place; NO_FRAME. Where the task continues there,
// all that came after it is over: a handler went on to a scheduler, which was interrupted in turn.
static size_t find_interrupted(const struct task *task, uint64_t pc, uint64_t sp)
{
    size_t index = task->exceptions ? task->frames.count : 0;
    for (; index; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        if (frame->how & CALL_EXCEPTION && is_known(sp) && frame->sp == sp &&
            is_same_pc(frame->return_address, pc))
            return index - 1;
    }
    return NO_FRAME;
}

// Ends an exception, and all that came after it, where the task continues.
static bool continue_interrupted(struct shadow_stack *shadow, const struct transfer *transfer,
                                 size_t index)
{
    const struct pending_branch pending = pending_of(&shadow_task(shadow)->frames.items[index]);
    return shadow_pop_from(shadow, transfer, index, 0) && take_pending(shadow, transfer, &pending);
}

// A task with a key, which was resumed, continues: in a call of the routine that switches, in an
// exception that another way out of it ends, or where an exception has interrupted it.
static bool continue_at(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    const struct task *task = shadow_task(shadow);
    size_t interrupted = find_interrupted(task, pc, sp), returned = find_returned(task, pc, sp);
    bool is_there = task->resume_sp == sp && is_same_pc(task->resume_pc, pc);
    if (interrupted != NO_FRAME)
        return continue_interrupted(shadow, transfer, interrupted);
    if (returned != NO_FRAME)
        return shadow_pop_from(shadow, transfer, returned, 0);
    const struct pending_branch pending = task->pending;
    return take_pending(shadow, transfer, &pending) &&
           // Frames with SP itself may be where it stopped.
           shadow_pop_passed(shadow, transfer, is_there ? sp - 1 : sp);
}

// Control went, with another stack, to where the running task has another key than the current one.
static bool switch_by_key(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    size_t to = find_next(shadow, pc, sp);
    if (!shadow_suspend_in_call(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, pc, sp);
    if (!shadow_resume(shadow, transfer, to))
        return false;
    return continue_at(shadow, transfer);
}

// --- Returns from exceptions ---------------------------------------------------------------------

// An exception returns to the running task, which has another key than the current one.
static bool leave_for_key(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    size_t to = find_next(shadow, pc, sp);
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, pc, sp);
    if (!shadow_resume(shadow, transfer, to))
        return false;
    return continue_at(shadow, transfer) && shadow_follow_image(shadow, transfer);
}

// Whether an exception return goes to a task with another key than the current one, rather than to
// what the exception interrupted after the key was written.
static bool leaves_by_key(const struct shadow_stack *shadow, const struct frame *frame,
                          const struct transfer *transfer)
{
    if (LIKELY(!shadow_has_other_key(shadow)) || shadow->key_kind == KEY_OF_KERNEL)
        return false;
    if (shadow_has_space_key(shadow))
        return transfer->enters_user;
    bool is_there = frame && is_known(frame->sp) && frame->sp == transfer->sp_there &&
                    is_same_pc(frame->return_address, transfer_pc(transfer));
    return !is_there && !(frame && frame->is_nested);
}

static uint64_t table_of(const struct shadow_stack *shadow, uint64_t pc)
{
    return pc - pc % shadow->exceptions->table_bytes;
}

// Whether a silent exception came after a return or an indirect jump, which did not go where it
// should: to the handler of other exceptions; or, as long as there were none, a return with the
// right stack pointer to the beginning of a function.
static bool is_silent_exception(struct shadow_stack *shadow, const struct frame *top,
                                const struct transfer *transfer)
{
    const uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    if (LIKELY(!shadow->exceptions->are_silent) || pc % shadow->exceptions->vector_bytes != 0 ||
        transfer->is_overtaken) // where control went before an exception: it cannot be another
        return false;
    if (is_known(shadow->vectors))
        return table_of(shadow, pc) == shadow->vectors &&
               !(top && shadow_function_at(shadow, top, pc) == FUNCTION_SAME);
    return transfer->from.kind == BRANCH_RETURN && top && is_known(sp) && top->sp == sp &&
           is_known(top->return_address) && shadow_is_in_image(shadow, pc) &&
           is_same_pc(shadow_entry_by_image(shadow, pc), pc) &&
           shadow_find_waiting(shadow, sp, pc) == NO_TASK;
}

// The exception that ends here was silent, and came just after a call by a pointer: it was taken
// for that call. (After other instructions it was recognized.) Its handler is known as that of
// other exceptions, or else by the stack pointer, which is what it was at its entry. It becomes an
// exception, which returns to where the call went.
static void find_silent_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    const size_t outer = task_find_exception(task), count = task->frames.count;
    size_t end = outer == NO_FRAME ? 0 : outer + 1, found = NO_FRAME;
    end = u64_max(end, task->live);
    end = u64_max(end, count > SILENT_FRAMES ? count - SILENT_FRAMES : 0);
    for (size_t index = count; index > end; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        const bool is_like_others = table_of(shadow, frame->pc) == shadow->vectors;
        const bool may_be = outer == NO_FRAME && found == NO_FRAME && !transfer->changes_mode &&
                            is_known(frame->sp) && frame->sp == transfer->sp_there;
        if (frame->how & CALL_TASK || !(is_like_others || may_be))
            continue;
        found = index - 1;
        if (is_like_others)
            break;
    }
    if (found == NO_FRAME)
        return;
    struct frame *handler = &task->frames.items[found];
    shadow->vectors = table_of(shadow, handler->pc);
    handler->pending = handler->how & CALL_TAIL_ENTRY ? BRANCH_NONE : BRANCH_CALL;
    handler->after = handler->return_address;
    handler->sp_inside = handler->sp;
    handler->return_address = ADDRESS_UNKNOWN;
    if (handler->how & CALL_TAIL_ENTRY) // what it came after is gone
        handler->sp = ADDRESS_UNKNOWN;
    handler->how |= CALL_EXCEPTION;
    task->exceptions++;
}

// A task, which was resumed, continues where an exception has interrupted it, or, if it waits for a
// call to return, there.
static bool continue_left(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    const struct task *task = shadow_task(shadow);
    const struct frame *top = task_top(task);
    const struct pending_branch pending = task->pending;
    const size_t interrupted = find_interrupted(task, pc, sp);
    bool is_there = task->resume_sp == sp && is_same_pc(task->resume_pc, pc);
    if (interrupted != NO_FRAME)
        return continue_interrupted(shadow, transfer, interrupted);
    if (is_there && !pending.kind && top && top->sp == sp && is_same_pc(top->return_address, pc))
        return shadow_pop(shadow, transfer, 0);
    return take_pending(shadow, transfer, &pending) &&
           // Frames with SP itself may be where it stopped.
           shadow_pop_passed(shadow, transfer, sp - 1);
}

// An exception return, to the interrupted code or to another task.
static bool leave_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    bool is_done = false;
    if (shadow->exceptions->are_silent)
        find_silent_exception(shadow, transfer);
    if (UNLIKELY(shadow_has_key(shadow)) && shadow->key_kind == KEY_OF_KERNEL) {
        if (!leave_keyed(shadow, transfer, pc, sp, &is_done))
            return false;
        return is_done || return_from_exception(shadow, transfer);
    }
    size_t index = task_find_exception(task);
    const struct frame *frame = index == NO_FRAME ? NULL : &task->frames.items[index];
    if (UNLIKELY(leaves_by_key(shadow, frame, transfer)))
        return leave_for_key(shadow, transfer);
    if (UNLIKELY(shadow_has_space_key(shadow)) && transfer->enters_user && !frame &&
        !task->has_key && shadow->current)
        return begin_program(shadow, transfer, pc, sp, true); // it was begun in the kernel
    bool is_its_stack = frame && !frame->is_nested && begins_anew(shadow, frame, transfer);
    bool has_its_key = shadow_has_variable_key(shadow) && shadow_has_key(shadow);
    if (frame && !is_its_stack &&
        (frame->is_nested || has_its_key || !is_known(sp) || frame->sp == sp ||
         !is_known(frame->sp)))
        return return_from_exception(shadow, transfer);
    size_t to = shadow_find_waiting(shadow, sp, pc);
    if (to == NO_TASK)
        to = shadow_find_stopped(shadow, sp, pc);
    // Stacks of tasks can be next to each other, but not their program counters.
    bool goes_back =
        frame && (!is_known(frame->return_address) || is_same_pc(frame->return_address, pc));
    if (to == NO_TASK && goes_back && !is_its_stack && !shadow->exceptions->has_one_stack &&
        is_near(frame->sp, sp, frame->is_of_m ? 256 : 1024))
        return return_from_exception(shadow, transfer);
    size_t left = shadow->current;
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK) {
        if (is_its_stack)
            shadow_forget(shadow, left);
        return shadow_begin_task(shadow, transfer, pc, sp);
    }
    return shadow_resume(shadow, transfer, to) && continue_left(shadow, transfer) &&
           shadow_follow_image(shadow, transfer);
}

// The return address of an exception: shown, or from the link register and the vector; or
// ADDRESS_UNKNOWN.
static uint64_t resume_of_exception(const struct shadow_stack *shadow,
                                    const struct transfer *transfer)
{
    uint8_t distance = shadow->exceptions->link_distances[transfer_pc(transfer) / 4 % 8];
    if (is_known(transfer->resume) || !is_known(transfer->link) || !transfer->is_link_new ||
        !distance || transfer->link >= shadow->exceptions->link_first)
        return transfer->resume;
    return transfer->link - distance;
}

// The task that waits where an exception returns to, at whose target another one occurs at once. In
// *sp: its stack pointer, that of the old mode or that of tasks.
static size_t find_before_exception(const struct shadow_stack *shadow,
                                    const struct transfer *transfer, uint64_t pc, uint64_t *sp)
{
    size_t to = shadow_find_waiting(shadow, transfer->sp_left, pc);
    *sp = transfer->sp_left;
    if (to != NO_TASK || !is_known(transfer->sp_user))
        return to;
    *sp = transfer->sp_user;
    return shadow_find_waiting(shadow, transfer->sp_user, pc);
}

// The same, in a task that had stopped or that begins, `to`: it goes on where it was left, so that
// the next exception finds it there.
static bool resume_before_exception(struct shadow_stack *shadow, const struct transfer *transfer,
                                    size_t to, uint64_t pc, uint64_t sp)
{
    struct transfer there = *transfer;
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, is_known(pc) ? pc : 0, sp);
    if (!shadow_resume(shadow, transfer, to))
        return false;
    if (!is_known(pc))
        return true;
    there.from.target = pc;
    there.sp_there = sp;
    there.is_exception = there.is_link_new = there.changes_world = there.opens_frame = false;
    there.is_overtaken = true;
    return continue_left(shadow, &there);
}

// An exception returns, and at its target another one occurs at once. Only the stack pointer, and
// where the second one returns to, tell which task that is in.
static bool leave_before_exception(struct shadow_stack *shadow, const struct transfer *transfer,
                                   uint64_t *resume_pc, uint64_t *sp)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task), to = NO_TASK;
    const struct frame *frame = index == NO_FRAME ? NULL : &task->frames.items[index];
    bool is_of_user = frame && frame->is_of_user && task->exceptions <= 1;
    *resume_pc = frame ? frame->return_address : ADDRESS_UNKNOWN;
    *sp = is_of_user && !shadow->exceptions->has_one_stack ? transfer->sp_user : *sp;
    if (UNLIKELY(shadow_has_key(shadow)) && shadow->key_kind == KEY_OF_KERNEL) {
        bool is_done = false;
        *sp = is_of_user || !frame ? transfer->sp_user : *sp;
        *resume_pc = is_known(transfer->resume) ? transfer->resume : *resume_pc;
        if (!leave_keyed(shadow, transfer, *resume_pc, *sp, &is_done))
            return false;
        return is_done || end_exception(shadow, transfer);
    }
    uint64_t pc = resume_of_exception(shadow, transfer), there = *sp;
    bool has_its_key = shadow_has_variable_key(shadow) && shadow_has_key(shadow);
    bool stays = is_of_user ? !is_known(*sp) || frame->sp == *sp
                            : !is_known(pc) || (frame && frame->sp == *sp &&
                                                is_same_pc(frame->return_address, pc));
    if (stays || (frame && has_its_key))
        return end_exception(shadow, transfer);
    if (is_known(pc))
        to = is_of_user ? shadow_find_waiting(shadow, *sp, pc)
                        : find_before_exception(shadow, transfer, pc, &there);
    if (to == NO_TASK && shadow_has_variable_key(shadow) && shadow_has_other_key(shadow))
        to = find_next(shadow, pc, there);
    if (to == NO_TASK && frame && !is_of_user) // nobody waits there
        return end_exception(shadow, transfer);
    if (to == NO_TASK)
        to = shadow_find_stopped(shadow, there, pc);
    *sp = there;
    *resume_pc = to != NO_TASK && !is_known(pc) ? shadow->tasks.items[to].resume_pc : pc;
    return resume_before_exception(shadow, transfer, to, pc, there);
}

// Applies the branch before an exception, as far as its encoding and the exception's return address
// tell where it went. Returns this address in *resume_pc, and its SP; in *pending, the kind of a
// branch whose target only the return from the exception will show.
static bool take_branch_before(struct shadow_stack *shadow, const struct transfer *transfer,
                               uint64_t *resume_pc, uint64_t *sp, enum branch_kind *pending)
{
    const struct branch *from = &transfer->from;
    const struct frame *top = task_top(shadow_task(shadow));
    uint64_t target = resume_of_exception(shadow, transfer);
    switch (from->kind) {
    case BRANCH_NONE:
    case BRANCH_EXCEPTION:
        *resume_pc = from->next;
        return true;
    case BRANCH_LEAVES:
        return leave_before_exception(shadow, transfer, resume_pc, sp);
    case BRANCH_RETURN:
        if (!is_known(target) && top)
            target = top->return_address;
        break;
    case BRANCH_CALL:
    case BRANCH_JUMP:
        if (is_known(from->target) && !from->is_conditional)
            target = from->target;
        break;
    case BRANCH_INDIRECT:
        break;
    }
    *resume_pc = target;
    if (!is_known(target)) {
        *pending = from->kind;
        return true;
    }
    if (is_same_pc(target, from->next))
        return true;
    struct transfer there = *transfer;
    there.from.target = target;
    there.sp_there = transfer->sp_left;
    there.is_exception = there.is_link_new = there.changes_world = there.opens_frame = false;
    there.is_overtaken = true;
    return take_branch_to(shadow, &there);
}

// Whether `process` is PSP after an exception that came at `sp`.
static bool is_stacked_at(const struct shadow_stack *shadow, uint64_t sp, uint64_t process)
{
    const struct exception_rules *rules = shadow->exceptions;
    return is_known(sp) && sp >= process && sp - process >= rules->stacked_bytes &&
           sp - process <= rules->stacked_most_bytes;
}

// SP of the task that an exception interrupted, whose registers the machine has put at PSP.
static uint64_t before_stacking(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct exception_rules *rules = shadow->exceptions;
    return transfer->sp_user + (transfer->link & rules->link_without_fp
                                    ? rules->stacked_bytes
                                    : rules->stacked_with_fp_bytes);
}

// Whether an exception interrupted a task, by LR in its handler, with PSP known.
static bool is_from_task(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct exception_rules *rules = shadow->exceptions;
    const uint32_t to_task = rules->link_to_process | rules->link_to_thread;
    return exception_link(rules, transfer->link) && (transfer->link & to_task) == to_task &&
           is_known(transfer->sp_user);
}

// Whether another task begins on the stack of one, where that one has begun: at its upper end.
static bool is_begun_on(const struct task *task, uint64_t sp)
{
    const struct frame *root = task->frames.count ? task->frames.items : NULL;
    return root && root->how & CALL_TASK && is_known(root->sp) && sp >= root->sp &&
           sp <= task->sp_high && is_known(task->resume_sp);
}

// The task whose registers were put at PSP when it was left: what an exception interrupts that is
// chained to the one that switches tasks. NO_TASK: one that has not run yet.
static size_t find_stacked(struct shadow_stack *shadow, uint64_t process, uint64_t sp)
{
    size_t found = NO_TASK;
    for (size_t i = 0; i < shadow->tasks.count; i++) {
        const struct task *task = &shadow->tasks.items[i];
        if (i != shadow->current && task->is_waiting && shadow_may_run(shadow, task) &&
            is_stacked_at(shadow, task->resume_sp, process) &&
            (found == NO_TASK || task->resume_sp < shadow->tasks.items[found].resume_sp))
            found = i;
    }
    if (found != NO_TASK)
        return found;
    found = shadow_find_stopped(shadow, sp, ADDRESS_UNKNOWN);
    if (found == NO_TASK || !is_begun_on(&shadow->tasks.items[found], sp))
        return found;
    shadow_forget(shadow, found); // it was left elsewhere
    return NO_TASK;
}

// An exception begins where one returns that has switched tasks: PSP says to which. *ended becomes
// how it interrupted that one.
static bool switch_before_chain(struct shadow_stack *shadow, const struct transfer *transfer,
                                struct frame *ended)
{
    uint64_t sp = before_stacking(shadow, transfer);
    size_t to = find_stacked(shadow, transfer->sp_user, sp), left = shadow->current;
    if (!suspend_exception(shadow, transfer))
        return false;
    if (to == NO_TASK && is_begun_on(&shadow->tasks.items[left], sp))
        shadow_forget(shadow, left);
    *ended = (struct frame){.sp = sp, .return_address = ADDRESS_UNKNOWN, .is_of_m = true};
    if (to == NO_TASK)
        return shadow_begin_task(shadow, transfer, 0, sp);
    if (!shadow_resume(shadow, transfer, to))
        return false;
    const struct task *task = shadow_task(shadow);
    ended->sp = task->resume_sp;
    ended->return_address = task->resume_pc;
    ended->pending = (uint8_t)task->pending.kind;
    ended->from = task->pending.from;
    ended->after = task->pending.next;
    return true;
}

// Opens the frame of an exception that begins at a transfer.
static bool push_exception(struct shadow_stack *shadow, const struct transfer *transfer,
                           uint64_t sp, uint64_t return_address)
{
    const bool is_interrupt =
        exception_is_interrupt(shadow->exceptions, transfer_pc(transfer), transfer->link,
                               transfer->from.kind == BRANCH_EXCEPTION);
    return (!is_interrupt || shadow_part_interrupt(shadow, transfer)) &&
           shadow_push(shadow, transfer, transfer_pc(transfer), sp, return_address,
                       CALL_EXCEPTION | (is_interrupt ? CALL_INTERRUPT : 0));
}

// An exception begins where another one returns (tail-chaining): it inherits the return address of
// that one, unless that one has switched tasks.
static bool chain_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    struct frame ended = task->frames.items[task_find_exception(task)];
    bool switches = ended.is_of_m && !ended.is_nested && is_from_task(shadow, transfer) &&
                    !is_stacked_at(shadow, ended.sp, transfer->sp_user);
    if (!(switches ? switch_before_chain(shadow, transfer, &ended)
                   : end_exception(shadow, transfer)) ||
        !push_exception(shadow, transfer, ended.sp, ended.return_address))
        return false;
    struct frame *top = task_top(shadow_task(shadow));
    top->is_of_user = ended.is_of_user;
    top->is_nested = ended.is_nested;
    top->is_of_m = ended.is_of_m;
    shadow_task(shadow)->handlers += top->is_of_m;
    shadow_task(shadow)->from_user += top->is_of_user;
    top->pending = ended.pending;
    top->after = ended.after;
    if (ended.pending)
        top->from = ended.from;
    return true;
}

// Whether an exception return went to a vector: nothing returns there, so another exception
// occurred at once, which the trace does not show.
static bool leaves_for_vector(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer);
    return transfer->from.kind == BRANCH_LEAVES && pc % shadow->exceptions->vector_bytes == 0 &&
           table_of(shadow, pc) == shadow->vectors;
}

static bool take_one_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t resume_pc = ADDRESS_UNKNOWN, sp = transfer->sp_left;
    shadow->vectors = table_of(shadow, transfer_pc(transfer));
    if (transfer->from.kind == BRANCH_RETURN && is_in_handler(shadow_task(shadow)))
        return chain_exception(shadow, transfer);
    enum branch_kind pending = BRANCH_NONE;
    if (!take_branch_before(shadow, transfer, &resume_pc, &sp, &pending) ||
        (transfer->from.kind == BRANCH_EXCEPTION && !note_system_call(shadow, resume_pc, sp)))
        return false;
    // A branch to the other security state came before it, or from it: SP was that of the other
    // one.
    if (UNLIKELY(transfer->from.kind != BRANCH_NONE) && is_from_task(shadow, transfer) &&
        is_known(sp) && !is_stacked_at(shadow, sp, transfer->sp_user))
        sp = before_stacking(shadow, transfer);
    if (!push_exception(shadow, transfer, sp, resume_pc))
        return false;
    struct frame *top = task_top(shadow_task(shadow));
    top->is_of_user =
        is_known(sp) && (sp == transfer->sp_user || shadow->exceptions->has_one_stack);
    top->is_of_m = exception_link(shadow->exceptions, transfer->link);
    top->is_nested = top->is_of_m && !(transfer->link & shadow->exceptions->link_to_thread);
    top->sp_inside = transfer->sp_there;
    shadow_task(shadow)->handlers += top->is_of_m;
    shadow_task(shadow)->from_user += top->is_of_user;
    top->pending = (uint8_t)pending;
    top->after = transfer->from.next;
    return true;
}

// Whether an exception was taken before the first instruction of another one, rather than in its
// place: its return address is there, or it returns to a handler.
static bool interrupts_entry(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (!transfer->is_exception || !transfer->entered || !is_known(transfer->entered) ||
        is_same_pc(transfer->entered, transfer_pc(transfer)))
        return false;
    return exception_link(shadow->exceptions, transfer->link)
               ? !(transfer->link & shadow->exceptions->link_to_thread)
               : is_same_pc(transfer->resume, transfer->entered);
}

static bool take_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (LIKELY(!interrupts_entry(shadow, transfer)))
        return take_one_exception(shadow, transfer);
    bool is_of_m = exception_link(shadow->exceptions, transfer->link),
         is_nested = shadow_task(shadow)->handlers > 0;
    struct transfer first = *transfer, second = *transfer;
    first.node.pc = (transfer->entered & ~UINT64_C(1)) | (transfer->node.pc & 1);
    first.resume = ADDRESS_UNKNOWN;
    first.is_link_new = is_of_m;
    // What the first one has put into LR is not known, but what matters of it is.
    if (is_of_m && !is_nested)
        first.link |= shadow->exceptions->link_to_thread;
    if (!take_one_exception(shadow, &first))
        return false;
    second.from =
        (struct branch){.pc = first.node.pc, .next = first.node.pc, .target = ADDRESS_UNKNOWN};
    second.sp_left = second.sp_user = ADDRESS_UNKNOWN; // it returns there whatever they are
    if (!take_one_exception(shadow, &second))
        return false;
    task_top(shadow_task(shadow))->from = first.node.pc;
    return true;
}

// Whether a branch by a register, other than LR, ended an exception of the M profile: it went from
// a handler to a thread.
static bool returns_to_thread(struct shadow_stack *shadow, const struct transfer *transfer)
{
    return UNLIKELY(transfer->changes_mode) && !transfer->changes_world &&
           transfer->from.kind == BRANCH_INDIRECT && shadow_task(shadow)->handlers;
}

// Whether control is still in an exception when it leaves its handler, with the stack as it was
// when the exception began, for a place where nobody waits: for a trampoline to or from vectors
// elsewhere (Linux with KPTI).
static bool stays_in_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    if (LIKELY(index == NO_FRAME) || index + 1 == task->frames.count || transfer->changes_mode)
        return false;
    const struct frame *exception = &task->frames.items[index];
    uint64_t pc = transfer_pc(transfer), sp = transfer->sp_there;
    return !exception->is_of_m && is_known(sp) && exception->sp_inside == sp &&
           is_known(exception->return_address) && !is_same_pc(exception->return_address, pc) &&
           find_returned(task, pc, sp) == NO_FRAME &&
           shadow_find_waiting(shadow, sp, pc) == NO_TASK;
}

// Replaces the handler of an exception, and what it has called.
static bool replace_handler(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = task_find_exception(shadow_task(shadow));
    uint64_t back = shadow_task(shadow)->frames.items[index].return_address;
    return shadow_pop_from(shadow, transfer, index + 1, CALL_TAIL_EXIT) &&
           shadow_push(shadow, transfer, shadow_entry_by_image(shadow, transfer_pc(transfer)),
                       transfer->sp_there, back, CALL_TAIL_ENTRY);
}

// --- Branches ------------------------------------------------------------------------------------

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
        return come_back(shadow, transfer, gap_find_inside(shadow, pc, sp));
    bool is_own = top && is_known(top->sp) && sp >= top->sp && sp <= task->sp_high;
    size_t to = is_own ? NO_TASK : shadow_find_stopped(shadow, sp, pc);
    const struct frame *root = top ? task->frames.items : NULL;
    if (is_own && root->how & CALL_TASK && sp >= root->sp && is_known(root->sp) &&
        !shadow_was_inside(shadow, root, pc)) { // another task begins on the same stack
        size_t left = shadow->current;
        if (!shadow_suspend_in_call(shadow, transfer))
            return false;
        shadow_forget(shadow, left);
        return shadow_begin_task(shadow, transfer, transfer_pc(transfer), sp);
    }
    if (is_own || (to == NO_TASK && (!top || !is_known(top->sp))))
        return shadow_pop_passed(shadow, transfer, sp);
    size_t inside = to == NO_TASK ? gap_find_inside(shadow, pc, ADDRESS_UNKNOWN) : NO_FRAME;
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

// Whether a return goes to a task with another key than the current one. In a handler, a function
// may move the stack pointer for its caller (to the stack of a scheduler, where no task has the
// key).
static bool returns_by_key(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    const struct frame *top = task_top(task);
    if (LIKELY(!shadow_has_other_key(shadow)) || shadow_has_space_key(shadow) ||
        !is_known(transfer->sp_there))
        return false;
    if (shadow->key_kind == KEY_OF_KERNEL)
        return true;
    bool may_be_own =
        task->exceptions && top && is_same_pc(top->return_address, transfer_pc(transfer));
    return !is_in_handler(task) &&
           !(may_be_own &&
             shadow_find_waiting(shadow, transfer->sp_there, transfer_pc(transfer)) == NO_TASK);
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
    if (UNLIKELY(top && top->is_signal && top->sp == sp))
        return return_from_signal(shadow, transfer);
    if (UNLIKELY(is_silent_exception(shadow, top, transfer)))
        return take_exception(shadow, transfer);
    if (UNLIKELY(returns_by_key(shadow, transfer)))
        return switch_by_key(shadow, transfer);
    if (UNLIKELY(stays_in_exception(shadow, transfer)))
        return replace_handler(shadow, transfer);
    // On the M profile: EXC_RETURN, for another task. If lines are missing, assume no task switch.
    if (!shadow->had_gap && is_in_handler(task))
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
    index = gap_find_returned(shadow, pc, sp);
    if (index != NO_FRAME)
        return shadow_pop_from(shadow, transfer, index, 0);
    if (top && transfer->is_link_new && gap_is_soon_after(transfer->link, top->return_address))
        return shadow_pop(shadow, transfer, 0) && take_lost_call(shadow, transfer, pc);
    if (!shadow->had_gap && is_inside_top(shadow, transfer))
        return true; // a long jump to the function itself
    uint64_t dropped = shadow->counts.dropped;
    size_t current = shadow->current;
    bool has_memory = go_elsewhere(shadow, transfer);
    shadow->counts.unmatched += shadow->counts.dropped == dropped && shadow->current == current;
    return has_memory && shadow_follow_image(shadow, transfer);
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
    bool crosses_world = top->crosses_world;
    if (!shadow_pop(shadow, transfer, CALL_TAIL_EXIT) ||
        !shadow_push(shadow, transfer, entry,
                     is_known(sp_at_entry) || crosses_world ? sp_at_entry : sp, return_address,
                     how))
        return false;
    task_top(shadow_task(shadow))->crosses_world = crosses_world;
    return true;
}

// Whether control left an exception's vector for its handler. Vectors of A32 have room for a
// branch, which then comes first.
static bool leaves_vector(struct shadow_stack *shadow, const struct frame *frame,
                          const struct transfer *transfer)
{
    const uint64_t pc = transfer_pc(transfer), bytes = shadow->exceptions->vector_bytes;
    if (shadow_image_says(shadow, frame, pc & ~UINT64_C(1)) == IMAGE_SAME)
        return false;
    return transfer->previous.event == frame->entry.event ||
           (frame->pc % bytes == 0 && (pc < frame->pc || pc - frame->pc >= bytes) &&
            transfer->previous.pc - frame->pc < bytes);
}

// Whether control left the function of a frame for another. If images have both, they decide. Most
// other functions were called before; the rest is recognized by a function that lies in between. A
// function lies after its entry, or also directly before it if images show no other function there.
static bool is_other_function(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc,
                              uint64_t origin)
{
    if (!frame) // images may show that the outermost function loops to its beginning
        return entry_set_has(&shadow->entries, pc) &&
               (!shadow_is_in_image(shadow, pc) || shadow_entry_by_image(shadow, origin) != pc);
    enum function_at at = shadow_function_at(shadow, frame, pc);
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
    size_t index = gap_find_inside(shadow, pc, transfer->sp_there);
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
           is_other_function(shadow, task_top(task), transfer_pc(transfer) & ~UINT64_C(1),
                             transfer->from.pc & ~UINT64_C(1));
}

static bool take_jump(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = task_top(shadow_task(shadow));
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    if (LIKELY(top) && stays_inside(shadow, top, transfer, pc))
        return true;
    if (returns_to_thread(shadow, transfer))
        return leave_exception(shadow, transfer);
    const struct function_map *given = shadow->entries.given;
    bool has_left_stack = !top || is_at_entry(top, transfer);
    if (top && transfer->from.kind == BRANCH_INDIRECT && is_same_pc(top->return_address, pc))
        return take_return(shadow, transfer);
    if (transfer->from.kind == BRANCH_INDIRECT && is_silent_exception(shadow, top, transfer))
        return take_exception(shadow, transfer);
    // A linker's veneer to the other security state, whose stack is another: SP says nothing.
    if (top && !(top->how & CALL_EXCEPTION) && UNLIKELY(transfer->changes_world)) {
        top->crosses_world = true;
        top->sp = ADDRESS_UNKNOWN;
        return entry_set_add(&shadow->entries, pc) &&
               take_tail_call(shadow, transfer, transfer_pc(transfer));
    }
    if (has_left_stack && is_jump_out(shadow, transfer))
        return go_elsewhere(shadow, transfer);
    if (top && has_left_stack && shadow_enters_frame(given, top, transfer))
        return entry_set_add(&shadow->entries, pc) &&
               take_tail_call(shadow, transfer, transfer_pc(transfer));
    if (top && shadow_enters_known(shadow, top, transfer))
        return take_tail_call(shadow, transfer, transfer_pc(transfer));
    if (top && top->how & CALL_EXCEPTION && leaves_vector(shadow, top, transfer) &&
        !entry_set_add(&shadow->entries, pc))
        return false;
    if (top && top->how & CALL_EXCEPTION ? leaves_vector(shadow, top, transfer)
                                         : is_tail_call(shadow, transfer, has_left_stack))
        return (transfer->from.kind != BRANCH_INDIRECT || // pointers are to beginnings of functions
                entry_set_add(&shadow->entries, pc)) &&
               take_tail_call(shadow, transfer,
                              shadow_entry_by_image(shadow, transfer_pc(transfer)));
    if (transfer->from.kind == BRANCH_INDIRECT && top && is_known(sp) && is_known(top->sp) &&
        (sp > top->sp || shadow_find_waiting(shadow, sp, pc) != NO_TASK))
        return take_return(shadow, transfer);
    // Into the middle of another function, with any stack.
    if (top && !(top->how & CALL_EXCEPTION) && shadow_image_says(shadow, top, pc) == IMAGE_OTHER)
        return take_tail_call(shadow, transfer,
                              shadow_entry_by_image(shadow, transfer_pc(transfer)));
    if (top)
        top->high = u64_max(top->high, u64_max(pc, transfer->previous.pc));
    return true;
}

static bool take_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = task_top(shadow_task(shadow));
    if (top)
        top->high = u64_max(top->high, transfer->from.pc);
    bool crosses_world = transfer->changes_world;
    if (!entry_set_add(&shadow->entries, transfer_pc(transfer) & ~UINT64_C(1)) ||
        !shadow_push(shadow, transfer, transfer_pc(transfer),
                     UNLIKELY(crosses_world) ? ADDRESS_UNKNOWN : transfer->sp_there,
                     transfer->from.next, 0))
        return false;
    if (UNLIKELY(crosses_world))
        task_top(shadow_task(shadow))->crosses_world = true;
    return true;
}

// --- Gaps ---------------------------------------------------------------------------------------

// Applies the meaning of a gap.
static bool take_judged(struct shadow_stack *shadow, const struct transfer *transfer,
                        const struct gap *gap)
{
    switch (gap->kind) {
    case GAP_CALL:
        return take_lost_call(shadow, transfer, gap->entry);
    case GAP_TAIL_CALL:
        return take_tail_call(shadow, transfer, gap->entry);
    case GAP_RETURN:
        return shadow_pop_from(shadow, transfer, gap->frame, 0);
    case GAP_EXCEPTION:
        return take_exception(shadow, transfer);
    case GAP_UNCLEAR:
        shadow->gap = *transfer;
        shadow->has_gap = true;
        return true;
    case GAP_INSIDE:
        break;
    }
    return shadow_follow_image(shadow, transfer);
}

// Lines that were left out as damaged are reported as such.
static void note_gap(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (!transfer->is_gap)
        doubt_note(&shadow->counts.gaps, transfer->node.line);
}

static bool take_gap(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct gap gap = gap_judge(shadow, transfer);
    if (gap.kind != GAP_EXCEPTION) {
        shadow->had_gap = true;
        note_gap(shadow, transfer);
    }
    if (gap.kind == GAP_CALL && !entry_set_add(&shadow->entries, gap.entry & ~UINT64_C(1)))
        return false;
    if (!take_judged(shadow, transfer, &gap))
        return false;
    if (gap.kind == GAP_CALL)
        shadow_note_guess(shadow, transfer); // LR alone shows it
    return true;
}

static bool settle_gap(struct shadow_stack *shadow)
{
    const struct transfer transfer = shadow->gap;
    shadow->has_gap = false;
    const struct gap gap = gap_judge_late(shadow, &transfer);
    bool is_guess = gap.kind == GAP_CALL || gap.kind == GAP_TAIL_CALL;
    if (!take_judged(shadow, &transfer, &gap))
        return false;
    if (is_guess)
        shadow_note_guess(shadow, &transfer);
    return true;
}

// If only one instruction is at another place, its address was wrong: it is replaced by the
// expected one.
static struct transfer without_glitch(const struct shadow_stack *shadow,
                                      const struct transfer *transfer)
{
    struct transfer mended = *transfer;
    uint64_t distance = gap_expected(&shadow->gap.from) - transfer->from.pc;
    mended.from.pc += distance;
    mended.from.next += distance;
    if (is_known(mended.from.target))
        mended.from.target += distance;
    return mended;
}

static bool take_branch(struct shadow_stack *shadow, const struct transfer *transfer);

// Takes a transfer after one whose meaning was unclear.
static bool take_after_gap(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (transfer->falls_through || transfer->previous.event != shadow->gap.node.event)
        return settle_gap(shadow) && take_branch(shadow, transfer);
    const struct transfer mended = without_glitch(shadow, transfer);
    // Images say whether there are instructions at that place, and then they were executed.
    bool is_glitch = is_same_pc(mended.from.next, mended.node.pc) ||
                     is_same_pc(mended.from.target, mended.node.pc) ||
                     !shadow_is_in_image(shadow, shadow->gap.node.pc);
    if (!is_glitch)
        return settle_gap(shadow) && take_branch(shadow, transfer);
    shadow->has_gap = false;
    return is_same_pc(mended.from.next, mended.node.pc) || take_branch(shadow, &mended);
}

// --- Branches ------------------------------------------------------------------------------------

// Control went elsewhere than the target of a branch: taken as if it had gone to the target, and
// then gapped.
static bool take_gap_after_branch(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct transfer there = *transfer, rest = *transfer;
    uint64_t target = transfer->from.target;
    there.is_overtaken = true;
    rest.from = (struct branch){.pc = target, .next = target, .target = ADDRESS_UNKNOWN};
    bool is_call = transfer->from.kind == BRANCH_CALL;
    bool is_near = gap_is_soon_after(transfer->node.pc, target);
    if (!is_call && !is_near)
        return take_gap(shadow, transfer);
    if (is_near)
        note_gap(shadow, transfer);
    return (is_call ? take_call(shadow, &there) : take_jump(shadow, &there)) &&
           (is_near || take_gap(shadow, &rest));
}

// Whether an exception returns to an instruction like the one with which it does: the exception
// return of the outer exception, or the return of a function that both call.
static bool is_again(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task_find_exception(task);
    const enum branch_kind kind = transfer->from.kind;
    return (kind == BRANCH_LEAVES || kind == BRANCH_RETURN) && index != NO_FRAME &&
           is_same_pc(task->frames.items[index].return_address, transfer_pc(transfer));
}

// Whether a round of a loop ended without its last instruction.
static bool is_round_of_loop(const struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct loop *loop = &shadow->loop;
    uint64_t pc = transfer_pc(transfer);
    return loop->end && transfer->from.kind == BRANCH_NONE && !transfer->is_gap &&
           is_same_pc(transfer->from.next, loop->end) &&
           (is_same_pc(pc, loop->start) || is_same_pc(pc, loop->end + LOOP_END_BYTES));
}

// A branch that went to its target.
static bool take_branch_to(struct shadow_stack *shadow, const struct transfer *transfer)
{
    switch (transfer->from.kind) {
    case BRANCH_CALL:
        return take_call(shadow, transfer);
    case BRANCH_RETURN:
        return take_return(shadow, transfer);
    default:
        return is_same_pc(transfer->link, transfer->from.next) ? take_call(shadow, transfer)
                                                               : take_jump(shadow, transfer);
    }
}

// Control went on to another function without a branch, or by one to the next instruction.
static bool fall_through(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = task_top(shadow_task(shadow));
    const struct branch *from = &transfer->from;
    uint64_t pc = transfer_pc(transfer);
    if (from->kind == BRANCH_CALL && is_same_pc(from->target, pc))
        return take_call(shadow, transfer);
    if (top && shadow_image_says(shadow, top, pc & ~UINT64_C(1)) != IMAGE_OTHER)
        return true;
    return take_tail_call(shadow, transfer, shadow_entry_by_image(shadow, pc));
}

static bool take_branch(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    if (UNLIKELY(transfer->falls_through))
        return fall_through(shadow, transfer);
    if (UNLIKELY(is_exception(transfer)))
        return take_exception(shadow, transfer);
    if (UNLIKELY(is_same_pc(from->pc, transfer_pc(transfer))) && !is_again(shadow, transfer))
        return true; // a duplicate line, or a branch to itself
    if (UNLIKELY(is_gap(transfer)))
        return is_round_of_loop(shadow, transfer) ||
               (!is_known(from->target)              ? take_gap(shadow, transfer)
                : gap_is_exception(shadow, transfer) ? take_exception(shadow, transfer)
                                                     : take_gap_after_branch(shadow, transfer));
    if (UNLIKELY(from->ends_loop))
        shadow->loop = (struct loop){from->pc, transfer_pc(transfer)};
    switch (from->kind) {
    case BRANCH_CALL:
        if (UNLIKELY(transfer->changes_mode) && shadow->exceptions->are_silent)
            return take_exception(shadow, transfer); // no call changes the mode
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

// Takes a transfer that belongs to an event of its own.
static bool take_transfer(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct transfer of_instruction;
    if (UNLIKELY(transfer->previous.pc == NODE_WITHOUT_PC)) {
        // Calls come from, and end with, an instruction: an event after it belongs to it.
        of_instruction = *transfer;
        of_instruction.previous.pc = transfer_origin(transfer);
        transfer = &of_instruction;
    }
    return UNLIKELY(shadow->has_gap) ? take_after_gap(shadow, transfer)
                                     : take_branch(shadow, transfer);
}

static void give_key(struct shadow_stack *shadow)
{
    struct task *task = shadow_task(shadow);
    task->key = task->named_key = shadow->key;
    task->has_key = true;
}

// The key of the running task was shown before the transfer.
static void take_key(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    bool is_first = !shadow->key_kind;
    if (transfer->key_kind == KEY_OF_VECTORS) {
        // A chunk shows again what was shown before it.
        if (transfer->key != shadow->vectors_shown)
            shadow->vectors = table_of(shadow, transfer->key);
        shadow->vectors_shown = transfer->key;
        return;
    }
    if (transfer->key_kind < shadow->key_kind)
        return;
    // One that says more was found: what was known by the other is not known any more.
    for (size_t i = 0; i < shadow->tasks.count && transfer->key_kind != shadow->key_kind; i++) {
        shadow->tasks.items[i].has_key = false;
        shadow->tasks.items[i].named_key = 0;
    }
    shadow->key = transfer->key;
    shadow->key_kind = (enum task_key_kind)transfer->key_kind;
    // A variable that the kernel reads before it has written it is that of the current task, unless
    // there is none yet; what it writes first, as it starts, is not.
    const bool may_switch =
        transfer->from.kind == BRANCH_RETURN || transfer->from.kind == BRANCH_INDIRECT;
    bool is_own = shadow->key_kind == KEY_OF_KERNEL
                      ? !may_switch
                      : is_first && transfer->key_is_read && shadow->key;
    if (is_own && !task->has_key)
        give_key(shadow);
    // The first key is that of the task that is switched to: the current one has another.
    if (shadow->key_kind == KEY_OF_KERNEL && !is_own && !task->has_key) {
        task->has_key = true;
        task->key = KEY_UNSEEN;
    }
}

// After a transfer, the current task has the key of the running one: where the key is that of a
// variable, only if the transfer went to it.
static void settle_key(struct shadow_stack *shadow, const struct transfer *transfer, size_t before)
{
    const struct task *task = shadow_task(shadow);
    if (shadow_has_space_key(shadow)) {
        if (!transfer->enters_user)
            return;
        shadow->spaces_differ |= shadow->has_user_key && shadow->user_key != shadow->key;
        shadow->has_user_key = true;
        shadow->user_key = shadow->key;
        give_key(shadow);
    } else if (shadow->key_kind == KEY_OF_KERNEL ? !task->has_key : shadow->current != before) {
        give_key(shadow);
    }
}

// The innermost frame is of the function that control has come to, if images have both, whatever
// the transfer was taken for: so the self time of a function is what its code executed, always.
static bool match_image(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = task_top(shadow_task(shadow));
    if (!shadow->entries.given || !top || shadow->has_gap ||
        LIKELY(shadow_image_says(shadow, top, transfer_pc(transfer) & ~UINT64_C(1)) != IMAGE_OTHER))
        return true;
    if (!shadow_follow_image(shadow, transfer))
        return false;
    // That this is so is not only intended, but checked, and reports say where it is not.
    top = task_top(shadow_task(shadow));
    if (top && !shadow->has_gap &&
        shadow_image_says(shadow, top, transfer_pc(transfer) & ~UINT64_C(1)) == IMAGE_OTHER)
        doubt_note(&shadow->counts.misplaced, transfer->node.line);
    return true;
}

bool shadow_stack_transfer(struct shadow_stack *shadow, const struct transfer *transfer)
{
    shadow->counts.transfers += !transfer->falls_through;
    size_t before = shadow->current;
    if (UNLIKELY(transfer->key_kind))
        take_key(shadow, transfer);
    shadow->enters_user = transfer->enters_user;
    shadow->has_users |= transfer->enters_user;
    // At NO_TIME, and where times fall after it, several instructions can make one event.
    bool is_ignored =
        transfer->node.event == UINT64_MAX || transfer->node.event <= shadow->last_event;
    if (LIKELY(!is_ignored)) {
        shadow->last_event = transfer->node.event;
        if (!take_transfer(shadow, transfer) || !match_image(shadow, transfer))
            return false;
    }
    if (UNLIKELY(shadow->key_kind != KEY_NONE))
        settle_key(shadow, transfer, before);
    return LIKELY(shadow->runs_interrupt == (shadow_task(shadow)->interrupt > 0)) ||
           shadow_log_interrupt(shadow, transfer);
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
        bool is_named = shadow->key_kind != KEY_OF_SPACE_FOUND || shadow->spaces_differ;
        bool has_sp = shadow->tasks.count > 1 && task->sp_low <= task->sp_high;
        log->tasks.items[i] = (struct lane_task){
            .stack = i || !has_sp ? task->stack : task->sp_high,
            .stack_low = has_sp ? task->sp_low : ADDRESS_UNKNOWN,
            .entry = task->entry,
            .key = is_named ? task->named_key : 0,
            .calls = task->content,
        };
    }
    log->tasks.count = shadow->tasks.count;
    return task_log_add_interrupts(log, &shadow->interrupts);
}

bool shadow_stack_finish(struct shadow_stack *shadow, const struct node_ref *last,
                         struct call_content *outermost, struct call_counts *counts)
{
    if (shadow->has_gap && !settle_gap(shadow))
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
