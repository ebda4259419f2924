// A pass without the trace: produces from an index the same messages, results and calls as
// pipeline_run from the trace, so the report is identical.
#ifndef TRAWL_FLOW_REPLAY_H
#define TRAWL_FLOW_REPLAY_H

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

#endif
