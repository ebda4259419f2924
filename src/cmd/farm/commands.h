// The commands of `trawl farm`, each in its own file.
#ifndef TRAWL_CMD_FARM_COMMANDS_H
#define TRAWL_CMD_FARM_COMMANDS_H

#include "base/error.h"
#include "base/vec.h"
#include "cli/options.h"

// --- farm_plan.c ---------------------------------------------------------------------------------

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

extern const struct command_spec farm_plan_command, farm_task_command, farm_merge_command,
    farm_slurm_command;

// --- For commands that make a plan ---------------------------------------------------------------

struct farm_planner {
    struct farm_plan plan; // the directory is set when the plan is made
    const char *directory; // default: trawl-farm
    const char *output_dir, *pattern;
    uint64_t shards; // 0: according to the size of each trace
    uint64_t threads;
    bool is_dry; // nothing is written
    VEC(, const char *) words;
};

enum {
    FARM_DIR = 1,
    FARM_SHARDS,
    FARM_OUTPUT_DIR,
    FARM_PATTERN,
    FARM_THREADS,
    FARM_IMAGE,
    FARM_BIG_ENDIAN,
    FARM_IMPLICIT_THUMB,
    FARM_STRIP_PREFIX,
    FARM_OWN,
};

extern const struct option_spec farm_plan_options[], farm_index_options[];

// Takes one of the shared options or positionals. Returns what options_next does; OPTION_END:
// taken.
int farm_planner_take(struct farm_planner *planner, struct options_parser *parser, int option,
                      const struct option_match *match);

// Finds the traces, and decides how many shards each gets.
enum status farm_planner_make(struct farm_planner *planner, struct error *err);

void farm_planner_free(struct farm_planner *planner);

#endif
