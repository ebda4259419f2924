// The frames and tasks of a shadow stack, and how they begin and end. Private to shadow_*.c: what a
// transfer of control means is decided in shadow_stack.c, and in shadow_gap.c where lines are
// missing.
#ifndef TRAWL_FLOW_SHADOW_FRAMES_H
#define TRAWL_FLOW_SHADOW_FRAMES_H

#include "base/program_pc.h"
#include "base/spool.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
#include "flow/entry_set.h"
#include "flow/exceptions.h"
#include "flow/pending.h"
#include "flow/task_key.h"
#include "flow/task_log.h"

struct frame {
    struct node_ref site, entry;
    uint64_t began; // the event of its entry; of a continued call, that of the original entry
    uint64_t pc;    // where the function begins; 0: not known yet
    uint64_t from;  // of its caller, also when it continues
    uint64_t high;  // the highest known address of a branch to or from it; not used if an image has
                    // its function
    uint64_t sp;    // at its entry; ADDRESS_UNKNOWN
    uint64_t return_address;
    struct call_content content;
    uint64_t after;      // an exception: the instruction after the one that it came after
    uint64_t sp_inside;  // an exception: SP in its mode, as it began; ADDRESS_UNKNOWN
    uint16_t how;        // enum call_how, of its beginning
    bool is_of_user : 1; // an exception: it interrupted the mode in which tasks run
    bool is_of_m : 1;    // an exception of the M profile, whose handler runs on the main stack
    bool is_guess : 1;   // CALL_GUESSED
    bool is_signal : 1; // the handler of a signal, into which an exception returned; `sp_inside` is
                        // SP where it was interrupted
    bool is_nested : 1; // such a one that interrupted another one: it returns there
    // A call into the other security state, with stacks of its own: `sp` is not known, because the
    // one of the caller is what counts at the return.
    bool crosses_world : 1;
    bool is_unbegun : 1; // it was closed by an interrupt before its first instruction
    // An exception: it came after a taken branch of this kind (enum branch_kind), whose target only
    // the return shows; BRANCH_NONE: all is known.
    uint8_t pending;
};

// A branch whose target was unknown when an exception came after it.
struct pending_branch {
    enum branch_kind kind; // BRANCH_NONE: none
    uint64_t from, next;
};

struct task {
    VEC(, struct frame) frames;
    struct spool deep;        // where frames are stored if there are many
    size_t exceptions;        // frames that are exceptions
    size_t handlers;          // those of the M profile: their stack is not that of the task
    size_t from_user;         // exceptions with is_of_user: likewise
    size_t live;              // frames below this index are not open now, but will be when it
                              // returns
    size_t interrupt;         // if `log` parts interrupts: the number, from 1, of the outermost
                              // frame of one; 0: there is none
    uint64_t sp_low, sp_high; // range of its frames
    uint64_t stack, entry;    // SP and PC when the task was first seen; ADDRESS_UNKNOWN
    uint64_t resume_sp, resume_pc;
    uint64_t key;
    bool has_key;                  // false: not known, or that of another task since
    uint64_t named_key;            // the same, also when another task has it; 0: not known
    struct pending_branch pending; // as of the exception in which it was switched out
    bool is_waiting;               // it is in `waiting`, with resume_sp and resume_pc as key
    struct call_content content;   // if `log` splits calls: what happened outside of calls
};

// The key of a task that was switched away before it was shown.
#define KEY_UNSEEN UINT64_C(0)

// LE and its like have one size.
#define LOOP_END_BYTES 4

// A low-overhead loop of the M profile: LE at `end` was executed and went to `start`. From then on
// the core may do so from the instruction before LE, and go on after it, without executing it.
struct loop {
    uint64_t end, start; // 0: none
};

// The range of an image that has the beginning of a frame, as it was looked up last.
struct frame_range {
    uint64_t entry;
    const struct function_range *range; // NULL: no image has it
};

enum { FRAME_RANGES = 64 };

// A system call of a task whose key is known, with its callers: a process that it forks has them,
// too, also if it runs after its parent has left them.
struct system_call {
    uint64_t pc, sp, key; // where it returns to, and of which task
    bool has_key;
    uint64_t number; // 0: none
    VEC(, struct frame) frames;
};

