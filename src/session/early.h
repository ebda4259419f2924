// Indexes of what was read so far, while that of a whole trace is built: for whoever looks at the
// trace already. Each is made by a process that is forked for it (session/offshoot.h), in an
// unnamed file, so that nothing is left of it.
//
// What an early index says about an event is what the index of the whole tells, but of the last
// event of each lane, of which more may come, and of calls: which of these return is not known yet.
#ifndef TRAWL_SESSION_EARLY_H
#define TRAWL_SESSION_EARLY_H

#include "session/offshoot.h"

struct early {
    void *self; // of the next two
    // Whether one is wanted. NULL: always.
    bool (*is_wanted)(void *self);
    // Takes the file of an index of the first `bytes` of the trace. By the thread that builds.
    void (*published)(void *self, int file, uint64_t bytes);
    bool is_eager; // one is made wherever the pass can stand still, for tests

    // Of early_begin and the rest.
    const struct pass_pauses *others; // that are to be heeded, too; NULL: none
    struct source *source;
    struct offshoot_writer writer;
    struct offshoot offshoot;
    int file; // that is being written; -1: none
    uint64_t start_ns, due_ns, patience_end_ns;
    bool has_given_up;
};

// For a pass over the mapped source of a trace that begins; `path` is that of the index.
void early_begin(struct early *early, const char *path, struct source *source,
                 const struct offshoot_writer *writer, const struct pass_pauses *others);

// Of pass_pauses, with early as `self`. What fails is not tried again, and the pass continues.
bool early_is_due(void *self);
enum pass_pause early_pause(void *self, struct error *err);

#endif
