// A piece of a lane's transfers, matched without knowing what was before it, and joined to what
// was.
//
// Most of what a piece does to the stacks needs only frames of the piece: calls that return in it,
// and branches within functions. So a piece is matched by a shadow stack of its own that begins
// empty, and falls into *runs*: what a run does to the frames around it is a short summary (what
// happened in the calls that ended, the frames that it leaves open, addresses and stack pointers
// that it saw, functions that calls went to). A run ends at a transfer that only the whole stack
// can explain: a return to before the piece, an exception, a jump far away, a slip. Those are taken
// one at a time when the piece is joined.
//
// What a run took for granted of what was before it is part of its summary too: that a branch in
// the frame around it stays in that, that no function which is not known yet lies between two
// addresses, that no task waits. The join holds it against the stacks, before anything was changed.
// Where it does not hold, the run's transfers are taken one at a time as well. So the result never
// depends on where pieces begin, but how long a join takes does: the runs, not the transfers.
#ifndef TRAWL_FLOW_SHADOW_PIECE_H
#define TRAWL_FLOW_SHADOW_PIECE_H

#include "flow/shadow_stack.h"

struct shadow_piece;

// For one piece after the other. NULL: no memory.
struct shadow_piece *shadow_piece_new(void);
void shadow_piece_free(struct shadow_piece *piece);

// What a piece is matched with: as the stack that it is joined to.
struct piece_options {
    const struct function_map *functions;
    bool returned_only;
    const struct call_pieces *pieces;
    void *store; // of calls, not emptied
};

// Matches the transfers of a piece, which must stay until it is joined. Events in them are
// absolute. False: no memory.
bool shadow_piece_match(struct shadow_piece *piece, const struct piece_options *options,
                        const struct transfer *transfers, size_t count);

// Has a stack take the piece, as if it took its transfers. The consumer of the stack is that whose
// pieces the store is of. False: no memory.
bool shadow_stack_join(struct shadow_stack *shadow, const struct shadow_piece *piece);

#endif
