// Makes indexes of what was read so far, while the index of a whole trace is built, for users who
// look at the trace in the meantime. Each is made by a process that is forked for this
// (session/prefix_index.h), in an unnamed file, so nothing of it remains afterwards.
//
// A preview index describes events as the final index does, with two exceptions: the last event of
// each lane may be incomplete, and it is not yet known which calls return.
#ifndef TRAWL_SESSION_PREVIEW_H
#define TRAWL_SESSION_PREVIEW_H

#include "session/prefix_index.h"

struct preview {
    void *self; // passed to the next two
    // Whether an index is wanted. NULL: always.
    bool (*is_wanted)(void *self);
    // Receives the file of an index of the first `bytes` of the trace, in the thread that builds.
    void (*published)(void *self, int file, uint64_t bytes);
    bool is_eager; // make one whenever the pass can pause; for tests

    // Set by preview_begin and the functions below.
    const struct pass_pauses *others; // these pauses are also respected; NULL: none
    struct source *source;
    struct prefix_index_writer writer;
    struct prefix_index prefix_index;
    int file; // being written; -1: none
    uint64_t start_ns, due_ns, patience_end_ns;
    bool has_given_up;
};

// For a pass that begins over the mapped source of a trace; `path` is that of the index.
void preview_begin(struct preview *preview, const char *path, struct source *source,
                   const struct prefix_index_writer *writer, const struct pass_pauses *others);

// Functions of pass_pauses, with preview as `self`. After a failure, no further index is attempted,
// and the pass continues.
bool preview_is_due(void *self);
enum pass_pause preview_pause(void *self, struct error *err);

#endif
