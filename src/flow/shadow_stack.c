#include "flow/shadow_stack.h"

#include "base/limits.h"
#include "base/vec.h"
#include "flow/entry_set.h"
#include "flow/pending.h"

#include <stdlib.h>

struct frame {
    struct node_ref site, entry;
    uint64_t pc;   // that the function begins at; 0: not known yet
    uint64_t high; // the highest address that it was seen to branch to or from
    uint64_t sp;   // at its entry; ADDRESS_UNKNOWN
    uint64_t return_address;
    struct call_content content;
    uint8_t how;  // enum call_how, of its beginning
    bool has_gap; // instructions were left out while it was the innermost
};

struct task {
    VEC(, struct frame) frames;
    size_t live;              // frames below this one are not open now, but will be when it returns
    uint64_t sp_low, sp_high; // that its frames were seen with
    uint64_t resume_sp, resume_pc;
    bool is_waiting; // in `waiting`, by those two
};

struct shadow_stack {
    struct call_consumer consumer;
    bool returned_only;
    struct call_content outermost;
    struct call_counts counts;
    VEC(, struct task) tasks; // the first is the one that the trace begins in
    size_t current;
    struct pending_set waiting; // tasks that were switched away from
    struct entry_set entries;
    uint64_t last_event; // of the transfer before
};

// How far down the stack the frame that a return belongs to is looked for.
#define SEARCH_FRAMES 4096

// How many frames of a task are shown again at once when it goes on; those outside of them follow
// when these have returned.
#define RESUMED_FRAMES 1024

// SPs closer than this may be on one stack.
#define STACK_STEP_BYTES 0x10000

static struct task *task_of(struct shadow_stack *shadow)
{
    return &shadow->tasks.items[shadow->current];
}

static struct frame *top_of(struct task *task)
{
    return task->frames.count ? &task->frames.items[task->frames.count - 1] : NULL;
}

static bool is_known(uint64_t address)
{
    return address != ADDRESS_UNKNOWN;
}

static bool is_same_pc(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~UINT64_C(1)) == 0;
}

static bool add_task(struct shadow_stack *shadow)
{
    if (!VEC_ROOM(&shadow->tasks, 1))
        return false;
    shadow->tasks.items[shadow->tasks.count++] =
        (struct task){.sp_low = UINT64_MAX, .resume_pc = ADDRESS_UNKNOWN};
    return true;
}

