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
    if (is_again) { // of two switches at once the last one counts
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

void task_log_add_ticks(const struct task_log *log, uint64_t first, uint64_t last, uint64_t *ticks)
{
    const struct task_switch *switches = task_log_switches(log);
    uint64_t running = 0, start = first;
    for (uint64_t i = 0; i < log->switch_count; i++) {
        uint64_t end = u64_max(start, u64_min(last, switches[i].time));
        ticks[running] += end - start;
        start = end;
        running = switches[i].number;
    }
    ticks[running] += u64_max(start, last) - start;
}
