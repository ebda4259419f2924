// Time by stack as a profile of callgrind, which KCachegrind, QCachegrind and callgrind_annotate
// open: own time of each function, calls and time of each pair of caller and callee.
// https://valgrind.org/docs/manual/cl-format.html
//
// As in callgrind's own files, the time of a call counts for all calls around it, so in a recursion
// it counts several times. All of a function's time is at the line where the function begins,
// unless frames are split by lines or instructions.
#ifndef TRAWL_EXPORT_CALLGRIND_H
#define TRAWL_EXPORT_CALLGRIND_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "names/source_lines.h"
#include "report/out.h"

struct callgrind_pair {
    uint32_t caller, callee;
    uint64_t calls, ticks;
};

// Fields are private.
struct callgrind {
    struct stack_ids stack;
    const struct frame_label *labels; // of frames that are split; NULL: whole functions
    bool by_instruction;
    VEC(, uint64_t) own; // ticks of each function
    VEC(, struct source_location)
    places; // of each when it is written; path is NULL if unknown
    VEC(, struct callgrind_pair) pairs;
    struct hash_index by_functions; // pairs, until they are written
};

// With `labels`, costs are given by source line, and `by_instruction` also by instruction
// (query/frame_split.h); NULL: by function.
void callgrind_init(struct callgrind *callgrind, const struct frame_label *labels,
                    bool by_instruction);

// For stacks_walk, lane by lane; lanes are added up. `callgrind` must not move.
struct stack_walk callgrind_walk(struct callgrind *callgrind);

// Writes the file; `places` has the places where functions begin. `hz`: ticks per second, 0:
// unknown; `title`: what was traced. False: no memory.
bool callgrind_write(struct callgrind *callgrind, struct out *out, struct names *names,
                     struct source_lines *places, uint64_t hz, const char *title);

void callgrind_free(struct callgrind *callgrind);

#endif
