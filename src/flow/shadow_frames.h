// The frames and tasks of a shadow stack, and how they begin and end. Private to shadow_*.c: what a
// transfer of control means is decided in shadow_stack.c, and in shadow_slip.c where lines are
// missing.
#ifndef TRAWL_FLOW_SHADOW_FRAMES_H
#define TRAWL_FLOW_SHADOW_FRAMES_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
#include "flow/entry_set.h"
#include "flow/pending.h"
#include "flow/task_log.h"

struct frame {
    struct node_ref site, entry;
    uint64_t began; // the event of its entry, where it goes on of that when it was called
    uint64_t pc;    // that the function begins at; 0: not known yet
    uint64_t from;  // that called it, which stays where it goes on
    uint64_t high;  // the highest address that it was seen to branch to or from
    uint64_t sp;    // at its entry; ADDRESS_UNKNOWN
    uint64_t return_address;
    struct call_content content;
    uint8_t how;     // enum call_how, of its beginning
    bool is_of_user; // an exception: it interrupted the mode that tasks run in
};

struct task {
    VEC(, struct frame) frames;
    struct spool deep;        // where they are when they are many
    size_t exceptions;        // among them
    size_t live;              // frames below this one are not open now, but will be when it returns
    uint64_t sp_low, sp_high; // that its frames were seen with
    uint64_t stack, entry;    // SP and PC when it was first seen; ADDRESS_UNKNOWN
    uint64_t resume_sp, resume_pc;
    bool is_waiting;             // in `waiting`, by those two
    struct call_content content; // where `log` splits calls, what happened outside of them
};

struct shadow_stack {
    struct call_consumer consumer;
    bool returned_only;
    struct call_content outermost;
    struct call_counts counts;
    struct task_log *log;     // NULL: nobody wants to know of tasks
    VEC(, struct task) tasks; // the first is the one that the trace begins in
    size_t current;
    struct pending_set waiting; // tasks that were switched away from
    struct entry_set entries;
    uint64_t tail_from;   // where the frame came from that ended last by a tail call; 0: used
    uint64_t last_event;  // of the transfer before
    uint64_t vectors;     // the table that the last exception went to; ADDRESS_UNKNOWN
    struct transfer slip; // that nobody can tell the meaning of before the next
    bool has_slip;
    bool has_slipped; // once: stack pointers may be wrong, too
};

// The longest instruction that calls.
#define SHADOW_CALL_BYTES 4

#define NO_FRAME SIZE_MAX
#define NO_TASK SIZE_MAX

static inline struct task *shadow_task(struct shadow_stack *shadow)
{
    return &shadow->tasks.items[shadow->current];
}

static inline struct frame *task_top(const struct task *task)
{
    return task->frames.count ? &task->frames.items[task->frames.count - 1] : NULL;
}

static inline bool is_known(uint64_t address)
{
    return address != ADDRESS_UNKNOWN;
}

static inline bool is_same_pc(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~UINT64_C(1)) == 0;
}

// SPs closer than this may be on one stack.
#define STACK_STEP_BYTES 0x10000

// Whether a stack pointer lies on the stack of a task, or so near that it may.
static inline bool task_may_have_sp(const struct task *task, uint64_t sp)
{
    if (task->sp_low > task->sp_high)
        return true;
    return sp < task->sp_low ? task->sp_low - sp < STACK_STEP_BYTES
                             : sp <= task->sp_high || sp - task->sp_high < STACK_STEP_BYTES;
}

// Notes that frames of the task have stack pointers from `low` to `high`.
static inline void task_add_sps(struct task *task, uint64_t low, uint64_t high)
{
    bool is_first = task->sp_low > task->sp_high;
    task->sp_low = u64_min(task->sp_low, low);
    task->sp_high = is_first ? high : u64_max(task->sp_high, high);
}

// Those that return bool are false without memory.

void shadow_free_task(struct task *task);

// What happens around the frame at `index` counts for this.
struct call_content *shadow_around(struct shadow_stack *shadow, struct task *task, size_t index);

bool shadow_add_task(struct shadow_stack *shadow);

// Opens a frame that begins at a transfer.
bool shadow_push(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                 uint64_t sp, uint64_t return_address, unsigned how);

// Opens a frame that a piece of the trace left open (shadow_piece.h), without its content. Returns
// where that goes; NULL: no memory.
struct call_content *shadow_push_open(struct shadow_stack *shadow, const struct frame *frame);

// Tells of frame `index`, the innermost that is live, which ends at these nodes.
bool shadow_fold(struct shadow_stack *shadow, struct task *task, size_t index,
                 const struct node_ref *exit, const struct node_ref *resume, unsigned how);

// Takes the innermost frame away, of which all was told.
void shadow_drop_top(struct task *task);

// Ends the innermost frame before the transfer.
bool shadow_pop(struct shadow_stack *shadow, const struct transfer *transfer, unsigned how);

// Ends all frames from `index` on; the outermost of them as `how` says, the others are left.
bool shadow_pop_from(struct shadow_stack *shadow, const struct transfer *transfer, size_t index,
                     unsigned how);

// Ends frames that a stack pointer has passed.
bool shadow_pop_passed(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t sp);

// Closes what is open of the current task, which waits from here on for control to come to `pc`
// with SP `sp`.
bool shadow_suspend(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                    uint64_t sp);

// The same, until the innermost function returns.
bool shadow_suspend_in_call(struct shadow_stack *shadow, const struct transfer *transfer);

// Goes on with a task that was suspended.
bool shadow_resume(struct shadow_stack *shadow, const struct transfer *transfer, size_t at);

// Begins a task, of which nothing was seen before, at `pc` (0: not known yet) with SP `sp`.
bool shadow_begin_task(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                       uint64_t sp);

// A task that waits at (sp, pc), or NO_TASK.
size_t shadow_find_waiting(const struct shadow_stack *shadow, uint64_t sp, uint64_t pc);

// Another task that the stack pointer belongs to, or NO_TASK.
size_t shadow_find_by_sp(const struct shadow_stack *shadow, uint64_t sp);

// The innermost exception of a task, or NO_FRAME.
size_t task_find_exception(const struct task *task);

// Whether an address lies in the function of a frame, as far as entries of others tell.
static inline bool shadow_is_inside(struct shadow_stack *shadow, const struct frame *frame,
                                    uint64_t pc)
{
    uint64_t entry = frame->pc & ~UINT64_C(1);
    return pc >= entry && entry && pc < entry_set_next(&shadow->entries, entry);
}

// The same, as far as is sure: up to where the frame was seen, unless lines are missing, after
// which it may have been anywhere in the function.
static inline bool shadow_was_inside(struct shadow_stack *shadow, const struct frame *frame,
                                     uint64_t pc)
{
    return (shadow->has_slipped || pc <= frame->high + SHADOW_CALL_BYTES) &&
           shadow_is_inside(shadow, frame, pc);
}

#endif
