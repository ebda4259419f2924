// A node, which is an event of a trace, for code that deals with calls: its place, the transfers of
// control that lead to it, and visits to addresses.
#ifndef TRAWL_FLOW_NODE_H
#define TRAWL_FLOW_NODE_H

#include "idx/segment_rows.h"

// The PC of a node without an instruction, as in the reference.
#define NODE_WITHOUT_PC EVENT_WITHOUT_PC

// A beginning or end of a call, for printing: a node of the trace.
struct node_ref {
    uint64_t event; // its number in the lane, from 0
    uint64_t time;
    uint64_t line;     // first line, from 1
    uint64_t position; // first byte
    uint64_t pc;       // with Thumb bit
};

// What an instruction does to control, according to its encoding.
enum branch_kind {
    BRANCH_NONE,      // continues with the next instruction, or is unknown
    BRANCH_JUMP,      // to the target in its encoding
    BRANCH_INDIRECT,  // to a target in a register or memory
    BRANCH_CALL,      // with a return address
    BRANCH_RETURN,    // to LR, or to an address from the stack
    BRANCH_EXCEPTION, // SVC and its like
    BRANCH_LEAVES,    // returns from an exception
};

#define ADDRESS_UNKNOWN UINT64_MAX

struct branch {
    enum branch_kind kind;
    bool is_conditional;
    bool ends_loop;  // a core that has executed it once may leave it out in further rounds, and
                     // branch from the instruction before it to its target (LE of the M profile)
    uint64_t pc;     // of the instruction, with Thumb bit
    uint64_t next;   // the instruction after it, with Thumb bit
    uint64_t target; // ADDRESS_UNKNOWN unless it is in the encoding
};

// An instruction that is not next to the previous one.
struct transfer {
    struct node_ref previous; // the node before
    struct node_ref node;     // the instruction's node; node.pc is where control went

    // As the reference sees it (calls.h).
    uint64_t sp;             // UINT64_MAX: unknown
    uint64_t return_address; // LR, if this may be a call
    uint64_t drop_below;     // calls pending at a lower SP are dropped first
    bool may_be_call;

    // As it really is (shadow_stack.h).
    bool is_exception;  // an exception was taken in between
    bool is_gap;        // instructions just before it were left out as damaged
    bool changes_mode;  // the mode changed
    bool changes_world; // so did the security state of the M profile, whose stacks are others
    bool enters_gate;   // also at its target: an exception returned to SG, where the core is still
                        // Non-secure; `sp_there` is the Non-secure one
    bool opens_frame;   // for an unconditional jump: it went to an instruction with which functions
                        // begin
    bool falls_through; // no transfer: control went on, according to images, to another function;
                        // also has is_gap, and is only of use to shadow_stack.h
    bool is_overtaken;  // control went to from.target; the lines up to `node` are missing
    struct branch from; // the previous instruction
    uint64_t sp_there;  // SP in the new mode; ADDRESS_UNKNOWN
    uint64_t sp_left;   // SP in the old mode, at that time
    uint64_t sp_user; // for an exception: SP of the mode in which tasks run, of the M profile PSP;
                      // ADDRESS_UNKNOWN
    uint64_t entered; // for an exception: where that one goes which was taken just before, whose
                      // first instruction is still to come; 0: none was, or
                      // ADDRESS_UNKNOWN
    uint64_t resume;  // for an exception: its return address; ADDRESS_UNKNOWN
    uint64_t key;     // of the running task, if it was shown since the last transfer of the
                      // chunk, and with the first one of a chunk
    uint64_t link;    // LR
    bool is_link_new; // LR was written after the previous instruction
    bool key_is_read; // it was read before it was written
    bool enters_user; // control came to the mode of programs from another one
    uint8_t key_kind; // enum task_key_kind; KEY_NONE: `key` is not known, or as before
};

// Where the previous instruction sent control.
static inline uint64_t transfer_pc(const struct transfer *transfer)
{
    return UNLIKELY(transfer->is_overtaken) ? transfer->from.target : transfer->node.pc;
}

// The instruction that control came from, also if another event follows it.
static inline uint64_t transfer_origin(const struct transfer *transfer)
{
    return transfer->previous.pc == NODE_WITHOUT_PC ? transfer->from.pc : transfer->previous.pc;
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