struct shadow_stack *shadow_stack_new(const struct call_consumer *consumer, bool returned_only)
{
    struct shadow_stack *shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->consumer = *consumer;
    shadow->returned_only = returned_only;
    if (!add_task(shadow)) {
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
        free(shadow->tasks.items[i].frames.items);
    free(shadow->tasks.items);
    pending_free(&shadow->waiting);
    entry_set_free(&shadow->entries);
    free(shadow);
}

// --- Frames --------------------------------------------------------------------------------------

// What happens around the frame at `index` counts for this.
static struct call_content *around(struct shadow_stack *shadow, struct task *task, size_t index)
{
    return index > task->live ? &task->frames.items[index - 1].content : &shadow->outermost;
}

// The SPs of a task are those of its frames, unless one lies so far from all others that it must be
// on another stack, as that of interrupts.
static void note_sp(struct task *task, uint64_t sp)
{
    if (!is_known(sp))
        return;
    if (task->sp_low > task->sp_high)
        task->sp_low = task->sp_high = sp;
    else if (sp < task->sp_low && task->sp_low - sp < STACK_STEP_BYTES)
        task->sp_low = sp;
    else if (sp > task->sp_high && sp - task->sp_high < STACK_STEP_BYTES)
        task->sp_high = sp;
}

// Opens a frame that begins at a transfer.
static bool push(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                 uint64_t sp, uint64_t return_address, unsigned how)
{
    struct task *task = task_of(shadow);
    if (!VEC_ROOM(&task->frames, 1))
        return false;
    task->frames.items[task->frames.count++] = (struct frame){
        .site = transfer->previous,
        .entry = transfer->node,
        .pc = pc,
        .high = pc,
        .sp = sp,
        .return_address = return_address,
        .how = (uint8_t)how,
    };
    note_sp(task, sp);
    return true;
}

// Makes the frames outside of those that have ended open again, when the innermost is one of them.
static void reopen(struct task *task, const struct transfer *transfer)
{
    size_t count = task->frames.count;
    if (LIKELY(task->live < count) || !count)
        return;
    task->live = count > RESUMED_FRAMES ? count - RESUMED_FRAMES : 0;
    for (size_t i = task->live; i < count; i++) {
        struct frame *frame = &task->frames.items[i];
        frame->site = transfer->previous;
        frame->entry = transfer->node;
        frame->content = (struct call_content){0};
        frame->how |= CALL_RESUMED;
    }
}

// Tells of frame `index`, the innermost that is live, which ends before the transfer.
static bool fold(struct shadow_stack *shadow, struct task *task, size_t index,
                 const struct node_ref *exit, const struct node_ref *resume, unsigned how)
{
    const struct frame *frame = &task->frames.items[index];
    struct call_content *into = around(shadow, task, index);
    bool is_open = exit == resume;
    if (frame->entry.event == exit->event + 1) // opened again, and left at once
        return shadow->consumer.merge(shadow->consumer.self, into, &frame->content);
    if (shadow->returned_only && (is_open || how & CALL_LEFT))
        return shadow->consumer.merge(shadow->consumer.self, into, &frame->content);
    struct call call = {
        .site = frame->site,
        .entry = frame->entry,
        .exit = *exit,
        .resume = *resume,
        .exit_ticks = resume->time - exit->time,
        .how = (uint8_t)(frame->how | how),
        .is_open = is_open,
    };
    if (frame->pc)
        call.entry.pc = frame->pc;
    return shadow->consumer.fold(shadow->consumer.self, into, &call, &frame->content);
}

// Ends the innermost frame before the transfer.
static bool pop(struct shadow_stack *shadow, const struct transfer *transfer, unsigned how)
{
    struct task *task = task_of(shadow);
    size_t index = task->frames.count - 1;
    if (index >= task->live &&
        !fold(shadow, task, index, &transfer->previous, &transfer->node, how))
        return false;
    if (how & CALL_LEFT)
        shadow->counts.dropped++;
    else
        shadow->counts.returned++;
    task->frames.count = index;
    if (UNLIKELY(task->live > index))
        task->live = index;
    return true;
}

// Ends all frames from `index` on; the outermost of them as `how` says, the others are left.
static bool pop_from(struct shadow_stack *shadow, const struct transfer *transfer, size_t index,
                     unsigned how)
{
    while (task_of(shadow)->frames.count > index + 1) {
        // The handler that a vector branched to returns when its exception does.
        const struct frame *top = top_of(task_of(shadow));
        bool is_handler = task_of(shadow)->frames.count == index + 2 && !(how & CALL_LEFT) &&
                          top[-1].how & CALL_EXCEPTION && top->how & CALL_TAIL_ENTRY;
        if (!pop(shadow, transfer, is_handler ? 0 : CALL_LEFT))
            return false;
    }
    if (!pop(shadow, transfer, how))
        return false;
    reopen(task_of(shadow), transfer);
    return true;
}

// --- Tasks ---------------------------------------------------------------------------------------

// Closes what is open of the current task, which waits from here on for control to come to `pc`
// with SP `sp`.
static bool suspend(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                    uint64_t sp)
{
    struct task *task = task_of(shadow);
    for (size_t i = task->frames.count; i > task->live; i--) {
        if (!fold(shadow, task, i - 1, &transfer->previous, &transfer->node, CALL_SUSPENDED))
            return false;
    }
    task->live = task->frames.count;
    task->resume_pc = pc;
    task->resume_sp = sp;
    task->is_waiting = false;
    pc &= ~UINT64_C(1);
    if (!is_known(sp) || !is_known(task->resume_pc))
        return true;
    uint32_t other = pending_find(&shadow->waiting, sp, pc);
    if (other != PENDING_NONE) { // on the same stack: it is no more
        pending_remove(&shadow->waiting, sp, pc);
        shadow->tasks.items[other].is_waiting = false;
    }
    task->is_waiting = true;
    const struct pending_call waiting = {sp, pc, (uint32_t)shadow->current};
    return pending_add(&shadow->waiting, &waiting);
}

// Goes on with a task that was suspended.
static void resume(struct shadow_stack *shadow, const struct transfer *transfer, size_t at)
{
    struct task *task = &shadow->tasks.items[at];
    if (task->is_waiting)
        pending_remove(&shadow->waiting, task->resume_sp, task->resume_pc & ~UINT64_C(1));
    task->is_waiting = false;
    shadow->current = at;
    reopen(task, transfer);
}

#define NO_TASK SIZE_MAX

// A task that waits at (sp, pc).
static size_t find_waiting(const struct shadow_stack *shadow, uint64_t sp, uint64_t pc)
{
    uint32_t at = is_known(sp) && shadow->waiting.count
                      ? pending_find(&shadow->waiting, sp, pc & ~UINT64_C(1))
                      : PENDING_NONE;
    return at == PENDING_NONE ? NO_TASK : at;
}

// Another task that the stack pointer belongs to.
static size_t find_by_sp(const struct shadow_stack *shadow, uint64_t sp)
{
    size_t found = NO_TASK;
    for (size_t i = 0; i < shadow->tasks.count && is_known(sp); i++) {
        const struct task *task = &shadow->tasks.items[i];
        if (i == shadow->current)
            continue;
        if (task->is_waiting && task->resume_sp == sp)
            return i;
        if (found == NO_TASK && sp >= task->sp_low && sp <= task->sp_high)
            found = i;
    }
    return found;
}

// Frames that a stack pointer has passed: those from here on are gone.
static size_t first_passed(const struct task *task, uint64_t sp)
{
    size_t index = task->frames.count;
    while (index && !(task->frames.items[index - 1].how & CALL_EXCEPTION) &&
           task->frames.items[index - 1].sp <= sp)
        index--;
    return index;
}

static bool pop_passed(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t sp)
{
    size_t index = first_passed(task_of(shadow), sp);
    return index == task_of(shadow)->frames.count || pop_from(shadow, transfer, index, CALL_LEFT);
}

// Begins a task, of which nothing was seen before.
static bool begin_task(struct shadow_stack *shadow, const struct transfer *transfer)
{
    if (shadow->tasks.count >= LIMIT_TASKS)
        return true;
    if (!add_task(shadow))
        return false;
    shadow->current = shadow->tasks.count - 1;
    return push(shadow, transfer, transfer->node.pc, transfer->sp_there, ADDRESS_UNKNOWN,
                CALL_TASK);
}

// What would bring control back to the innermost frame's caller.
static bool suspend_in_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = top_of(task_of(shadow));
    return top ? suspend(shadow, transfer, top->return_address, top->sp)
               : suspend(shadow, transfer, ADDRESS_UNKNOWN, ADDRESS_UNKNOWN);
}

