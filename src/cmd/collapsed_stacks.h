// Collapsed stacks: a line for each stack, "main;work;sort 12", in the bytewise order of the lines.
// Their text is made by several threads, each of whole subtrees, and put in order.
#ifndef TRAWL_CMD_COLLAPSED_STACKS_H
#define TRAWL_CMD_COLLAPSED_STACKS_H

#include "cmd/contexts.h"
#include "report/out.h"

// False: no memory. That writing failed is for `out` to tell.
bool collapsed_stacks_write(struct trace_command *command, const struct contexts *contexts,
                            struct out *out);

#endif
