// What GDB sees as threads: the lanes of a trace, or the tasks of a system (--by task); of frames
// of a trace file, a single one, as they tell nothing of threads.
//
// A task that waits is shown where it continues: there its registers are what the system has
// restored, while where it was left they are those of the system's own code. One that never runs
// again is shown where it was left.
#ifndef TRAWL_GDB_THREADS_H
#define TRAWL_GDB_THREADS_H

#include "gdb/run.h"

// All zero, with `view`: a thread is a lane.
struct gdb_threads {
    struct gdb_run *run;
    bool are_tasks;
    size_t count;
    // Of each task of each lane: its runs are `runs` from `first` to that of the next one; each is
    // the number of the event of the lane with which it begins.
    struct gdb_task *tasks;
    uint64_t *runs;
};

struct gdb_task {
    uint64_t lane, number;
    size_t first, end;
};

// Tasks have names in the session (session/tasks.h). STATUS_MEMORY, or the index is damaged.
enum status gdb_threads_begin(struct gdb_threads *threads, struct gdb_run *run, bool are_tasks,
                              struct error *err);
void gdb_threads_free(struct gdb_threads *threads);

uint64_t gdb_threads_lane(const struct gdb_threads *threads, uint64_t thread);
const char *gdb_threads_name(const struct gdb_threads *threads, uint64_t thread);

// The thread that runs on a lane at the run's position.
uint64_t gdb_threads_running(const struct gdb_threads *threads, uint64_t lane);

// The position whose state is that of a thread at the run's position.
uint64_t gdb_threads_position(const struct gdb_threads *threads, uint64_t thread);

#endif
