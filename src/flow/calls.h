// From transfers of control to calls: which call a transfer returns from, and how calls nest.
//
// Detection is the heuristic of the Tarmac Trace Utilities: a transfer with a fresh LR near the
// next address makes a pending call, with SP and return address as key; a transfer to that address
// with that SP returns from it. Nesting is theirs, too: intervals may overlap, and only depth
// counts, so a return closes the innermost real call, which need not be the one that it matched.
//
// Whether a pending call is real is known only when it returns, or never does. So open calls are
// kept as a list of opens and closes, and each chunk of it folds as soon as its nesting is certain:
// an open that turns out never to return melts into its surroundings, a real open next to a close
// is a finished call. Each step removes something from the list, so the work is one step per
// transfer, and memory depends on the open calls, not on past ones.
#ifndef TRAWL_FLOW_CALLS_H
#define TRAWL_FLOW_CALLS_H

#include "flow/call_consumer.h"

struct call_matcher;

// A matcher for one lane, or NULL without memory.
struct call_matcher *call_matcher_new(const struct call_consumer *consumer);
void call_matcher_free(struct call_matcher *matcher);

// What the heuristic did with a transfer, for the debug output.
struct call_decision {
    bool is_return;
    bool is_call;           // also if it was already pending
    uint64_t returned_line; // where the call that it returns from was made
};

// Processes one transfer; events in it are absolute. False: no memory.
bool call_matcher_transfer(struct call_matcher *matcher, const struct transfer *transfer,
                           struct call_decision *decision);

// Drops the calls pending at a lower SP than `sp`. False: no memory.
bool call_matcher_drop(struct call_matcher *matcher, uint64_t sp);

// Ends the trace at node `last`. Calls that have not returned melt away; with `keep_open`, those of
// which no outer frame has returned end there, marked open. What happened outside of all calls goes
// to `outermost`.
bool call_matcher_finish(struct call_matcher *matcher, const struct node_ref *last, bool keep_open,
                         struct call_content *outermost, struct call_counts *counts);

// --- Chunks --------------------------------------------------------------------------------------

// Matches a chunk of a lane's transfers as the Tarmac Trace Utilities do, without knowing
// what was before it, and joins the result to what was.
//
// When SP rises, calls that are pending below it are dropped. So no call from before the chunk can
// be pending at a transfer whose SP is lower than all such calls have: the calls pending in the
// chunk decide. For other transfers, the chunk assumes that the key they look for is not pending
// from before, and the join checks that. Returns that match no call of the chunk are the exception:
// the join takes them alone. So a chunk is divided into runs, as in shadow_chunk.h. A run leaves a
// list of open calls, which the join appends to the list of what was before.

struct calls_chunk;

// Can be used for one chunk after another. NULL: no memory.
struct calls_chunk *calls_chunk_new(void);
void calls_chunk_free(struct calls_chunk *chunk);

// Matches the transfers of a chunk, which must stay valid until the chunk is joined. Events in them
// are absolute. Calls go to `store`, which was made by `chunks` and is not emptied first. False: no
// memory.
bool calls_chunk_match(struct calls_chunk *chunk, const struct call_stores *stores, void *store,
                       const struct transfer *transfers, size_t count);

// Updates a matcher with a chunk, as if the matcher had taken each of its transfers, except gaps.
// The store of the chunk must belong to the `chunks` of the matcher's consumer. False: no memory.
bool call_matcher_join(struct call_matcher *matcher, const struct calls_chunk *chunk);

#endif
