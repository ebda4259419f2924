#include "flow/shadow_frames.h"

#include "base/limits.h"

#include <stdlib.h>

// How many frames of a task are reopened at once when it continues; outer ones follow when these
// have returned.
#define RESUMED_FRAMES 1024

// How many frames of a task that was switched out are asked whether it may continue in them.
#define SEARCH_STOPPED 64

bool shadow_add_task(struct shadow_stack *shadow)
{
    if (!VEC_ROOM(&shadow->tasks, 1))
        return false;
    shadow->tasks.items[shadow->tasks.count++] = (struct task){.sp_low = UINT64_MAX,
                                                               .stack = ADDRESS_UNKNOWN,
                                                               .entry = ADDRESS_UNKNOWN,
                                                               .resume_sp = ADDRESS_UNKNOWN,
                                                               .resume_pc = ADDRESS_UNKNOWN};
    return true;
}

// --- Frames --------------------------------------------------------------------------------------

struct call_content *shadow_around(struct shadow_stack *shadow, struct task *task, size_t index)
{
    if (LIKELY(index > task->live))
        return &task->frames.items[index - 1].content;
    if (UNLIKELY(task->interrupt))
        return &shadow->interrupts;
    return shadow->log && shadow->log->splits_calls ? &task->content : &shadow->outermost;
}

// More frames than this are kept in a spool, mostly outside of memory.
#define FRAMES_IN_MEMORY 65536

// This many frames in a spool may be used again soon.
#define FRAMES_AT_HAND (2 * FRAMES_IN_MEMORY)

// Makes room for another frame.
static NEVER_INLINE bool frames_room(struct task *task)
{
    size_t count = task->frames.count, wanted = count + FRAMES_IN_MEMORY;
    if (count < FRAMES_IN_MEMORY)
        return VEC_ROOM(&task->frames, 1);
    task->deep.used_bytes = task->deep.base ? count * sizeof(struct frame) : 0;
    if (!spool_reserve(&task->deep, wanted * sizeof(struct frame) - task->deep.used_bytes))
        return false;
    struct frame *frames = (struct frame *)(void *)task->deep.base;
    if (task->frames.items != frames) {
        memcpy(frames, task->frames.items, count * sizeof *frames);
        free(task->frames.items);
        task->frames.items = frames;
    }
    task->frames.capacity = wanted;
    if (count > FRAMES_AT_HAND)
        spool_leave(&task->deep, 0, (count - FRAMES_AT_HAND) * sizeof *frames);
    return true;
}

// Frees the memory of frames that ended.
static NEVER_INLINE void leave_ended(const struct task *task)
{
    spool_leave(&task->deep, (task->frames.count + FRAMES_IN_MEMORY) * sizeof(struct frame),
                UINT64_MAX);
}

void shadow_drop_top(struct task *task)
{
    task->exceptions -= (task_top(task)->how & CALL_EXCEPTION) != 0;
    task->handlers -= task_top(task)->is_of_m;
    task->from_user -= task_top(task)->is_of_user;
    task->frames.count--;
    if (UNLIKELY(task->frames.count % FRAMES_IN_MEMORY == 0) && task->deep.base)
        leave_ended(task);
    if (UNLIKELY(task->live > task->frames.count))
        task->live = task->frames.count;
    if (UNLIKELY(task->interrupt > task->frames.count))
        task->interrupt = 0;
}

void shadow_free_task(struct task *task)
{
    if (task->deep.base)
        spool_free(&task->deep);
    else
        free(task->frames.items);
}

static bool push_frame(struct task *task, const struct frame *frame)
{
    if (UNLIKELY(task->frames.count == task->frames.capacity) && !frames_room(task))
        return false;
    task->frames.items[task->frames.count++] = *frame;
    task->exceptions += (frame->how & CALL_EXCEPTION) != 0;
    return true;
}

