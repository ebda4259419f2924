// The commands of `trawl farm`. A file in this folder defines each.
#ifndef TRAWL_CMD_FARM_COMMANDS_H
#define TRAWL_CMD_FARM_COMMANDS_H

#include "cli/options.h"
#include "cmd/farm/farm_plan.h"

extern const struct command_spec farm_plan_command, farm_task_command, farm_merge_command,
    farm_slurm_command;

// --- What those share that make a plan -----------------------------------------------------------

struct farm_planner {
    struct farm_plan plan; // the directory is set when the plan is made
    const char *directory; // default: trawl-farm
    const char *output_dir, *pattern;
    uint64_t shards; // 0: by the size of each trace
    uint64_t threads;
    bool is_dry; // nothing is made
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
    FARM_OWN,
};

extern const struct option_spec farm_plan_options[], farm_index_options[];

// Takes one option or positional of those. What options_next returns, OPTION_END: it was taken.
int farm_planner_take(struct farm_planner *planner, struct options_parser *parser, int option,
                      const struct option_match *match);

// Finds the traces and how each is cut.
enum status farm_planner_make(struct farm_planner *planner, struct error *err);

void farm_planner_free(struct farm_planner *planner);

// --- What those share that run tasks -------------------------------------------------------------

// Which of `count` tasks this process is to do, from 1: as `--task` says (0: not given), or the
// number that a scheduler put into the environment, of which the first is `first` (-1: as that
// scheduler counts). STATUS_NOT_FOUND: there is no such number, or none that counts so far.
enum status farm_task_number(uint64_t given, int64_t first, uint64_t count, uint64_t *number,
                             struct error *err);

#endif