// --- Exceptions ----------------------------------------------------------------------------------

static size_t find_exception(const struct task *task)
{
    size_t index = task->frames.count;
    while (index && !(task->frames.items[index - 1].how & CALL_EXCEPTION))
        index--;
    return index ? index - 1 : SIZE_MAX;
}

// A frame that was called, but interrupted before it began, has no other way to tell its entry.
static void name_frame(struct task *task, uint64_t pc)
{
    struct frame *top = top_of(task);
    if (top && !top->pc)
        top->pc = pc;
}

static bool is_near(uint64_t a, uint64_t b, uint64_t distance)
{
    return (a < b ? b - a : a - b) <= distance;
}

// Ends the innermost exception of the current task, with what was called in it.
static bool end_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = find_exception(task_of(shadow));
    return index == SIZE_MAX || pop_from(shadow, transfer, index, 0);
}

// Control leaves an exception, for another task.
static bool switch_by_exception(struct shadow_stack *shadow, const struct transfer *transfer,
                                size_t to)
{
    size_t index = find_exception(task_of(shadow));
    uint64_t pc = ADDRESS_UNKNOWN, sp = ADDRESS_UNKNOWN;
    if (index != SIZE_MAX) {
        pc = task_of(shadow)->frames.items[index].return_address;
        sp = task_of(shadow)->frames.items[index].sp;
        // What is outside is closed by the suspension, so it need not be opened again.
        if (!end_exception(shadow, transfer))
            return false;
    }
    if (!suspend(shadow, transfer, pc, sp))
        return false;
    if (to == NO_TASK)
        return begin_task(shadow, transfer);
    resume(shadow, transfer, to);
    return true;
}

