// Depth arrays: how many lines and events of a subtree of events lie less deep in calls than each
// depth that occurs there. They are made of those of both children, lie on a stack until their
// parent has its own, and are shared in the file where equal ones were written lately.
#ifndef TRAWL_EXPORT_TTU_DEPTH_ARRAYS_H
#define TRAWL_EXPORT_TTU_DEPTH_ARRAYS_H

#include "base/vec.h"
#include "export/ttu/file.h"

struct ttu_depth_entry {
    uint32_t depth;
    uint32_t lines, events; // of lesser depths
    uint32_t left, right;   // the first entry of that depth or more in the children's arrays
};

struct ttu_shared_array {
    uint64_t hash;
    uint64_t copy;   // where its entries are among the copies; they may be overwritten
    uint64_t offset; // in the file; 0: there is none
    uint32_t count;
};

struct ttu_depth_arrays {
    VEC(, struct ttu_depth_entry) stack;
    VEC(, struct ttu_depth_entry) merged;
    struct ttu_shared_array *shared;
    struct ttu_depth_entry *copies; // a ring
    uint64_t copied;                // entries, ever
};

// An array at the top of the stack, or below that of its right sibling.
struct ttu_depth_array {
    uint64_t offset;
    uint32_t count; // 0: of a child that is missing
};

// What an event adds.
struct ttu_depth_event {
    uint32_t depth, lines;
};

// False: no memory.
bool ttu_depth_arrays_begin(struct ttu_depth_arrays *arrays);
void ttu_depth_arrays_free(struct ttu_depth_arrays *arrays);

// Puts the array of an event above its children's in their place on the stack, and into the file.
// False: no memory.
bool ttu_depth_arrays_join(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                           const struct ttu_depth_array *left, const struct ttu_depth_array *right,
                           const struct ttu_depth_event *event, struct ttu_depth_array *joined);

#endif
