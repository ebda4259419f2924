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
    uint64_t began; // the event of its entry; of a continued call, that of the original entry
    uint64_t pc;    // where the function begins; 0: not known yet
    uint64_t from;  // of its caller, also when it continues
    uint64_t high;  // the highest known address of a branch to or from it
    uint64_t sp;    // at its entry; ADDRESS_UNKNOWN
    uint64_t return_address;
    struct call_content content;
    uint8_t how;     // enum call_how, of its beginning
    bool is_of_user; // an exception: it interrupted the mode in which tasks run
};

struct task {
    VEC(, struct frame) frames;
    struct spool deep;        // where frames are stored if there are many
    size_t exceptions;        // frames that are exceptions
    size_t live;              // frames below this index are not open now, but will be when it
                              // returns
    uint64_t sp_low, sp_high; // range of its frames
    uint64_t stack, entry;    // SP and PC when the task was first seen; ADDRESS_UNKNOWN
    uint64_t resume_sp, resume_pc;
    bool is_waiting;             // it is in `waiting`, with resume_sp and resume_pc as key
    struct call_content content; // if `log` splits calls: what happened outside of calls
};

struct shadow_stack {
    struct call_consumer consumer;
    bool returned_only;
    struct call_content outermost;
    struct call_counts counts;
    struct task_log *log;     // NULL: tasks are not needed
    VEC(, struct task) tasks; // the first is the one in which the trace begins
    size_t current;
    struct pending_set waiting; // tasks that were switched out
    struct entry_set entries;
    uint64_t tail_from;   // `from` of the last frame that ended by a tail call; 0: used
    uint64_t last_event;  // of the previous transfer
    uint64_t vectors;     // the table of the last exception; ADDRESS_UNKNOWN
    struct transfer slip; // a transfer whose meaning is unclear before the next one
    bool has_slip;
    bool has_slipped; // lines were missing before: stack pointers may be wrong, too
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

// Whether a stack pointer is on the stack of a task, or so near that it may be.
static inline bool task_may_have_sp(const struct task *task, uint64_t sp)
{
    if (task->sp_low > task->sp_high)
        return true;
    return sp < task->sp_low ? task->sp_low - sp < STACK_STEP_BYTES
                             : sp <= task->sp_high || sp - task->sp_high < STACK_STEP_BYTES;
}

// Records that frames of the task have stack pointers from `low` to `high`.
static inline void task_add_sps(struct task *task, uint64_t low, uint64_t high)
{
    bool is_first = task->sp_low > task->sp_high;
    task->sp_low = u64_min(task->sp_low, low);
    task->sp_high = is_first ? high : u64_max(task->sp_high, high);
}

// Functions that return bool return false if there is no memory.

void shadow_free_task(struct task *task);

// The content around the frame at `index`.
struct call_content *shadow_around(struct shadow_stack *shadow, struct task *task, size_t index);

bool shadow_add_task(struct shadow_stack *shadow);

// Opens a frame that begins at a transfer.
bool shadow_push(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                 uint64_t sp, uint64_t return_address, unsigned how);

// Opens a frame that a piece of the trace left open (shadow_piece.h), without its content. Returns
// where to put the content; NULL: no memory.
struct call_content *shadow_push_open(struct shadow_stack *shadow, const struct frame *frame);

// Reports frame `index`, the innermost live one, which ends at these nodes.
bool shadow_fold(struct shadow_stack *shadow, struct task *task, size_t index,
                 const struct node_ref *exit, const struct node_ref *resume, unsigned how);

// Removes the innermost frame, which was reported.
void shadow_drop_top(struct task *task);

// Ends the innermost frame before the transfer.
bool shadow_pop(struct shadow_stack *shadow, const struct transfer *transfer, unsigned how);

// Ends all frames from `index` on; the outermost of them as `how` says, the others are left.
bool shadow_pop_from(struct shadow_stack *shadow, const struct transfer *transfer, size_t index,
                     unsigned how);

// Ends frames that a stack pointer has passed.
bool shadow_pop_passed(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t sp);

// Ends the open calls of the current task, which from now on waits for control to reach `pc` with
// SP `sp`.
bool shadow_suspend(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                    uint64_t sp);

// The same, to wait until the innermost function returns.
bool shadow_suspend_in_call(struct shadow_stack *shadow, const struct transfer *transfer);

// Continues a task that was suspended.
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

// Whether an address is in the function of a frame, judging by the entries of other functions.
static inline bool shadow_is_inside(struct shadow_stack *shadow, const struct frame *frame,
                                    uint64_t pc)
{
    uint64_t entry = frame->pc & ~UINT64_C(1);
    return pc >= entry && entry && pc < entry_set_next(&shadow->entries, entry);
}

// The same, as far as is certain: up to the highest known address of the frame, unless lines are
// missing, after which it may have been anywhere in the function.
static inline bool shadow_was_inside(struct shadow_stack *shadow, const struct frame *frame,
                                     uint64_t pc)
{
    return (shadow->has_slipped || pc <= frame->high + SHADOW_CALL_BYTES) &&
           shadow_is_inside(shadow, frame, pc);
}

#endif
