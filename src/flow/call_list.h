// Every call of a trace with its place in the tree: about 40 bytes a call, in a spool; of its ends
// alone about 28.
//
// A call is stored when it ends, when all about it is known but its next sibling, which is linked
// in later. Reading goes from the outermost calls down, in the order of the trace; one thread
// reads. Neither has more of the spool's file in memory than it has used of late.
#ifndef TRAWL_FLOW_CALL_LIST_H
#define TRAWL_FLOW_CALL_LIST_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/call_consumer.h"

// Siblings in a row, with all that is in them, that were matched together in a piece of the trace.
struct call_forest {
    uint64_t first, last; // places of siblings
    uint64_t count;       // calls, with those in them
};

struct call_list {
    struct spool spool;
    uint64_t count;
    bool ends_only;   // keep just what call_list_read_ends gives; set before the first call
    uint64_t at_hand; // from here on the spool was written or read last
    VEC(, struct call_forest) forests; // that are worth a thread's time, rising
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

// The forest that begins at a place; NULL: none does.
const struct call_forest *call_list_forest(const struct call_list *list, call_ref first);

// Passes over a forest, and returns what follows on its level.
call_ref call_list_pass(struct call_list *list, const struct call_forest *forest);

// All of a call but the positions of its nodes and `from`, which are 0. Not of a list of ends only.
void call_list_read(struct call_list *list, call_ref place, struct listed_call *call);

// The same, by any thread, while another reads on.
void call_list_read_any(const struct call_list *list, call_ref place, struct listed_call *call);

// Just the PC of its entry, the events of entry and exit, how it began and ended, and its places.
void call_list_read_ends(const struct call_list *list, call_ref place, struct listed_call *call);

// Whether two lists hold the same calls, which ended in the same order. The same calls in another
// order are not found to be the same.
bool call_list_are_same(const struct call_list *a, const struct call_list *b);

#endif
