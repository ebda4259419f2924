// Writes collapsed stacks: one line for each stack, "main;work;sort 12", in bytewise order. Several
// threads write the text, each of whole subtrees, and the texts are put in order.
#ifndef TRAWL_CMD_COLLAPSED_STACKS_H
#define TRAWL_CMD_COLLAPSED_STACKS_H

#include "cmd/contexts.h"
#include "report/out.h"

// False: no memory. `out` reports failed writes.
bool collapsed_stacks_write(struct command *command, const struct contexts *contexts,
                            struct out *out);

#endif