bool shadow_push(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                 uint64_t sp, uint64_t return_address, unsigned how)
{
    struct task *task = shadow_task(shadow);
    // A tail call takes the place of another call.
    bool takes_place = how & CALL_TAIL_ENTRY && shadow->tail_from;
    const struct frame frame = {
        .site = transfer->previous,
        .entry = transfer->node,
        .began = transfer->node.event,
        .pc = pc,
        .from = takes_place ? shadow->tail_from : transfer->previous.pc,
        .high = pc,
        .sp = sp,
        .return_address = return_address,
        .how = (uint16_t)how,
    };
    shadow->tail_from = 0;
    // It counts for the range of its task, unless it is so far from all others that it must be on
    // another stack, such as that of interrupts.
    if (is_known(sp) && shadow_is_on_stack_of_task(shadow) && task_may_have_sp(task, sp))
        task_add_sps(task, sp, sp);
    return push_frame(task, &frame);
}

struct call_content *shadow_push_open(struct shadow_stack *shadow, const struct frame *frame)
{
    struct task *task = shadow_task(shadow);
    struct frame pushed = *frame;
    pushed.content = (struct call_content){0};
    return push_frame(task, &pushed) ? &task_top(task)->content : NULL;
}

// Reopens frames outside of those that have ended, if the innermost frame is not open.
static void reopen(struct task *task, const struct transfer *transfer)
{
    size_t count = task->frames.count;
    if (LIKELY(task->live < count) || !count)
        return;
    task->live = count > RESUMED_FRAMES ? count - RESUMED_FRAMES : 0;
    if (UNLIKELY(task->interrupt > task->live))
        task->live = task->interrupt - 1;
    for (size_t i = task->live; i < count; i++) {
        struct frame *frame = &task->frames.items[i];
        frame->site = transfer->previous;
        frame->entry = transfer->node;
        frame->content = (struct call_content){0};
        if (frame->pc && !frame->is_unbegun)
            frame->how |= CALL_RESUMED;
        else
            frame->began = transfer->node.event; // still before its first instruction
        frame->is_unbegun = false;
    }
}

// Reports frame `index`, the innermost live one, which ends before the transfer.
bool shadow_fold(struct shadow_stack *shadow, struct task *task, size_t index,
                 const struct node_ref *exit, const struct node_ref *resume, unsigned how)
{
    const struct frame *frame = &task->frames.items[index];
    struct call_content *into = shadow_around(shadow, task, index);
    bool is_open = exit == resume;
    if (frame->entry.event == exit->event + 1) // reopened, and left at once
        return shadow->consumer.merge(shadow->consumer.self, into, &frame->content);
    // A task that was interrupted before its first instruction, and again: it is called only when
    // that shows where it begins.
    const unsigned unseen = frame->pc ? 0 : CALL_GUESSED | CALL_RESUMED;
    if (unseen)
        doubt_note(&shadow->counts.guesses, frame->entry.line);
    if (shadow->returned_only && (is_open || how & CALL_LEFT) && index + 1 != task->interrupt)
        return shadow->consumer.merge(shadow->consumer.self, into, &frame->content);
    struct call call = {
        .site = frame->site,
        .entry = frame->entry,
        .began = frame->began,
        .exit = *exit,
        .resume = *resume,
        .from = frame->from,
        .exit_ticks = resume->time - exit->time,
        .how = (uint16_t)(frame->how | how | unseen | (frame->is_guess ? CALL_GUESSED : 0) |
                          (index + 1 == task->interrupt ? CALL_TASK : 0)),
        .is_open = is_open,
    };
    if (frame->pc)
        call.entry.pc = frame->pc;
    return shadow->consumer.fold(shadow->consumer.self, into, &call, &frame->content);
}

