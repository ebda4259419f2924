// Matches a chunk of a lane's transfers without knowing what was before it, and joins the result to
// the stack of what was before.
//
// Most of a chunk needs only its own frames: calls that return in it, and branches within
// functions. So the chunk is matched by a separate shadow stack that begins empty, and is divided
// into *runs*. The effect of a run on the frames around it is a short summary: what happened in the
// calls that ended, the frames left open, the addresses and stack pointers seen, and the functions
// called. A run ends at a transfer that only the whole stack can explain: a return to code before
// the chunk, an exception, a long jump, or a gap. The join takes such transfers one at a time.
//
// The summary also contains what the run assumed about the stack before it: that a branch in the
// frame around it stays in that frame, that no function unknown to the chunk begins between two
// addresses, that no task waits. The join checks these assumptions before it changes anything. If
// one does not hold, it takes the transfers of the run one at a time, too. So the result never
// depends on where chunks begin. Only the time of a join does: it grows with the number of runs,
// not of transfers.
#ifndef TRAWL_FLOW_SHADOW_CHUNK_H
#define TRAWL_FLOW_SHADOW_CHUNK_H

#include "flow/shadow_stack.h"

struct shadow_chunk;

// Can be used for one chunk after another. NULL: no memory.
struct shadow_chunk *shadow_chunk_new(void);
void shadow_chunk_free(struct shadow_chunk *chunk);

// How a chunk is matched: in the same way as by the stack that it is joined to.
struct chunk_options {
    const struct function_map *functions;
    const struct exception_rules *exceptions;
    bool returned_only;
    const struct call_stores *stores;
    void *store; // where its calls are gathered; not emptied first
};

// Matches the transfers of a chunk, which must stay valid until the chunk is joined. Events in them
// are absolute. False: no memory.
bool shadow_chunk_match(struct shadow_chunk *chunk, const struct chunk_options *options,
                        const struct transfer *transfers, size_t count);

// Updates a stack with a chunk, as if the stack had taken each of its transfers. The store of the
// chunk must belong to the `chunks` of the stack's consumer. False: no memory.
bool shadow_stack_join(struct shadow_stack *shadow, const struct shadow_chunk *chunk);

#endif
