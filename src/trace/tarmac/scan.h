// The second pass over a chunk's marks: nodes are cut, and what depends on them comes out:
// transfers of control for the matching of calls, and visits to watched addresses.
#ifndef TRAWL_TRACE_TARMAC_SCAN_H
#define TRAWL_TRACE_TARMAC_SCAN_H

#include "base/source.h"
#include "flow/clip.h"
#include "flow/node.h"
#include "trace/tarmac/lane_state.h"

// The nodes that begin in the chunk, as the marks that begin them have them. A row after the last
// has line UINT32_MAX.
struct scan_nodes {
    uint64_t *time, *pc;
    uint32_t *line, *position; // relative to the chunk
    uint8_t *flags;            // enum event_flag
    size_t count, capacity;
};

// An instruction or exception that is not the first event of its node.
struct node_join {
    uint32_t node; // counted in the chunk from 1; 0: the node carried in
    uint32_t mark;
};

// What a scan keeps beside transfers.
struct scan_options {
    struct watch_list watch;
    bool keep_nodes;
    bool drop_transfers; // nobody wants them
};

// The stack pointers of a lane, as far as they were written in the chunk. One place more than there
// are banks has what was written last to any.
#define SP_LAST SP_BANK_COUNT
struct stack_pointers {
    uint64_t value[SP_BANK_COUNT + 1];
    uint32_t written; // bit i: value[i]
};

// In the place of a stack pointer that was not written in the chunk: number `at` of those carried.
#define SP_CARRIED(at) (UINT64_MAX - 1 - (at))

static inline bool sp_is_carried(uint64_t value)
{
    return SP_CARRIED(0) - value <= SP_LAST;
}

// Completes a stack pointer by those that were carried into the chunk.
static inline void sp_complete(uint64_t *value, const struct stack_pointers *carried)
{
    uint64_t at = SP_CARRIED(0) - *value;
    if (sp_is_carried(*value))
        *value = carried->written >> at & 1 ? carried->value[at] : ADDRESS_UNKNOWN;
}

// What a lane carries from chunk to chunk for its transfers. Only the matching of calls
// needs it, so that it is no part of the state that the stitch computes.
struct lane_carry {
    struct stack_pointers pointers;
    struct branch branch;     // what the last instruction did
    bool is_exception;        // one was taken after it
    uint64_t sp_at_exception; // where it was taken
    uint64_t resume;          // what ELR was set to after it; ADDRESS_UNKNOWN
};

#define LANE_CARRY_START                                                                           \
    ((struct lane_carry){.branch = {.target = ADDRESS_UNKNOWN}, .resume = ADDRESS_UNKNOWN})

// What an instruction was decoded to, for when it is executed again: the same branches are taken
// over and over, and the text of an encoding tells whether it is the same.
struct branch_memo {
    uint64_t pc;
    char digits[ENCODING_DIGITS]; // what stands where they begin
    struct mark_gist gist;
    struct branch branch;
    char arrived[ENCODING_DIGITS]; // likewise, of where it went, if it is an unconditional jump
    bool opens_frame;              // as they tell
};

#define BRANCH_MEMO_COUNT 128

struct scan_result {
    VEC(, struct transfer) transfers;
    size_t carried_count; // those after them have all their stack pointers from the chunk
    VEC(, struct visit) visits;
    struct scan_nodes nodes;       // if kept, as many as node_count
    VEC(, struct node_join) joins; // if nodes are kept
    uint64_t drop_below_at_end;    // of the SP writes after the last transfer
    uint64_t node_count;           // that begin in the chunk
    struct lane_carry carry;       // after the chunk, with what it does not tell left out
    bool has_instruction;          // carry.branch is of the chunk
    bool first_is_transfer;        // the first transfer is from an instruction before the chunk
    struct node_ref root;          // the lane's first node with an instruction, if it lies here
    bool has_root;
    struct branch_memo *memo; // by the PC, BRANCH_MEMO_COUNT, the caller's; for a chunk
};

// Moves `state` over the marks and appends to `result`, whose columns are emptied first. Node
// events are relative to the chunk. False when there is no memory.
//
// `chunk` is what the marks are of, for the encodings of branches; NULL: nobody wants transfers.
bool scan_marks(struct lane_state *state, const struct marks *marks,
                const struct source_chunk *chunk, const struct chunk_base *base,
                const struct scan_options *options, struct scan_result *result);

// Empties a result, as of a chunk without marks.
void scan_result_clear(struct scan_result *result);

// Moves what the lane carries for its transfers to after the chunk.
void scan_carry(struct scan_result *result, struct lane_carry *carry);

// Completes what the chunk did not tell of its transfers by what the lane carried into it.
void scan_complete(struct scan_result *result, const struct lane_carry *carry);

// Has a clip pass the nodes that begin in the chunk, and the one before them, up to the first that
// is after its range; `before` is the state before the chunk, and `nodes_before` what the lane had
// then.
void scan_pass_clip(const struct lane_state *before, const struct marks *marks,
                    const struct chunk_base *base, uint64_t nodes_before, struct clip *clip);

void scan_result_free(struct scan_result *result);

#endif