// Ends the innermost frame before the transfer.
bool shadow_pop(struct shadow_stack *shadow, const struct transfer *transfer, unsigned how)
{
    struct task *task = shadow_task(shadow);
    size_t index = task->frames.count - 1;
    if (index >= task->live &&
        !shadow_fold(shadow, task, index, &transfer->previous, &transfer->node, how))
        return false;
    if (how & CALL_TAIL_EXIT)
        shadow->tail_from = task_top(task)->from;
    if (how & CALL_LEFT)
        shadow->counts.dropped++;
    else
        shadow->counts.returned++;
    shadow_drop_top(task);
    return true;
}

// Ends all frames from `index` on: the outermost of them in the way of `how`, the others as left.
bool shadow_pop_from(struct shadow_stack *shadow, const struct transfer *transfer, size_t index,
                     unsigned how)
{
    while (shadow_task(shadow)->frames.count > index + 1) {
        // The handler that a vector branched to returns when its exception does.
        const struct frame *top = task_top(shadow_task(shadow));
        bool is_handler = shadow_task(shadow)->frames.count == index + 2 && !(how & CALL_LEFT) &&
                          top[-1].how & CALL_EXCEPTION && top->how & CALL_TAIL_ENTRY;
        if (!shadow_pop(shadow, transfer, is_handler ? 0 : CALL_LEFT))
            return false;
    }
    if (!shadow_pop(shadow, transfer, how))
        return false;
    reopen(shadow_task(shadow), transfer);
    return true;
}

size_t task_find_exception(const struct task *task)
{
    size_t index = task->exceptions ? task->frames.count : 0;
    while (index && !(task->frames.items[index - 1].how & CALL_EXCEPTION))
        index--;
    return index ? index - 1 : NO_FRAME;
}

// --- Tasks ---------------------------------------------------------------------------------------

// Closes the open frames of the current task, which from now on waits for control to reach `pc`
// with SP `sp`.
bool shadow_suspend(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                    uint64_t sp)
{
    struct task *task = shadow_task(shadow);
    for (size_t i = task->frames.count; i > task->live; i--) {
        if (!shadow_fold(shadow, task, i - 1, &transfer->previous, &transfer->node, CALL_SUSPENDED))
            return false;
    }
    task->live = task->frames.count;
    task->resume_pc = pc;
    task->resume_sp = sp;
    task->is_waiting = false;
    pc = pc_key(pc);
    if (!is_known(sp) || !is_known(task->resume_pc))
        return true;
    uint32_t other = pending_find(&shadow->waiting, sp, pc);
    if (other != PENDING_NONE) { // on the same stack: it no longer exists
        pending_remove(&shadow->waiting, sp, pc);
        shadow->tasks.items[other].is_waiting = false;
    }
    task->is_waiting = true;
    const struct pending_call waiting = {sp, pc, (uint32_t)shadow->current};
    return pending_add(&shadow->waiting, &waiting);
}

bool shadow_part_interrupt(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    if (!shadow->log || !shadow->log->parts_interrupts || task->interrupt)
        return true;
    for (size_t i = task->frames.count; i > task->live; i--) {
        struct frame *frame = &task->frames.items[i - 1];
        frame->is_unbegun =
            frame->entry.event == transfer->node.event && !(frame->how & CALL_RESUMED);
        if (!shadow_fold(shadow, task, i - 1, &transfer->previous, &transfer->node, CALL_SUSPENDED))
            return false;
    }
    task->live = task->frames.count;
    task->interrupt = task->frames.count + 1;
    return true;
}

bool shadow_log_interrupt(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = shadow_task(shadow);
    bool runs = task->interrupt > 0;
    if (!runs)
        reopen(task, transfer);
    if (runs == shadow->runs_interrupt)
        return true;
    const struct task_switch now = {transfer->node.event, transfer->node.time,
                                    runs ? TASK_INTERRUPTS : shadow->current};
    shadow->runs_interrupt = runs;
    return task_log_add(shadow->log, &now);
}

