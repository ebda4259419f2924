// Time by stack as a profile of pprof, which `go tool pprof` and others open: for each stack the
// calls of its innermost function, and that function's own time. The lane is a label, "thread", and
// so is the task, "task", if tasks are distinguished.
// https://github.com/google/pprof/blob/main/proto/profile.proto
//
// Readers accept it uncompressed as well as compressed by gzip.
#ifndef TRAWL_EXPORT_PPROF_H
#define TRAWL_EXPORT_PPROF_H

#include "base/vec.h"
#include "export/name_ids.h"
#include "names/source_lines.h"
#include "report/out.h"

struct pprof_lane {
    const char *name;
    const char *task; // NULL: tasks are not distinguished
};

// Fields are private.
struct pprof {
    struct out *out;
    uint64_t hz; // ticks per second, 0: unknown
    size_t lane_count;
    const struct frame_label *labels; // of split frames: set before the first walk
    VEC(, struct pprof_lane) lanes;   // begun so far
    struct stack_ids stack;
    VEC(, uint8_t) sample;     // being built
    uint64_t ticks;            // of all stacks
    VEC(, const char *) paths; // of source files, in the order of their strings
};

// Prepares a file of `lane_count` lanes on `out`; nothing is written yet.
void pprof_init(struct pprof *pprof, struct out *out, uint64_t hz, size_t lane_count);

// Begins a lane, or a task of one, whose names must outlive `pprof`; the walk receives its stacks.
// False: no memory. `pprof` must not move.
bool pprof_begin_lane(struct pprof *pprof, const struct pprof_lane *lane);
struct stack_walk pprof_walk(struct pprof *pprof);

// Writes the rest of the file after the stacks; `places` has the places where functions begin.
// False: no memory.
bool pprof_write(struct pprof *pprof, struct names *names, struct source_lines *places);

void pprof_free(struct pprof *pprof);

#endif
