// A node, which is an event of a trace, as seen by code that deals with calls: where it is, which
// transfers of control lead to it, and visits to addresses.
#ifndef TRAWL_FLOW_NODE_H
#define TRAWL_FLOW_NODE_H

#include "idx/segment_rows.h"

// The PC of a node without an instruction, as the reference has it.
#define NODE_WITHOUT_PC EVENT_WITHOUT_PC

// The printable end of a call: a node of the trace.
struct node_ref {
    uint64_t event; // its number in the lane, from 0
    uint64_t time;
    uint64_t line;     // first line, from 1
    uint64_t position; // first byte
    uint64_t pc;       // with Thumb bit
};

// What an instruction does to control, by its encoding.
enum branch_kind {
    BRANCH_NONE,      // continues after itself, or is unknown
    BRANCH_JUMP,      // to where its encoding says
    BRANCH_INDIRECT,  // to where a register or memory says
    BRANCH_CALL,      // and says where to come back to
    BRANCH_RETURN,    // to LR, or to what it takes from the stack
    BRANCH_EXCEPTION, // SVC and its like
    BRANCH_LEAVES,    // returns from an exception
};

#define ADDRESS_UNKNOWN UINT64_MAX

struct branch {
    enum branch_kind kind;
    bool is_conditional;
    uint64_t pc;     // of the instruction, with Thumb bit
    uint64_t next;   // after it, with Thumb bit
    uint64_t target; // ADDRESS_UNKNOWN unless the encoding has it
};

// An instruction that does not follow the one before it.
struct transfer {
    struct node_ref previous; // the node before
    struct node_ref node;     // the instruction's node; node.pc is where control went

    // As the reference sees it (calls.h).
    uint64_t sp;             // UINT64_MAX: unknown
    uint64_t return_address; // LR, if this may be a call
    uint64_t drop_below;     // calls pending at a lower SP are dropped first
    bool may_be_call;

    // As it is (shadow_stack.h).
    bool is_exception;  // one was taken in between
    bool is_slip;       // instructions were left out as damaged just before it
    bool changes_mode;  // it came to another mode than it left
    bool opens_frame;   // of an unconditional jump: it came to what functions begin with
    bool is_overtaken;  // it went to from.target; the lines up to `node` are missing
    struct branch from; // the instruction before
    uint64_t sp_there;  // SP of the mode that control went to; ADDRESS_UNKNOWN
    uint64_t sp_left;   // SP of the mode that it left, when it did
    uint64_t sp_user;   // of an exception: SP of the mode that tasks run in; ADDRESS_UNKNOWN
    uint64_t resume;    // of an exception: where it goes back to; ADDRESS_UNKNOWN
    uint64_t link;      // LR
    bool is_link_new;   // and that was written after the instruction before
};

// Where the instruction before sent control.
static inline uint64_t transfer_pc(const struct transfer *transfer)
{
    return UNLIKELY(transfer->is_overtaken) ? transfer->from.target : transfer->node.pc;
}

// One execution of a watched address.
struct visit {
    uint32_t watch; // index in the list of watched addresses
    uint64_t event, time, line, position;
};

// Addresses to list visits of, sorted, without Thumb bits; 6 stands for exceptions.
struct watch_list {
    const uint64_t *addresses;
    size_t count;
};

#define WATCH_EXCEPTIONS UINT64_C(6)

#endif
