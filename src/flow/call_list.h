// All calls of a trace with their places in the tree, in a spool: about 40 bytes a call, or about
// 28 if only their ends are stored.
//
// A call is stored when it ends. By then all about it is known except its next sibling, which is
// linked later. Reading goes from the outermost calls down, in the order of the trace, in one
// thread. Both writing and reading keep only recently used parts of the spool's file in memory.
#ifndef TRAWL_FLOW_CALL_LIST_H
#define TRAWL_FLOW_CALL_LIST_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/call_consumer.h"

// Consecutive siblings, with all calls in them, that were matched together in a chunk of the trace.
struct call_forest {
    uint64_t first, last; // places of siblings
    uint64_t count;       // calls, including those in them
};

struct call_list {
    struct spool spool;
    uint64_t count;
    bool ends_only;   // store only what call_list_read_ends returns; set before the first call
    uint64_t at_hand; // where the recently used part of the spool begins
    VEC(, struct call_forest) forests; // large enough to be worth a thread's time; ascending
};

void call_list_free(struct call_list *list);

// For pass_options. `list` must stay where it is.
struct call_consumer call_list_consumer(struct call_list *list);

// A place in the list; 0 is none.
typedef uint64_t call_ref;

// The first call outside of every other.
static inline call_ref call_list_first(const struct call_content *outermost)
{
    return outermost->words[0];
}

struct listed_call {
    struct call call;
    call_ref next_sibling, first_child;
};

// The forest that begins at a place; NULL: there is none.
const struct call_forest *call_list_forest(const struct call_list *list, call_ref first);

// Skips a forest. Returns the next sibling after it; 0: none.
call_ref call_list_pass(struct call_list *list, const struct call_forest *forest);

// Reads a call, except the positions of its nodes and `from`, which become 0. Not for a list with
// `ends_only`.
void call_list_read(struct call_list *list, call_ref place, struct listed_call *call);

// The same, for any thread, also while another one reads.
void call_list_read_any(const struct call_list *list, call_ref place, struct listed_call *call);

// Reads only the PC of the call's entry, the events of its entry and exit, how it began and ended,
// and the places of its next sibling and first child.
void call_list_read_ends(const struct call_list *list, call_ref place, struct listed_call *call);

// Whether two lists have the same calls, which ended in the same order. False for the same calls in
// another order.
bool call_list_are_same(const struct call_list *a, const struct call_list *b);

#endif
