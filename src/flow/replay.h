// A pass without the trace: says, fills and feeds from an index what pipeline_run would from the
// trace that the index was made of, so that a report cannot tell.
#ifndef TRAWL_FLOW_REPLAY_H
#define TRAWL_FLOW_REPLAY_H

#include "flow/pass.h"
#include "idx/trawl.h"

// Of the options, `how.reading`, `keep_open_calls`, `range`, `watch` and `consumer` count. The
// observer's `note` and `fault` are called after all else, so that on failure nothing has been
// said, though the consumer may have been fed: what it gathered is not reachable from `result`.
//
// STATUS_LIMIT: the index does not hold all that `note` would be told. STATUS_DAMAGED: it is
// damaged.
enum status replay_run(struct trawl_index *index, const struct pass_options *options,
                       const struct pass_observer *observer, struct pass_result *result,
                       struct error *err);

// Of what the pass said only which lines are of unknown records.
enum status replay_unknown(struct trawl_index *index, struct unknown_summary *unknown,
                           struct error *err);

// Calls `note` for what the pass left out of the index although it was understood. What it cannot
// read of a damaged index it passes over.
void replay_losses(struct trawl_index *index, void *self,
                   void (*note)(void *self, const struct line_note_report *note));

#endif
