// A pass without the trace: produces from an index the same messages, results and calls as
// pipeline_run from the trace, so the report is identical.
#ifndef TRAWL_FLOW_REPLAY_H
#define TRAWL_FLOW_REPLAY_H

#include "base/error.h"
#include "flow/pass.h"
#include "idx/trawl.h"

// Of the options, `how.reading`, `keep_open_calls`, `range`, `watch` and `consumer` count. The
// observer's `note` and `fault` are called last, so on failure nothing was reported. The consumer
// may have received calls, but `result` does not contain them.
//
// STATUS_LIMIT: the index does not have all notes. STATUS_DAMAGED: it is damaged.
enum status replay_run(struct trawl_index *index, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);

// Replays only the summary of lines with unknown records.
enum status replay_unknown(struct trawl_index *index, struct unknown_summary *unknown,
                           struct error *err);

// Reads what makes reports doubtful.
enum status replay_doubts(struct trawl_index *index, struct doubts *doubts, struct error *err);

// Calls `note` for what the pass understood but did not store in the index. Skips unreadable parts
// of a damaged index.
void replay_losses(struct trawl_index *index, void *self,
                   void (*note)(void *self, const struct line_note_report *note));

// Whether the calls of a trace were found without the stack pointer, as stored in its index.
//
// `lacks`: there were calls, or may have been, and no lane ever wrote its stack pointer in any
// instruction set (for a lane with both, the index knows that of AArch64 and the last). Then
// recursive calls, and those left by exceptions and longjmp, are not distinguished. If the index is
// damaged, the stack pointer counts as present, because a report without registers does not need
// it: STATUS_MEMORY is the only failure.
enum status stack_pointer_lacks(struct trawl_index *index, bool *lacks, struct error *err);

#endif
