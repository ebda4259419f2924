#include "flow/task_log.h"

#include <stdlib.h>

void task_log_free(struct task_log *log)
{
    free(log->tasks.items);
    spool_free(&log->switches);
    *log = (struct task_log){0};
}

bool task_log_add(struct task_log *log, const struct task_switch *added)
{
    bool is_again =
        log->switch_count && task_log_switches(log)[log->switch_count - 1].event == added->event;
    if (is_again) { // of two simultaneous switches the last one counts
        log->switches.used_bytes -= sizeof *added;
        log->switch_count--;
    }
    char *at = spool_reserve(&log->switches, sizeof *added);
    if (!at)
        return false;
    memcpy(at, added, sizeof *added);
    log->switches.used_bytes += sizeof *added;
    log->switch_count++;
    return true;
}

bool task_log_add_interrupts(struct task_log *log, const struct call_content *calls)
{
    struct task_switch *switches = (struct task_switch *)(void *)log->switches.base;
    bool has_any = false;
    for (uint64_t i = 0; i < log->switch_count; i++) {
        if (switches[i].number != TASK_INTERRUPTS)
            continue;
        switches[i].number = log->tasks.count;
        has_any = true;
    }
    if (!has_any)
        return true;
    if (!VEC_ROOM(&log->tasks, 1))
        return false;
    log->tasks.items[log->tasks.count++] = (struct lane_task){.stack = ADDRESS_UNKNOWN,
                                                              .stack_low = ADDRESS_UNKNOWN,
                                                              .entry = ADDRESS_UNKNOWN,
                                                              .calls = *calls,
                                                              .is_interrupts = true};
    return true;
}

struct task_run task_log_run(const struct task_log *log, uint64_t number)
{
    const struct task_switch *switches = task_log_switches(log);
    struct task_run run = {.end_time = UINT64_MAX, .end_event = UINT64_MAX};
    if (number) {
        run.task = switches[number - 1].number;
        run.first_time = switches[number - 1].time;
    }
    if (number < log->switch_count) {
        run.end_time = switches[number].time;
        run.end_event = switches[number].event;
    }
    return run;
}

void task_log_add_ticks(const struct task_log *log, uint64_t first, uint64_t last, uint64_t *ticks)
{
    uint64_t start = first;
    for (uint64_t i = 0; i <= log->switch_count; i++) {
        const struct task_run run = task_log_run(log, i);
        uint64_t end = u64_max(start, u64_min(last, run.end_time));
        ticks[run.task] += end - start;
        start = end;
    }
}

bool task_runs_make(struct task_runs *runs, const struct task_log *log, const size_t *group_of,
                    uint64_t *first_runs)
{
    uint64_t bytes = (log->switch_count + 1) * sizeof(uint64_t);
    uint64_t *next = (uint64_t *)(void *)spool_reserve(&runs->next, bytes);
    if (!next)
        return false;
    runs->next.used_bytes += bytes;
    for (uint64_t i = log->switch_count + 1; i-- > 0;) {
        uint64_t *first = &first_runs[group_of[task_log_run(log, i).task]];
        next[i] = *first;
        *first = i;
    }
    return true;
}

void task_runs_free(struct task_runs *runs)
{
    spool_free(&runs->next);
}