// An exception return: to what was interrupted, or to another task.
static bool leave_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = task_of(shadow);
    uint64_t pc = transfer->node.pc, sp = transfer->sp_there;
    size_t index = find_exception(task);
    const struct frame *frame = index == SIZE_MAX ? NULL : &task->frames.items[index];
    if (frame && (!is_known(sp) || frame->sp == sp || !is_known(frame->sp)))
        return end_exception(shadow, transfer) && (name_frame(task_of(shadow), pc), true);
    size_t to = find_waiting(shadow, sp, pc);
    if (to == NO_TASK)
        to = find_by_sp(shadow, sp);
    // Stacks of tasks may be next to each other, but not their program counters.
    bool goes_back =
        frame && (!is_known(frame->return_address) || is_same_pc(frame->return_address, pc));
    if (to == NO_TASK && goes_back && is_near(frame->sp, sp, 1024))
        return end_exception(shadow, transfer);
    if (!switch_by_exception(shadow, transfer, to))
        return false;
    if (to == NO_TASK)
        return true;
    name_frame(task_of(shadow), pc);
    return pop_passed(shadow, transfer, sp - 1); // those at SP itself may be where it stopped
}

// Whether the innermost frame is a handler: of the M profile, or one that a vector branched to.
static bool is_in_handler(const struct task *task)
{
    size_t count = task->frames.count;
    const struct frame *top = count ? &task->frames.items[count - 1] : NULL;
    if (!top || top->how & CALL_EXCEPTION)
        return top;
    return count > 1 && top->how & CALL_TAIL_ENTRY && top[-1].how & CALL_EXCEPTION;
}

// Does what the branch before an exception did, so far as its encoding tells, and returns where the
// exception goes back to in *resume.
static bool take_branch_before(struct shadow_stack *shadow, const struct transfer *transfer,
                               uint64_t *resume_pc)
{
    const struct branch *from = &transfer->from;
    struct frame *top = top_of(task_of(shadow));
    size_t index;
    switch (from->kind) {
    case BRANCH_CALL:
        *resume_pc = from->target;
        return push(shadow, transfer, is_known(from->target) ? from->target : 0, transfer->sp_left,
                    from->next, 0);
    case BRANCH_RETURN:
        *resume_pc = top ? top->return_address : ADDRESS_UNKNOWN;
        return !top || pop_from(shadow, transfer, task_of(shadow)->frames.count - 1, 0);
    case BRANCH_LEAVES:
        index = find_exception(task_of(shadow));
        *resume_pc = index == SIZE_MAX ? ADDRESS_UNKNOWN
                                       : task_of(shadow)->frames.items[index].return_address;
        return end_exception(shadow, transfer);
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

// An exception begins where one returns (tail-chaining): it goes back to where that would have.
static bool chain_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct task *task = task_of(shadow);
    const struct frame ended = task->frames.items[find_exception(task)];
    return end_exception(shadow, transfer) && push(shadow, transfer, transfer->node.pc, ended.sp,
                                                   ended.return_address, CALL_EXCEPTION);
}

static bool take_exception(struct shadow_stack *shadow, const struct transfer *transfer)
{
    uint64_t resume_pc = ADDRESS_UNKNOWN;
    if (transfer->from.kind == BRANCH_RETURN && is_in_handler(task_of(shadow)))
        return chain_exception(shadow, transfer);
    return take_branch_before(shadow, transfer, &resume_pc) &&
           push(shadow, transfer, transfer->node.pc, transfer->sp_left, resume_pc, CALL_EXCEPTION);
}

// Whether control was taken away after an instruction, instead of going where that says.
static bool is_exception(const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    if (transfer->is_exception || from->kind == BRANCH_EXCEPTION)
        return true;
    return is_known(from->target) && !is_same_pc(from->target, transfer->node.pc);
}

// --- Branches ------------------------------------------------------------------------------------

// The frame whose return this is: to where it was called from, with the SP that it had then.
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
    return SIZE_MAX;
}

