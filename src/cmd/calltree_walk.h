// The walk over a list of calls that a call tree prints: what filters and --hide leave of it. Texts
// of calls that were matched together are written by several threads, and put in order.
#ifndef TRAWL_CMD_CALLTREE_WALK_H
#define TRAWL_CMD_CALLTREE_WALK_H

#include "analysis/inlined_calls.h"
#include "cmd/calltree_print.h"
#include "flow/call_list.h"
#include "session/call_level.h"

struct tree_walk {
    struct call_printer printer;
    struct call_list *list;
    struct inlined_calls *inlined; // NULL: not asked for
    uint64_t levels_max;           // of indented text
    bool is_cut;                   // there are calls more levels deep than that
};

// Shows `first` and what follows on its level, each with what is below it. False: no memory.
bool tree_walk_calls(struct tree_walk *walk, call_ref first, const struct call_level *around);

#endif
