// The writers of time by stack, for tools that read profiles.
//
// They get contexts with their sums, not calls, so they take as long as a flame graph.
#ifndef TRAWL_EXPORT_PROFILE_WRITERS_H
#define TRAWL_EXPORT_PROFILE_WRITERS_H

#include "base/hash_index.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "names/source_lines.h"
#include "report/out.h"

// --- callgrind.c ---------------------------------------------------------------------------------

// Time by stack as a profile of callgrind, which KCachegrind, QCachegrind and callgrind_annotate
// open: own time of each function, calls and time of each pair of caller and callee.
// https://valgrind.org/docs/manual/cl-format.html
//
// As in callgrind's own files, the time of a call counts for all calls around it, so in a recursion
// it counts several times. All of a function's time is at the line where the function begins,
// unless frames are split by lines or instructions.

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
// unknown, and then `counts` says that they are instructions; `title`: what was traced. False: no
// memory.
bool callgrind_write(struct callgrind *callgrind, struct out *out, struct names *names,
                     struct source_lines *places, uint64_t hz, bool counts, const char *title);

void callgrind_free(struct callgrind *callgrind);

// --- pprof.c -------------------------------------------------------------------------------------

// Time by stack as a profile of pprof, which `go tool pprof` and others open: for each stack the
// calls of its innermost function, and that function's own time. The lane is a label, "thread", and
// so is the task, "task", if tasks are distinguished.
// https://github.com/google/pprof/blob/main/proto/profile.proto
//
// Readers accept it uncompressed as well as compressed by gzip.

struct pprof_lane {
    const char *name;
    const char *task; // NULL: tasks are not distinguished
};

// Fields are private.
struct pprof {
    struct out *out;
    uint64_t hz;      // ticks per second, 0: unknown
    const char *unit; // of these, if unknown
    size_t lane_count;
    const struct frame_label *labels; // of split frames: set before the first walk
    VEC(, struct pprof_lane) lanes;   // begun so far
    struct stack_ids stack;
    VEC(, uint8_t) sample;     // being built
    uint64_t ticks;            // of all stacks
    VEC(, const char *) paths; // of source files, in the order of their strings
};

// Prepares a file of `lane_count` lanes on `out`; nothing is written yet. `unit`: what a tick is
// called if `hz` is 0.
void pprof_init(struct pprof *pprof, struct out *out, uint64_t hz, const char *unit,
                size_t lane_count);

// Begins a lane, or a task of one, whose names must outlive `pprof`; the walk receives its stacks.
// False: no memory. `pprof` must not move.
bool pprof_begin_lane(struct pprof *pprof, const struct pprof_lane *lane);
struct stack_walk pprof_walk(struct pprof *pprof);

// Writes the rest of the file after the stacks; `places` has the places where functions begin.
// False: no memory.
bool pprof_write(struct pprof *pprof, struct names *names, struct source_lines *places);

void pprof_free(struct pprof *pprof);

#endif
