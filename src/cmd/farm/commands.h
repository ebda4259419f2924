// The commands of `trawl farm`, each in its own file.
#ifndef TRAWL_CMD_FARM_COMMANDS_H
#define TRAWL_CMD_FARM_COMMANDS_H

#include "cli/options.h"
#include "cmd/farm/farm_plan.h"

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

// --- For commands that run tasks -----------------------------------------------------------------

// The number, from 1, of the task of `count` tasks that this process is to run: `given` by --task,
// or, if that is 0, the number that a scheduler set in the environment. `first` is the scheduler's
// number of the first task; -1: its usual one. STATUS_NOT_FOUND: there is no such number, or it is
// out of range.
enum status farm_task_number(uint64_t given, int64_t first, uint64_t count, uint64_t *number,
                             struct error *err);

#endif
