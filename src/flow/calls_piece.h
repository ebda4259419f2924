// Matches a piece of a lane's transfers as the Tarmac Trace Utilities do (calls.h), without knowing
// what was before it, and joins the result to what was.
//
// When SP rises, calls that are pending below it are dropped. So no call from before the piece can
// be pending at a transfer whose SP is lower than all such calls have: the calls pending in the
// piece decide. For other transfers, the piece assumes that the key they look for is not pending
// from before, and the join checks that. Returns that match no call of the piece are the exception:
// the join takes them alone. So a piece is divided into runs, as in shadow_piece.h. A run leaves a
// list of open calls, which the join appends to the list of what was before.
#ifndef TRAWL_FLOW_CALLS_PIECE_H
#define TRAWL_FLOW_CALLS_PIECE_H

#include "flow/calls.h"

struct calls_piece;

// Can be used for one piece after another. NULL: no memory.
struct calls_piece *calls_piece_new(void);
void calls_piece_free(struct calls_piece *piece);

// Matches the transfers of a piece, which must stay valid until the piece is joined. Events in them
// are absolute. Calls go to `store`, which was made by `pieces` and is not emptied first. False: no
// memory.
bool calls_piece_match(struct calls_piece *piece, const struct call_pieces *pieces, void *store,
                       const struct transfer *transfers, size_t count);

// Updates a matcher with a piece, as if the matcher had taken each of its transfers, except slips.
// The store of the piece must belong to the `pieces` of the matcher's consumer. False: no memory.
bool call_matcher_join(struct call_matcher *matcher, const struct calls_piece *piece);

#endif
