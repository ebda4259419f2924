// What the tasks of a farm share: which traces are indexed, in how many shards, and where
// everything is stored. It is a file `plan` in a directory that all machines can access:
//
//     trawl farm plan 1
//     option --image=/data/prog.elf      of 'trawl index'; any number
//     trace 8 /data/run.tarmac           shards, path; 0: indexed as a whole
//     index /data/run.tarmac.index       of the trace above it
//
// In paths, a newline is \n and a backslash is \\. Tasks are numbered from 1: the shards of the
// first trace, then those of the second, and so on.
#ifndef TRAWL_CMD_FARM_FARM_PLAN_H
#define TRAWL_CMD_FARM_FARM_PLAN_H

#include "base/error.h"
#include "base/vec.h"

struct farm_trace {
    char *path, *index; // absolute
    uint32_t shards;    // 0: it cannot be split, and is one task
};

struct farm_plan {
    char *directory; // absolute
    VEC(, struct farm_trace) traces;
    VEC(, char *) options;
};

// A task, or (in `farm merge`) a trace.
struct farm_task {
    const struct farm_trace *trace;
    size_t trace_number; // from 1
    uint32_t shard;      // from 1; 0: the whole trace
};

// Adds copies. False: no memory.
bool farm_plan_add_trace(struct farm_plan *plan, const char *path, const char *index,
                         uint32_t shards);
bool farm_plan_add_option(struct farm_plan *plan, const char *name, const char *value);

uint64_t farm_plan_task_count(const struct farm_plan *plan);

// Task `number`, from 1 to farm_plan_task_count.
struct farm_task farm_plan_task(const struct farm_plan *plan, uint64_t number);

// The path of the part of a shard; to be freed. NULL: no memory.
char *farm_plan_part(const struct farm_plan *plan, size_t trace_number, uint32_t shard);

// The path of the survey of a shard's piece; likewise.
char *farm_plan_survey(const struct farm_plan *plan, size_t trace_number, uint32_t shard);

// A pattern that matches all surveys of a trace; likewise.
char *farm_plan_surveys(const struct farm_plan *plan, size_t trace_number);

// The path of a file in the directory; to be freed. NULL: no memory.
char *farm_plan_file(const struct farm_plan *plan, const char *name);

// Writes the plan, and makes its directory. If there was another plan, parts made for it are
// removed. `plan->directory` may be relative, and becomes absolute.
enum status farm_plan_write(struct farm_plan *plan, struct error *err);

// Reads the plan of a directory. STATUS_INPUT: there is none, or it is damaged.
enum status farm_plan_read(struct farm_plan *plan, const char *directory, struct error *err);

void farm_plan_free(struct farm_plan *plan);

#endif
