// A piece of a lane's transfers, matched as the Tarmac Trace Utilities do (calls.h) without knowing
// what was before it, and joined to what was.
//
// A transfer needs only calls that are pending in the piece where its stack pointer is lower than
// that of all others: those below what the stack pointer was raised from are dropped. Elsewhere
// what it looks for is taken for granted not to be pending from before, and the join checks that;
// but for returns, which are taken alone. So a piece falls into runs, as in shadow_piece.h. A run
// leaves its list of what is open, which is appended to the list of what was before.
#ifndef TRAWL_FLOW_CALLS_PIECE_H
#define TRAWL_FLOW_CALLS_PIECE_H

#include "flow/calls.h"

struct calls_piece;

// For one piece after the other. NULL: no memory.
struct calls_piece *calls_piece_new(void);
void calls_piece_free(struct calls_piece *piece);

// Matches the transfers of a piece, which must stay until it is joined; events in them are
// absolute. Calls go to `store`, which is one of `pieces` and is not emptied. False: no memory.
bool calls_piece_match(struct calls_piece *piece, const struct call_pieces *pieces, void *store,
                       const struct transfer *transfers, size_t count);

// Has a matcher take the piece, as if it took its transfers, but for those that are slips. The
// consumer of the matcher is that whose pieces the store is of. False: no memory.
bool call_matcher_join(struct call_matcher *matcher, const struct calls_piece *piece);

#endif
