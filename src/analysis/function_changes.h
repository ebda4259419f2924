// The function that a core executes, as a queue of changes in the order of the trace: a function is
// entered, or its caller continues.
#ifndef TRAWL_ANALYSIS_FUNCTION_CHANGES_H
#define TRAWL_ANALYSIS_FUNCTION_CHANGES_H

#include "base/vec.h"
#include "flow/call_list.h"

struct function_change {
    uint64_t event, time; // of the node at which it happens
    uint64_t pc;          // the entry of the function
};

// A position in the queue: the calls open there, from the root inward. All zero is an empty queue.
struct function_changes {
    struct call_list *list;
    VEC(, struct open_function) open;
    struct function_change head;
    bool has_head;
};

// Starts with the lane's root, entered at `root`; `calls` are the calls in it. False: no memory.
bool function_changes_begin(struct function_changes *changes, struct call_list *list,
                            const struct node_ref *root, const struct call_content *calls);

// Moves to the next change; has_head tells whether there is one. False: no memory.
bool function_changes_next(struct function_changes *changes);

void function_changes_free(struct function_changes *changes);

#endif
