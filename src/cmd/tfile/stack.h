// Stacks of the frames of GDB trace files, for `trawl stack` and `trawl flamegraph`.
#ifndef TRAWL_CMD_TFILE_STACK_H
#define TRAWL_CMD_TFILE_STACK_H

#include "analysis/unwind_tfile.h"
#include "cmd/kind_reports.h"

// Makes ready to unwind the file that the command has open, and room for a stack.
// stack_tfile_close gives it back in any case.
enum status stack_tfile_open(struct unwind_tfile *unwind, struct unwind_stack *stack,
                             struct trace_command *command, enum unwind_method how,
                             struct error *err);
void stack_tfile_close(struct unwind_tfile *unwind, struct unwind_stack *stack);

// The stack at the frame that --at tells; `query` has detected the file.
enum exit_status tfile_stack(struct query *query, enum unwind_method how);

// Contexts of the stacks of all frames that are wanted, each as one tick, or as many as the
// variable `weight` has in it. For a file that is detected. False: reported, *status is what to end
// with; freed by contexts_free either way.
bool contexts_tfile(struct contexts *contexts, struct trace_command *command,
                    enum unwind_method how, const char *weight, enum exit_status *status);

#endif