// Another task runs from the transfer on.
static bool run_task(struct shadow_stack *shadow, const struct transfer *transfer, size_t number)
{
    const struct task_switch now = {transfer->node.event, transfer->node.time, number};
    shadow->current = number;
    shadow->runs_interrupt = false;
    return !shadow->log || task_log_add(shadow->log, &now);
}

// Continues a suspended task.
bool shadow_resume(struct shadow_stack *shadow, const struct transfer *transfer, size_t at)
{
    struct task *task = &shadow->tasks.items[at];
    if (task->is_waiting)
        pending_remove(&shadow->waiting, task->resume_sp, pc_key(task->resume_pc));
    task->is_waiting = false;
    reopen(task, transfer);
    return run_task(shadow, transfer, at);
}

// A task that waits at (sp, pc).
size_t shadow_find_waiting(const struct shadow_stack *shadow, uint64_t sp, uint64_t pc)
{
    uint32_t at = is_known(sp) && shadow->waiting.count
                      ? pending_find(&shadow->waiting, sp, pc_key(pc))
                      : PENDING_NONE;
    return at == PENDING_NONE || !shadow_may_run(shadow, &shadow->tasks.items[at]) ? NO_TASK : at;
}

size_t shadow_find_by_key(const struct shadow_stack *shadow, uint64_t sp)
{
    size_t found = NO_TASK;
    for (size_t i = shadow->tasks.count; i; i--) {
        const struct task *task = &shadow->tasks.items[i - 1];
        if (!task->has_key || task->key != shadow->key || i - 1 == shadow->current)
            continue;
        if (task->is_waiting && task->resume_sp == sp)
            return i - 1;
        found = found == NO_TASK ? i - 1 : found;
    }
    return found;
}

// Another task that the stack pointer belongs to.
size_t shadow_find_by_sp(const struct shadow_stack *shadow, uint64_t sp)
{
    size_t found = NO_TASK;
    for (size_t i = 0; i < shadow->tasks.count && is_known(sp); i++) {
        const struct task *task = &shadow->tasks.items[i];
        if (i == shadow->current || !shadow_may_run(shadow, task))
            continue;
        // Where it continues is not known if it was interrupted after a conditional branch.
        if (task->resume_sp == sp && (task->is_waiting || !is_known(task->resume_pc)))
            return i;
        if (found == NO_TASK && sp >= task->sp_low && sp <= task->sp_high)
            found = i;
    }
    return found;
}

bool shadow_may_continue(struct shadow_stack *shadow, const struct task *task, uint64_t left_sp,
                         uint64_t left_pc, uint64_t sp, uint64_t pc)
{
    pc &= ~UINT64_C(1);
    if (!is_known(pc | 1) || !is_known(left_pc) || !task->frames.count)
        return true;
    bool is_at_sp = !is_known(sp) || !is_known(left_sp) || sp == left_sp;
    const struct frame *root = task->frames.items;
    bool begins = root->how & CALL_TASK && is_known(sp) && is_known(root->sp) && sp >= root->sp &&
                  !is_same_pc(pc, left_pc) && entry_set_has(&shadow->entries, pc);
    bool is_near = !begins && (gap_is_soon_after(pc, left_pc) || gap_is_soon_after(left_pc, pc));
    if (is_at_sp ? is_near : sp < left_sp) // below it: in a handler of a signal
        return true;
    size_t end = task->frames.count > SEARCH_STOPPED ? task->frames.count - SEARCH_STOPPED : 0;
    for (size_t index = task->frames.count; index > end; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        bool is_there = !is_known(sp) || !is_known(frame->sp) || sp <= frame->sp;
        bool is_entry = is_same_pc(pc, frame->pc); // which begins anew rather than continues
        if (is_there && !is_entry &&
            (is_same_pc(pc, frame->return_address) || shadow_was_inside(shadow, frame, pc)))
            return true;
    }
    return false;
}

