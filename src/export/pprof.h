// Time by stack as a profile of pprof, which `go tool pprof` and others open: for each stack the
// calls of its innermost function, and the time that was its own. The lane is a label, "thread",
// and where tasks are distinguished they are another one, "task".
// https://github.com/google/pprof/blob/main/proto/profile.proto
//
// Readers take it plain as well as packed by gzip.
#ifndef TRAWL_EXPORT_PPROF_H
#define TRAWL_EXPORT_PPROF_H

#include "analysis/source_lines.h"
#include "base/vec.h"
#include "export/stack_ids.h"
#include "report/out.h"

struct pprof_lane {
    const char *name;
    const char *task; // NULL: they are not distinguished
};

// Fields are private.
struct pprof {
    struct out *out;
    uint64_t hz; // ticks per second, 0: unknown
    size_t lane_count;
    const struct frame_label *labels; // of frames that are split: to be set before any are taken
    VEC(, struct pprof_lane) lanes;   // that were begun
    struct stack_ids stack;
    VEC(, uint8_t) sample;     // in the making
    uint64_t ticks;            // of all stacks
    VEC(, const char *) paths; // of source files, in the order of their strings
};

// A file on `out`, of which nothing is written yet, of so many lanes.
void pprof_init(struct pprof *pprof, struct out *out, uint64_t hz, size_t lane_count);

// Begins a lane, or a task of one, whose names must stay; its stacks come by the walk. False: no
// memory. `pprof` must stay where it is.
bool pprof_begin_lane(struct pprof *pprof, const struct pprof_lane *lane);
struct stack_walk pprof_walk(struct pprof *pprof);

// Writes what comes after the stacks; `places` says where functions begin. False: no memory.
bool pprof_write(struct pprof *pprof, struct names *names, struct source_lines *places);

void pprof_free(struct pprof *pprof);

#endif
