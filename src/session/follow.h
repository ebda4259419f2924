// Follows a trace while it is written: decides when its pass pauses, waits for more, and publishes
// indexes of what was read so far (session/prefix_index.h).
//
// An index gets its name when it is complete and was tested. So everyone who opens it finds either
// the previous or the next state, and if the processes are killed, the last one remains.
//
// For several files, what was read is what is certain (base/source_concat_growth.c), so its index
// remains an index of the beginning of the trace.
#ifndef TRAWL_SESSION_FOLLOW_H
#define TRAWL_SESSION_FOLLOW_H

#include "session/prefix_index.h"
#include "session/session.h"

// Enough for recognizing the kind of a trace and its dialect, and for comparing images.
#define FOLLOW_FIRST_BYTES 65536

struct follow {
    struct prefix_indexes indexes;
    const struct session *session; // of the trace, which is not opened yet
    const char **paths;            // of its files; owned by this struct
    size_t path_count;
    int watch_fd;      // inotify; -1: the files are polled
    bool was_changed;  // it was truncated or rewritten: following must start again
    uint64_t ended_ns; // time since which no process writes a trace in pieces; 0: some process does
    void *self;        // passed to find_piece
    // Finds the piece after the known ones; NULL: it does not exist yet. STATUS_INPUT: known pieces
    // no longer exist. If the function is NULL, there will be no more pieces.
    enum status (*find_piece)(void *self, const char **path, struct error *err);
};

// Begins to follow the trace that a session will open.
enum status follow_begin(struct follow *follow, const struct session *session, struct error *err);
void follow_end(struct follow *follow);

// Waits until the trace has this many bytes. False: it never will, because no process writes it any
// more, or an end was requested. If the system does not tell which processes write a file, one may.
bool follow_wait_for(const struct follow *follow, size_t size_bytes);

#endif
