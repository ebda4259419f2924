// Stacks of the frames of GDB trace files, for `trawl stack` and `trawl flamegraph`.
#ifndef TRAWL_CMD_STACK_TFILE_H
#define TRAWL_CMD_STACK_TFILE_H

#include "analysis/unwind_tfile.h"
#include "cmd/contexts.h"

// How stacks are unwound; what else --unwind may be does not go with trace files.
enum tfile_unwind {
    TFILE_UNWIND_AUTO,   // SFrame where an image has it, else frame pointers
    TFILE_UNWIND_SFRAME, // likewise, and some image has to have it
    TFILE_UNWIND_FP,     // frame pointers alone
};

// Makes ready to unwind the file that the command has open, and room for a stack.
// stack_tfile_close gives it back in any case.
enum status stack_tfile_open(struct unwind_tfile *unwind, struct unwind_stack *stack,
                             struct trace_command *command, enum tfile_unwind how,
                             struct error *err);
void stack_tfile_close(struct unwind_tfile *unwind, struct unwind_stack *stack);

// The stack at the frame that --at tells; `query` has detected the file.
enum exit_status stack_tfile(struct query *query, enum tfile_unwind how);

// Contexts of the stacks of all frames that are wanted, each as one tick, or as many as the
// variable `weight` has in it. For a file that is detected. False: reported, *status is what to end
// with; freed by contexts_free either way.
bool contexts_tfile(struct contexts *contexts, struct trace_command *command, enum tfile_unwind how,
                    const char *weight, enum exit_status *status);

#endif