// How many are kept, each with at most so many callers.
enum { SYSTEM_CALLS_KEPT = 64, CALLERS_KEPT = 512 };

struct shadow_stack {
    struct call_consumer consumer;
    const struct exception_rules *exceptions;
    bool returned_only;
    struct call_content outermost;
    struct call_content interrupts; // what happened in them, if `log` parts them
    bool runs_interrupt;            // the last switch in `log` is to one
    struct call_counts counts;
    struct task_log *log;     // NULL: tasks are not needed
    VEC(, struct task) tasks; // the first is the one in which the trace begins
    size_t current;
    struct pending_set waiting; // tasks that were switched out
    struct entry_set entries;
    struct frame_range ranges[FRAME_RANGES];
    uint64_t key;                // of the running task, as transfer.key
    enum task_key_kind key_kind; // KEY_NONE: not known
    bool has_users;              // control came to the mode of programs
    bool enters_user;            // with this transfer
    // Of KEY_OF_SPACE_FOUND: programs ran with different ones, so that it tells tasks apart.
    bool spaces_differ, has_user_key;
    uint64_t user_key; // where control came to the mode of programs last
    struct system_call system_calls[SYSTEM_CALLS_KEPT]; // the last ones, at different places
    uint64_t system_call_count;
    uint64_t tail_from;     // `from` of the last frame that ended by a tail call; 0: used
    uint64_t last_event;    // of the previous transfer
    uint64_t vectors;       // the table of the last exception, or that was shown; ADDRESS_UNKNOWN
    uint64_t vectors_shown; // last
    struct loop loop;       // the one whose end was executed last
    struct transfer gap;    // a transfer whose meaning is unclear before the next one
    bool has_gap;
    bool had_gap; // lines were missing before: stack pointers may be wrong, too
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

// Whatever programs they are of: what the machine keeps of a PC does not say.
static inline bool is_same_pc(uint64_t a, uint64_t b)
{
    return !pcs_differ(a, b);
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

// Whether what is called now is on the stack of the running task. Handlers of the M profile and
// those that interrupted the mode in which tasks run have a stack of their own, which may be right
// above those of all tasks (A32: that of the supervisor or interrupt mode), and where all modes
// have one stack pointer, a handler may load another stack into it: that of FreeRTOS's interrupts
// is below those of all tasks, so that any of them would seem to be on the stack of a task that was
// interrupted.
static inline bool shadow_is_on_stack_of_task(struct shadow_stack *shadow)
{
    const struct task *task = shadow_task(shadow);
    return !task->handlers && !task->from_user &&
           !(task->exceptions && shadow->exceptions->has_one_stack);
}

// Functions that return bool return false if there is no memory.

void shadow_free_task(struct task *task);

// The content around the frame at `index`.
struct call_content *shadow_around(struct shadow_stack *shadow, struct task *task, size_t index);

bool shadow_add_task(struct shadow_stack *shadow);

// Opens a frame that begins at a transfer.
bool shadow_push(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                 uint64_t sp, uint64_t return_address, unsigned how);

// Opens a frame that a range of the trace left open (shadow_chunk.h), without its content. Returns
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

// Closes the open frames of the current task for as long as an interrupt runs, whose handler is the
// next frame.
bool shadow_part_interrupt(struct shadow_stack *shadow, const struct transfer *transfer);

// After a transfer: logs that an interrupt has begun, or has ended.
bool shadow_log_interrupt(struct shadow_stack *shadow, const struct transfer *transfer);

// Continues a task that was suspended.
bool shadow_resume(struct shadow_stack *shadow, const struct transfer *transfer, size_t at);

// Begins a task, of which nothing was seen before, at `pc` (0: not known yet) with SP `sp`.
bool shadow_begin_task(struct shadow_stack *shadow, const struct transfer *transfer, uint64_t pc,
                       uint64_t sp);

// Whether the key only says which task runs where control comes to the mode of programs.
static inline bool shadow_has_space_key(const struct shadow_stack *shadow)
{
    return shadow->key_kind == KEY_OF_SPACE_FOUND ||
           (shadow->key_kind == KEY_OF_SPACE && shadow->has_users);
}

// Whether the key is that of a variable of the kernel, or counts as one.
static inline bool shadow_has_variable_key(const struct shadow_stack *shadow)
{
    return shadow->key_kind == KEY_OF_VARIABLE ||
           (shadow->key_kind == KEY_OF_SPACE && !shadow->has_users);
}

// Whether a task may run now: its key is that of the running task, or one of them is not known.
static inline bool shadow_may_run(const struct shadow_stack *shadow, const struct task *task)
{
    return !task->has_key || !shadow->key_kind || task->key == shadow->key ||
           (shadow_has_space_key(shadow) && !shadow->enters_user);
}

// Whether the key of the running task is known, and the current task has it, or has another one.
static inline bool shadow_has_key(const struct shadow_stack *shadow)
{
    const struct task *task = &shadow->tasks.items[shadow->current];
    return shadow->key_kind && task->has_key && task->key == shadow->key;
}

static inline bool shadow_has_other_key(const struct shadow_stack *shadow)
{
    const struct task *task = &shadow->tasks.items[shadow->current];
    return shadow->key_kind && task->has_key && task->key != shadow->key;
}

// A task that waits at (sp, pc), or NO_TASK.
size_t shadow_find_waiting(const struct shadow_stack *shadow, uint64_t sp, uint64_t pc);

// Another task that the stack pointer belongs to, or NO_TASK.
size_t shadow_find_by_sp(const struct shadow_stack *shadow, uint64_t sp);

// The same, if it may have stopped at `pc`: another place than where it stopped is that of a new
// task on the stack of one that has ended, which is then forgotten.
size_t shadow_find_stopped(struct shadow_stack *shadow, uint64_t sp, uint64_t pc);

// Whether a task that was left at a place may continue at another: just by it, or where one of its
// frames was or returns to.
bool shadow_may_continue(struct shadow_stack *shadow, const struct task *task, uint64_t left_sp,
                         uint64_t left_pc, uint64_t sp, uint64_t pc);

// The task with the key of the running one that was left with this stack pointer, or otherwise the
// last one with that key; or NO_TASK.
size_t shadow_find_by_key(const struct shadow_stack *shadow, uint64_t sp);

// A task never continues, because another one has begun on its stack.
void shadow_forget(struct shadow_stack *shadow, size_t number);

// The innermost frame, which was just opened, rests on a guess.
void shadow_note_guess(struct shadow_stack *shadow, const struct transfer *transfer);

// Ends or opens frames if the innermost one is, according to images, of another function than the
// one that control has come to. After steps that only leave a guess.
bool shadow_follow_image(struct shadow_stack *shadow, const struct transfer *transfer);

// Whether an image has code at an address.
static inline bool shadow_is_in_image(const struct shadow_stack *shadow, uint64_t pc)
{
    return shadow->entries.given && function_map_find(shadow->entries.given, pc & ~UINT64_C(1));
}

// The innermost exception of a task, or NO_FRAME.
size_t task_find_exception(const struct task *task);

// --- Functions (shadow_jump.c) -------------------------------------------------------------------

// The range of an image that has the beginning of a frame; NULL: none has it.
static inline const struct function_range *shadow_range_of(struct shadow_stack *shadow,
                                                           const struct frame *frame)
{
    uint64_t entry = frame->pc & ~UINT64_C(1);
    struct frame_range *known = &shadow->ranges[entry / 4 % FRAME_RANGES];
    if (!shadow->entries.given)
        return NULL;
    if (UNLIKELY(known->entry != entry))
        *known = (struct frame_range){entry, function_map_find(shadow->entries.given, entry)};
    return known->range;
}

// The highest address that certainly belongs to the function of a frame.
static inline uint64_t shadow_high_of(struct shadow_stack *shadow, const struct frame *frame)
{
    const struct function_range *range = shadow_range_of(shadow, frame);
    return range ? range->last : frame->high;
}

// What images say of an address.
enum image_says {
    IMAGE_SAME,    // it belongs to the function of the frame
    IMAGE_OTHER,   // to another one
    IMAGE_NOTHING, // they do not have the function of the frame, or the address
};

enum image_says shadow_image_says(struct shadow_stack *shadow, const struct frame *frame,
                                  uint64_t pc);

// Where the function that has an address begins according to images; otherwise the address.
uint64_t shadow_entry_by_image(const struct shadow_stack *shadow, uint64_t pc);

// Whether an address is in the function of a frame, judging by images, or by the entries of other
// functions.
bool shadow_is_inside(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc);

// The same, as far as is certain: if no image has it, up to the highest known address of the frame,
// unless lines are missing, after which it may have been anywhere in the function.
bool shadow_was_inside(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc);

// --- Gaps (shadow_gap.c) -----------------------------------------------------------------------

enum gap_kind {
    GAP_INSIDE,    // within one function: nothing to do
    GAP_CALL,      // a call whose line is missing
    GAP_TAIL_CALL, // a branch to another function, with the stack as at the entry
    GAP_RETURN,    // a return whose line is missing
    GAP_EXCEPTION, // only an exception leads there
    GAP_UNCLEAR,   // the next transfer may decide
};

struct gap {
    enum gap_kind kind;
    size_t frame;   // for a return: the frame that ends
    uint64_t entry; // for a call: where the function begins
};

// How many bytes of consecutive instructions may be missing at the target.
#define GAP_BYTES 16

static inline bool gap_is_soon_after(uint64_t pc, uint64_t address)
{
    return is_known(address) && (pc & ~UINT64_C(1)) - (address & ~UINT64_C(1)) <= GAP_BYTES;
}

// The meaning of a transfer that its instruction does not explain.
struct gap gap_judge(struct shadow_stack *shadow, const struct transfer *transfer);

// The same, if the next transfer did not explain it.
struct gap gap_judge_late(struct shadow_stack *shadow, const struct transfer *transfer);

// Whether control went to a place of exceptions, although the trace does not show one.
bool gap_is_exception(struct shadow_stack *shadow, const struct transfer *transfer);

// The frame that returns to `pc` or shortly before it, with its stack pointer; if lines are
// missing, the stack pointer of the innermost frame does not matter. NO_FRAME: none.
size_t gap_find_returned(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// The innermost frame whose function contains an address, and whose stack pointer is not below
// `sp`; or NO_FRAME.
size_t gap_find_inside(struct shadow_stack *shadow, uint64_t pc, uint64_t sp);

// Where control should have gone.
uint64_t gap_expected(const struct branch *from);

// --- Branches (shadow_jump.c) --------------------------------------------------------------------

// Whether an exception took control after an instruction, instead of its normal continuation.
static inline bool is_exception(const struct transfer *transfer)
{
    return transfer->is_exception || transfer->from.kind == BRANCH_EXCEPTION;
}

// Whether control did not go where the previous instruction sends it: lines are missing or wrong.
static inline bool is_gap(const struct transfer *transfer)
{
    const struct branch *from = &transfer->from;
    return transfer->is_gap || from->kind == BRANCH_NONE ||
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
static inline bool stays_inside(struct shadow_stack *shadow, const struct frame *frame,
                                const struct transfer *transfer, uint64_t pc)
{
    if (transfer->from.kind != BRANCH_JUMP || frame->how & CALL_EXCEPTION)
        return false;
    const struct function_range *range = shadow_range_of(shadow, frame);
    if (range)
        return pc >= range->first && pc <= range->last;
    return pc > frame->pc && pc <= frame->high && transfer->previous.pc <= frame->high;
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

enum function_at shadow_function_at(struct shadow_stack *shadow, const struct frame *frame,
                                    uint64_t pc);

// Whether a branch went exactly to the start of another function, according to images. A handler,
// or a direct branch, may do this with another stack pointer than at entry.
bool shadow_enters_known(struct shadow_stack *shadow, const struct frame *frame,
                         const struct transfer *transfer);

// Whether an unconditional jump went to an instruction with which only functions begin, unless an
// image says otherwise. A function has one such place, unless it sets up its frame late, after a
// conditional branch.
bool shadow_enters_frame(const struct function_map *given, const struct frame *frame,
                         const struct transfer *transfer);

#endif