// Control went, not by a call, to where no frame of the task returns to: a task that waits there, a
// stack never seen, or a frame farther out.
static bool go_elsewhere(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = task_of(shadow);
    uint64_t sp = transfer->sp_there;
    const struct frame *top = top_of(task);
    if (!is_known(sp))
        return true;
    bool is_own = top && is_known(top->sp) && sp >= top->sp && sp <= task->sp_high;
    if (top && top->has_gap && is_known(top->sp) && sp < top->sp) // whose call was left out
        return true;
    size_t to = is_own ? NO_TASK : find_by_sp(shadow, sp);
    if (is_own || (to == NO_TASK && (!top || !is_known(top->sp))))
        return pop_passed(shadow, transfer, sp);
    if (!suspend_in_call(shadow, transfer))
        return false;
    if (to == NO_TASK)
        return begin_task(shadow, transfer);
    resume(shadow, transfer, to);
    return pop_passed(shadow, transfer, sp);
}

// Ends the frame of a task that was resumed which returns here.
static bool return_in_task(struct shadow_stack *shadow, const struct transfer *transfer)
{
    size_t index = find_returned(task_of(shadow), transfer->node.pc, transfer->sp_there);
    return index == SIZE_MAX || pop_from(shadow, transfer, index, 0);
}

static bool take_return(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct task *task = task_of(shadow);
    uint64_t pc = transfer->node.pc, sp = transfer->sp_there;
    struct frame *top = top_of(task);
    if (LIKELY(top && is_same_pc(top->return_address, pc) &&
               (top->sp == sp || !is_known(sp) || !is_known(top->sp)))) {
        if (UNLIKELY(top->how & CALL_EXCEPTION)) // a return that ends an exception, as of M profile
            return leave_exception(shadow, transfer);
        return pop_from(shadow, transfer, task->frames.count - 1, 0);
    }
    if (is_in_handler(task)) // of the M profile: EXC_RETURN, for another task
        return leave_exception(shadow, transfer);
    size_t to = find_waiting(shadow, sp, pc);
    if (to != NO_TASK) {
        if (!suspend_in_call(shadow, transfer))
            return false;
        resume(shadow, transfer, to);
        return return_in_task(shadow, transfer);
    }
    size_t index = find_returned(task, pc, sp);
    if (index != SIZE_MAX)
        return pop_from(shadow, transfer, index, 0);
    // A function that moves SP for its caller, or changes the mode.
    if (top && is_same_pc(top->return_address, pc))
        return pop_from(shadow, transfer, task->frames.count - 1, 0);
    uint64_t dropped = shadow->counts.dropped;
    size_t current = shadow->current;
    bool has_memory = go_elsewhere(shadow, transfer);
    shadow->counts.unmatched += shadow->counts.dropped == dropped && shadow->current == current;
    return has_memory;
}

// A branch to the start of another function, with the stack as that of this one began.
static bool take_tail_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = top_of(task_of(shadow));
    uint64_t sp = transfer->sp_there;
    if (!top || top->how & CALL_EXCEPTION)
        return push(shadow, transfer, transfer->node.pc, sp,
                    top ? top->return_address : ADDRESS_UNKNOWN, CALL_TAIL_ENTRY);
    uint64_t return_address = top->return_address;
    unsigned how = CALL_TAIL_ENTRY | (top->how & CALL_TASK);
    return pop(shadow, transfer, CALL_TAIL_EXIT) &&
           push(shadow, transfer, transfer->node.pc, sp, return_address, how);
}

// Bytes of an A64 vector. Those of A32 have room for a branch, which then comes first.
#define VECTOR_BYTES 0x80

// Whether control left an exception's vector for its handler.
static bool leaves_vector(const struct frame *frame, const struct transfer *transfer)
{
    uint64_t pc = transfer->node.pc;
    return transfer->previous.event == frame->entry.event ||
           (frame->pc % VECTOR_BYTES == 0 && (pc < frame->pc || pc - frame->pc >= VECTOR_BYTES) &&
            transfer->previous.pc - frame->pc < VECTOR_BYTES);
}

// Whether control left the function of a frame for the start of another. Calls have gone to most
// functions before; of the others it is told by a function that lies in between. A function lies
// after its entry.
static bool is_other_function(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc)
{
    uint64_t entry = frame ? frame->pc & ~UINT64_C(1) : 0;
    if (!frame)
        return entry_set_has(&shadow->entries, pc);
    if (pc == entry || (pc > entry && pc <= frame->high))
        return false;
    return pc < entry || pc >= entry_set_next(&shadow->entries, entry);
}

