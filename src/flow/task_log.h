// The tasks of a lane, as its shadow stack tells them apart (flow/shadow_stack.h), and when each of
// them ran.
#ifndef TRAWL_FLOW_TASK_LOG_H
#define TRAWL_FLOW_TASK_LOG_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/calls.h"
#include "idx/trawl.h"

struct lane_task {
    uint64_t stack;     // SP when it was first seen, of the first task the highest; ADDRESS_UNKNOWN
    uint64_t stack_low; // the lowest SP that a function of it was entered with; likewise
    uint64_t entry;     // where it was first seen; of the first task unknown
    struct call_content calls; // what happened in it outside of every call, if that was asked for
};

// From this event of the lane on, task `number` runs.
struct task_switch {
    uint64_t event, time, number;
};

// All zero is empty: task 0 runs all the time. Of a lane that has calls it holds one task at least.
struct task_log {
    bool splits_calls; // what happens outside of every call counts for the task and not the lane
    VEC(, struct lane_task) tasks;
    struct spool switches;
    uint64_t switch_count;
};

// As an index has it.
static inline struct lane_task task_of_index(const struct trawl_task *about)
{
    return (struct lane_task){
        .stack = about->stack == TRAWL_NONE ? ADDRESS_UNKNOWN : about->stack,
        .stack_low = about->stack_low == TRAWL_NONE ? ADDRESS_UNKNOWN : about->stack_low,
        .entry = about->entry == TRAWL_NONE ? ADDRESS_UNKNOWN : about->entry,
    };
}

void task_log_free(struct task_log *log);

// Appends a switch, which is not before the last one. False: no memory.
bool task_log_add(struct task_log *log, const struct task_switch *added);

static inline const struct task_switch *task_log_switches(const struct task_log *log)
{
    return (const struct task_switch *)(const void *)log->switches.base;
}

// Adds how long each task ran from time `first` to `last` to ticks[task].
void task_log_add_ticks(const struct task_log *log, uint64_t first, uint64_t last, uint64_t *ticks);

#endif
