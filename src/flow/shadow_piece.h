// Matches a piece of a lane's transfers without knowing what was before it, and joins the result to
// the stack of what was before.
//
// Most of a piece needs only its own frames: calls that return in it, and branches within
// functions. So the piece is matched by a separate shadow stack that begins empty, and is divided
// into *runs*. The effect of a run on the frames around it is a short summary: what happened in the
// calls that ended, the frames left open, the addresses and stack pointers seen, and the functions
// called. A run ends at a transfer that only the whole stack can explain: a return to code before
// the piece, an exception, a long jump, or a slip. The join takes such transfers one at a time.
//
// The summary also contains what the run assumed about the stack before it: that a branch in the
// frame around it stays in that frame, that no function unknown to the piece begins between two
// addresses, that no task waits. The join checks these assumptions before it changes anything. If
// one does not hold, it takes the transfers of the run one at a time, too. So the result never
// depends on where pieces begin. Only the time of a join does: it grows with the number of runs,
// not of transfers.
#ifndef TRAWL_FLOW_SHADOW_PIECE_H
#define TRAWL_FLOW_SHADOW_PIECE_H

#include "flow/shadow_stack.h"

struct shadow_piece;

// Can be used for one piece after another. NULL: no memory.
struct shadow_piece *shadow_piece_new(void);
void shadow_piece_free(struct shadow_piece *piece);

// How a piece is matched: in the same way as by the stack that it is joined to.
struct piece_options {
    const struct function_map *functions;
    bool returned_only;
    const struct call_pieces *pieces;
    void *store; // where its calls are gathered; not emptied first
};

// Matches the transfers of a piece, which must stay valid until the piece is joined. Events in them
// are absolute. False: no memory.
bool shadow_piece_match(struct shadow_piece *piece, const struct piece_options *options,
                        const struct transfer *transfers, size_t count);

// Updates a stack with a piece, as if the stack had taken each of its transfers. The store of the
// piece must belong to the `pieces` of the stack's consumer. False: no memory.
bool shadow_stack_join(struct shadow_stack *shadow, const struct shadow_piece *piece);

#endif