// Whether control surely stays in the function, as with most branches.
static bool stays_inside(const struct frame *frame, const struct transfer *transfer, uint64_t pc)
{
    return transfer->from.kind == BRANCH_JUMP && pc > frame->pc && pc <= frame->high &&
           transfer->previous.pc <= frame->high && !(frame->how & CALL_EXCEPTION);
}

static bool take_jump(struct shadow_stack *shadow, const struct transfer *transfer)
{
    struct frame *top = top_of(task_of(shadow));
    uint64_t pc = transfer->node.pc & ~UINT64_C(1), sp = transfer->sp_there;
    if (LIKELY(top) && stays_inside(top, transfer, pc))
        return true;
    bool is_at_entry = !top || !is_known(sp) || !is_known(top->sp) || top->sp == sp;
    if (top && transfer->from.kind == BRANCH_INDIRECT && is_same_pc(top->return_address, pc))
        return take_return(shadow, transfer);
    if (top && top->how & CALL_EXCEPTION ? leaves_vector(top, transfer)
                                         : is_at_entry && is_other_function(shadow, top, pc))
        return take_tail_call(shadow, transfer);
    if (transfer->from.kind == BRANCH_INDIRECT && top && is_known(sp) && is_known(top->sp) &&
        (sp > top->sp || find_waiting(shadow, sp, pc) != NO_TASK))
        return take_return(shadow, transfer);
    if (top)
        top->high = u64_max(top->high, u64_max(pc, transfer->previous.pc));
    return true;
}

static bool take_call(struct shadow_stack *shadow, const struct transfer *transfer)
{
    return entry_set_add(&shadow->entries, transfer->node.pc & ~UINT64_C(1)) &&
           push(shadow, transfer, transfer->node.pc, transfer->sp_there, transfer->from.next, 0);
}

// After what is no branch by its encoding, and without an exception that the trace would tell of:
// instructions that we do not know, traces without encodings, and those that never tell of
// exceptions.
static bool take_unknown(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct frame *top = top_of(task_of(shadow));
    if (is_same_pc(transfer->link, transfer->from.next))
        return take_call(shadow, transfer);
    if (top && is_same_pc(top->return_address, transfer->node.pc) &&
        (top->sp == transfer->sp_there || !is_known(top->sp)))
        return take_return(shadow, transfer);
    return take_exception(shadow, transfer);
}

bool shadow_stack_transfer(struct shadow_stack *shadow, const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    struct frame *top = top_of(task_of(shadow));
    shadow->counts.transfers++;
    if (UNLIKELY(transfer->has_gap) && top)
        top->has_gap = true;
    // Where time has no end several instructions make one event.
    if (UNLIKELY(transfer->node.event == UINT64_MAX || transfer->node.event <= shadow->last_event))
        return true;
    shadow->last_event = transfer->node.event;
    if (UNLIKELY(is_exception(transfer)))
        return take_exception(shadow, transfer);
    switch (from->kind) {
    case BRANCH_CALL:
        return take_call(shadow, transfer);
    case BRANCH_RETURN:
        return take_return(shadow, transfer);
    case BRANCH_LEAVES:
        return leave_exception(shadow, transfer);
    case BRANCH_INDIRECT:
        if (is_same_pc(transfer->link, from->next)) // MOV LR, PC before it
            return take_call(shadow, transfer);
        return take_jump(shadow, transfer);
    case BRANCH_JUMP:
        if (UNLIKELY(is_same_pc(transfer->link, from->next))) // the same, of what does not return
            return take_call(shadow, transfer);
        return take_jump(shadow, transfer);
    case BRANCH_NONE:
        return take_unknown(shadow, transfer);
    case BRANCH_EXCEPTION:
        break;
    }
    return true;
}

bool shadow_stack_finish(struct shadow_stack *shadow, const struct node_ref *last,
                         struct call_content *outermost, struct call_counts *counts)
{
    struct task *task = task_of(shadow);
    shadow->counts.unreturned = 0;
    for (size_t i = 0; i < shadow->tasks.count; i++)
        shadow->counts.unreturned += shadow->tasks.items[i].frames.count;
    for (; task->frames.count > task->live; task->frames.count--) {
        if (!fold(shadow, task, task->frames.count - 1, last, last, 0))
            return false;
    }
    *outermost = shadow->outermost;
    *counts = shadow->counts;
    return true;
}
