#include "cmd/farm/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The variables in which schedulers give a task of an array its number, and their first numbers.
static const struct scheduler {
    const char *variable;
    int64_t first;
} schedulers[] = {
    {"SLURM_ARRAY_TASK_ID", 1}, // set so by `farm slurm`
    {"LSB_JOBINDEX", 1},        // 0 in a job that is not an array
    {"SGE_TASK_ID", 1},         // "undefined" in a job that is not an array
    {"PBS_ARRAY_INDEX", 1},
    {"PBS_ARRAYID", 1},          // Torque
    {"JOB_COMPLETION_INDEX", 0}, // an indexed job of Kubernetes
    {"AWS_BATCH_JOB_ARRAY_INDEX", 0},
};

static bool parse(const char *text, uint64_t *number)
{
    char *end;
    if (!text || *text < '0' || *text > '9' || strlen(text) > 18)
        return false;
    *number = strtoull(text, &end, 10);
    return !*end;
}

// Numbers below the scheduler's first one do not count, unless `first` allows them.
static const struct scheduler *find_scheduler(int64_t first, uint64_t *number)
{
    for (size_t i = 0; i < ARRAY_COUNT(schedulers); i++) {
        const struct scheduler *scheduler = &schedulers[i];
        int64_t least = first == 0 ? 0 : scheduler->first;
        if (parse(getenv(scheduler->variable), number) && (int64_t)*number >= least)
            return scheduler;
    }
    return NULL;
}

enum status farm_task_number(uint64_t given, int64_t first, uint64_t count, uint64_t *number,
                             struct error *err)
{
    if (given) {
        *number = given;
    } else {
        const struct scheduler *scheduler = find_scheduler(first, number);
        if (!scheduler)
            return error_set(err, STATUS_NOT_FOUND,
                             "no task number: give --task N, or let a scheduler set it "
                             "(SLURM_ARRAY_TASK_ID, LSB_JOBINDEX, SGE_TASK_ID, PBS_ARRAY_INDEX, "
                             "JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX)");
        int64_t from = first >= 0 ? first : scheduler->first;
        if ((int64_t)*number < from)
            return error_set(err, STATUS_NOT_FOUND, "%s is %" PRIu64 ", before --first %" PRId64,
                             scheduler->variable, *number, from);
        *number -= (uint64_t)(from - 1);
    }
    if (*number > count)
        return error_set(err, STATUS_NOT_FOUND, "task %" PRIu64 ": the plan has only %" PRIu64,
                         *number, count);
    return STATUS_OK;
}
