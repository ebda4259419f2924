// Walks over a list of calls for a call tree, and shows what filters and --hide leave. Several
// threads write the text of calls that were matched together; the texts are put in order.
#ifndef TRAWL_CMD_CALLTREE_WALK_H
#define TRAWL_CMD_CALLTREE_WALK_H

#include "cmd/calltree_print.h"
#include "flow/call_list.h"
#include "query/inlined_calls.h"
#include "session/call_stream.h"

struct tree_walk {
    struct call_printer printer;
    struct call_list *list;
    struct inlined_calls *inlined; // NULL: not requested
    uint64_t levels_max;           // of indented text
    bool is_cut;                   // there are deeper calls than that
};

// Shows `first` and its following siblings, each with the calls inside it. False: no memory.
bool tree_walk_calls(struct tree_walk *walk, call_ref first, const struct call_level *around);

#endif