void shadow_forget(struct shadow_stack *shadow, size_t number)
{
    struct task *task = &shadow->tasks.items[number];
    if (task->is_waiting)
        pending_remove(&shadow->waiting, task->resume_sp, pc_key(task->resume_pc));
    task->is_waiting = false;
    task->sp_low = UINT64_MAX;
    task->sp_high = 0;
}

size_t shadow_find_stopped(struct shadow_stack *shadow, uint64_t sp, uint64_t pc)
{
    size_t found = shadow_find_by_sp(shadow, sp);
    for (; found != NO_TASK; found = shadow_find_by_sp(shadow, sp)) {
        const struct task *task = &shadow->tasks.items[found];
        if (shadow_may_continue(shadow, task, task->resume_sp, task->resume_pc, sp, pc))
            break;
        shadow_forget(shadow, found);
    }
    return found;
}

void shadow_note_guess(struct shadow_stack *shadow, const struct transfer *transfer)
{
    task_top(shadow_task(shadow))->is_guess = true;
    doubt_note(&shadow->counts.guesses, transfer->node.line);
}

bool shadow_follow_image(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = shadow_task(shadow);
    struct frame *top = task_top(task);
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), sp = transfer->sp_there;
    // Interrupted before its first instruction, which is where it is shown to begin, or of which
    // program it is.
    if (top && (!top->pc || (pc_has_program(transfer_pc(transfer)) && is_same_pc(top->pc, pc))))
        top->pc = shadow_entry_by_image(shadow, transfer_pc(transfer));
    if (!top || top->how & CALL_EXCEPTION || shadow->has_gap ||
        shadow_image_says(shadow, top, pc) != IMAGE_OTHER)
        return true;
    for (size_t index = task->frames.count; index; index--) {
        const struct frame *frame = &task->frames.items[index - 1];
        bool is_there = !is_known(sp) || !is_known(frame->sp) || sp <= frame->sp;
        if (is_there && shadow_image_says(shadow, frame, pc) == IMAGE_SAME)
            return index == task->frames.count ||
                   shadow_pop_from(shadow, transfer, index, CALL_LEFT);
        if (frame->how & CALL_EXCEPTION)
            break;
    }
    uint64_t entry = shadow_entry_by_image(shadow, transfer_pc(transfer));
    if (transfer->from.kind == BRANCH_RETURN && !shadow_pop(shadow, transfer, 0))
        return false;
    if (!shadow_push(shadow, transfer, entry, is_same_pc(entry, pc) ? sp : ADDRESS_UNKNOWN,
                     ADDRESS_UNKNOWN, 0))
        return false;
    shadow_note_guess(shadow, transfer);
    return true;
}

bool shadow_pop_passed(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t sp)
{
    const struct task *task = shadow_task(shadow);
    size_t index = task->frames.count;
    while (index && !(task->frames.items[index - 1].how & CALL_EXCEPTION) &&
           task->frames.items[index - 1].sp <= sp)
        index--;
    return index == task->frames.count || shadow_pop_from(shadow, transfer, index, CALL_LEFT);
}

bool shadow_begin_task(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                       uint64_t sp)
{
    if (shadow->tasks.count >= LIMIT_TASKS)
        return true;
    if (!shadow_add_task(shadow) || !run_task(shadow, transfer, shadow->tasks.count - 1))
        return false;
    shadow_task(shadow)->stack = sp;
    shadow_task(shadow)->entry = pc ? pc : ADDRESS_UNKNOWN;
    return shadow_push(shadow, transfer, pc, sp, ADDRESS_UNKNOWN, CALL_TASK);
}

// Suspends the task until control returns to the innermost frame's caller.
bool shadow_suspend_in_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = task_top(shadow_task(shadow));
    shadow_task(shadow)->pending = (struct pending_branch){0};
    return top ? shadow_suspend(shadow, transfer, top->return_address, top->sp)
               : shadow_suspend(shadow, transfer, ADDRESS_UNKNOWN, ADDRESS_UNKNOWN);
}
