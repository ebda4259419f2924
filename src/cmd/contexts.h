// Shared by profile and flame graph: run the pass into a calling context tree and find its roots.
#ifndef TRAWL_CMD_CONTEXTS_H
#define TRAWL_CMD_CONTEXTS_H

#include "cmd/command.h"
#include "cmd/query.h"
#include "cmd/unwinding.h"
#include "flow/long_calls.h"
#include "query/frame_split.h"
#include "query/stacks.h"
#include "report/out.h"
#include "session/lane_contexts.h"
#include "unwind/unwind.h"

// Call it after command_open_images. With `focus`, --function makes that function's contexts
// the roots. `split`: how they will be split (NULL: not at all). False: the command ends.
// Freed by contexts_free either way.
bool contexts_gather(struct contexts *contexts, struct command *command, bool focus,
                     struct frame_split *split);

// The stacks of contexts as a walk over them takes them, down to `depth_max` levels.
struct stacks contexts_stacks(const struct contexts *contexts, struct command *command,
                              uint64_t depth_max);

// Whether frames can be split (command->split_by) with the given options; `words` names the options
// that request it. False: reported. Also true if splitting is not requested.
#define SPLIT_OPTIONS "--lines, --inlines and --instructions"
bool contexts_split_begin(struct command *command, struct options_parser *parser,
                          const char *words);

// Splits what was gathered. The labels belong to `split`, which looks up lines in its `lines`.
// False: no memory.
bool contexts_split(struct contexts *contexts, struct frame_split *split);

// Contexts from samples: the stack of every `every`-th event of each lane, unwound, counts as one
// tick; --function as above. For commands that ask an index.
bool contexts_sample(struct contexts *contexts, struct command *command, enum unwind_method how,
                     uint64_t every);

// The same from snapshots, which are unwound one by one in order: each that the filters select
// counts as one tick, or as the value of the variable `weight` (NULL: none) in it.
bool contexts_snapshots(struct contexts *contexts, struct command *command, enum unwind_method how,
                        const char *weight);

// --- Reports -------------------------------------------------------------------------------------

// Reports that are in files of their own, or that more than one command writes.

// The rows of long calls in a table, and how many there are.
struct long_rows {
    struct call_lengths lengths;
    uint64_t least; // ticks of the shortest of them, for rows that are no calls
    uint64_t kept, dropped;
    uint64_t longest; // of those that were dropped
};

// The table of calls of `trawl export`: with numbers of calls, what each took by itself, and
// arguments of a log.
struct call_table {
    bool has_values;        // also arguments and results, from an index
    struct long_rows *only; // NULL: all
};

// Steps of commands (struct command_steps): the call tree, in command->table_format: that of `trawl
// calltree` (NULL) or of `trawl export`.
bool report_call_tree(struct command *command, const struct call_table *table);

// Collapsed stacks: that of `trawl flamegraph`, if it is not a picture.
bool report_collapsed_stacks(struct command *command);

// Time by stack as a profile of callgrind, of pprof, and of speedscope.
bool report_callgrind(struct command *command);
bool report_pprof(struct command *command);
bool report_speedscope(struct command *command);

// --- collapsed_stacks.c --------------------------------------------------------------------------

// Writes collapsed stacks: one line for each stack, "main;work;sort 12", in bytewise order. Several
// threads write the text, each of whole subtrees, and the texts are put in order.

// False: no memory. `out` reports failed writes.
bool collapsed_stacks_write(struct command *command, const struct contexts *contexts,
                            struct out *out);

// --- lane_stacks.c -------------------------------------------------------------------------------

// The calls active at a point of a trace, which is read for this (trace/trace.h), for `trawl
// stack`.

// Shows the stack of the lane of --lane or of the point, otherwise of each lane.
bool lane_stacks_report(struct command *command);

// Writes the report of `stack --usage`, up to command->event.
bool stack_usage_report(struct command *command);

#endif
