// What a command over a trace does about its index: reads it, builds it, or goes without, and says
// why.
#ifndef TRAWL_CMD_TRACE_INDEX_H
#define TRAWL_CMD_TRACE_INDEX_H

#include "analysis/index_file.h"
#include "cmd/trace_run.h"

enum trace_index_outcome {
    TRACE_INDEX_UNUSED, // the trace is to be read
    TRACE_INDEX_USED,   // the request was run over the index, or an index was all that was wanted
    TRACE_INDEX_ENDS,   // the command ends with *status; what there is to say is said
};

// The trace is open, and still at its start. After TRACE_INDEX_UNUSED it still is. After
// TRACE_INDEX_USED later requests are run over the index, too.
enum trace_index_outcome trace_index_use(struct trace_command *command,
                                         const struct trace_request *request,
                                         enum exit_status *status);

// Finds the index of the open trace and judges it. STATUS_NOT_FOUND: it can have none, or none is
// wanted. `file` is freed by index_file_free either way.
enum status trace_index_find(const struct trace_command *command, struct index_file *file,
                             struct error *err);
// What an index has to be made from to fit. Options that change what events are always count; the
// byte order, which only memory has, counts where `by_memory`.
struct index_wanted trace_index_wanted(const struct trace_command *command,
                                       const struct fingerprint *fingerprint, bool by_memory);

// How to build it. One that `stays` is on the disk before it has its name, unless --no-sync.
struct indexing_options trace_index_plan(const struct trace_command *command, const char *path,
                                         const struct fingerprint *fingerprint, bool stays);

#endif
