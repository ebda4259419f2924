// The calling contexts of a session's lanes: the tree that a pass built, divided by lanes and
// tasks.
#ifndef TRAWL_SESSION_LANE_CONTEXTS_H
#define TRAWL_SESSION_LANE_CONTEXTS_H

#include "flow/context_hide.h"
#include "query/frame_split.h"
#include "session/session.h"

// A lane of the report, as a range of `roots`: its root activation or, with --function, the
// outermost contexts of that function. If tasks are distinguished: the tasks of the same name in a
// lane; those of one lane are adjacent, ordered by name.
struct context_lane {
    const char *name;
    const char *task; // NULL: tasks are not distinguished
    size_t first_root, root_count;
};

struct contexts {
    struct context_tree tree;
    struct context_roots roots;
    VEC(, struct context_lane) lanes;
    const struct frame_label
        *labels;  // of frames that are split (query/frame_split.h); otherwise NULL
    uint32_t top; // of stacks: has the outermost frames as children, and is not a frame itself
};

// After a pass into contexts->tree: adds the lanes that the filter selects, with their roots.
// False: no memory.
bool contexts_add_lanes(struct contexts *contexts, struct session *session);
void contexts_free(struct contexts *contexts);

// The roots of a lane; NULL: none.
const uint32_t *contexts_roots_of(const struct contexts *contexts, const struct context_lane *lane);

// Whether there is more than one lane, which may have several tasks each.
bool contexts_have_lanes(const struct contexts *contexts);

// Removes hidden contexts (--hide) after all contexts were added. False: no memory.
bool contexts_hide(struct contexts *contexts, struct session *session);

// Makes the outermost contexts of --function the roots of each lane. False: no memory.
bool contexts_focus(struct contexts *contexts, struct session *session);

#endif
