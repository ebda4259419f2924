// Depth arrays: for each call depth in a subtree of events, the number of its lines and events at
// lesser depths. They are merged from those of both children, stay on a stack until their parent
// has its own, and share the bytes of an equal array that was recently written.
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
    uint64_t copy;   // the place of its entries among the copies, where they may have been
                     // overwritten
    uint64_t offset; // in the file; 0: none
    uint32_t count;
};

struct ttu_depth_arrays {
    VEC(, struct ttu_depth_entry) stack;
    VEC(, struct ttu_depth_entry) merged;
    struct ttu_shared_array *shared;
    struct ttu_depth_entry *copies; // a ring
    uint64_t copied;                // entries copied in total
};

// An array at the top of the stack, or below that of its right sibling.
struct ttu_depth_array {
    uint64_t offset;
    uint32_t count; // 0: of a missing child
};

// What the event itself adds.
struct ttu_depth_event {
    uint32_t depth, lines;
};

// False: no memory.
bool ttu_depth_arrays_begin(struct ttu_depth_arrays *arrays);
void ttu_depth_arrays_free(struct ttu_depth_arrays *arrays);

// Replaces the arrays of both children on the stack by that of the event above them, and writes it
// to the file. False: no memory.
bool ttu_depth_arrays_join(struct ttu_depth_arrays *arrays, struct ttu_stream *stream,
                           const struct ttu_depth_array *left, const struct ttu_depth_array *right,
                           const struct ttu_depth_event *event, struct ttu_depth_array *joined);

#endif
