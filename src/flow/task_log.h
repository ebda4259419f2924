// The tasks of a lane according to its shadow stack (flow/shadow_stack.h), and when each of them
// ran.
#ifndef TRAWL_FLOW_TASK_LOG_H
#define TRAWL_FLOW_TASK_LOG_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/call_consumer.h"
#include "idx/trawl.h"

struct lane_task {
    uint64_t stack;            // SP when it was first seen, for the first task the highest;
                               // ADDRESS_UNKNOWN
    uint64_t stack_low;        // the lowest SP at the entry of one of its functions; likewise
    uint64_t entry;            // where it was first seen; unknown for the first task
    uint64_t key;              // by which its system knows it; 0: not known
    struct call_content calls; // what happened in it outside of all calls, if requested
    bool is_interrupts;        // it is none: interrupts run in its runs
};

// From this event of the lane on, task `number` runs.
struct task_switch {
    uint64_t event, time, number;
};

// All zero is empty: task 0 runs all the time. For a lane with calls there is at least one task.
struct task_log {
    bool splits_calls; // what happens outside of all calls counts for the task, not for the lane
    // Likewise: interrupts belong to no task. They are the last of the tasks, if there were any,
    // and what they interrupt ends for as long, and continues.
    bool parts_interrupts;
    VEC(, struct lane_task) tasks;
    struct spool switches;
    uint64_t switch_count;
};

// From an index.
static inline struct lane_task task_of_index(const struct trawl_task *about)
{
    return (struct lane_task){
        .stack = about->stack == TRAWL_NONE ? ADDRESS_UNKNOWN : about->stack,
        .stack_low = about->stack_low == TRAWL_NONE ? ADDRESS_UNKNOWN : about->stack_low,
        .entry = about->entry == TRAWL_NONE ? ADDRESS_UNKNOWN : about->entry,
        .key = about->key,
    };
}

// The number of interrupts in switches, until all tasks are known.
#define TASK_INTERRUPTS UINT64_MAX

// Adds the interrupts as the last task, if there were any. False: no memory.
bool task_log_add_interrupts(struct task_log *log, const struct call_content *calls);

void task_log_free(struct task_log *log);

// Appends a switch, which must not be before the last one. False: no memory.
bool task_log_add(struct task_log *log, const struct task_switch *added);

static inline const struct task_switch *task_log_switches(const struct task_log *log)
{
    return (const struct task_switch *)(const void *)log->switches.base;
}

// Adds how long each task ran from time `first` to `last` to ticks[task].
void task_log_add_ticks(const struct task_log *log, uint64_t first, uint64_t last, uint64_t *ticks);

// A run of a task: from a switch to the next one, or to the end of the trace. Run 0 begins with the
// lane, run N with switch N, from 1.
struct task_run {
    uint64_t task;
    uint64_t first_time, end_time; // UINT64_MAX: at the end
    uint64_t end_event;            // likewise
};

struct task_run task_log_run(const struct task_log *log, uint64_t number);

#define TASK_RUN_NONE UINT64_MAX

// The runs of groups of tasks, in their order. All zero is empty.
struct task_runs {
    struct spool next; // for each run, the next one of its group
};

// Tasks of the log with the same group_of are combined; first_runs[group] becomes the number of the
// group's first run, or is unchanged if it has none. False: no memory. Freed by task_runs_free
// either way.
bool task_runs_make(struct task_runs *runs, const struct task_log *log, const size_t *group_of,
                    uint64_t *first_runs);
void task_runs_free(struct task_runs *runs);

// The next run of the same group, or TASK_RUN_NONE.
static inline uint64_t task_runs_next(const struct task_runs *runs, uint64_t number)
{
    return ((const uint64_t *)(const void *)runs->next.base)[number];
}

#endif
