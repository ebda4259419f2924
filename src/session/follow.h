// Follows a trace while it is written: decides when its pass pauses, waits for more, and has a
// forked process publish an index of what was read so far.
//
// The pass keeps everything that it knows, and reads each line once. The forked process has the
// same state, ends the pass as if the trace ended there, and gives the index its name when it is
// complete and was tested; then it ends. So everyone who opens the index finds either the previous
// or the next state. If one or both processes are killed, the last published index remains.
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
    const struct session *session; // of the trace, which is not opened yet
    const char **paths;            // of its files; owned by this struct
    size_t path_count;
    int watch_fd;                     // inotify; -1: the files are polled
    uint64_t published_bytes;         // of the trace, covered by the published index
    uint64_t due_ns;                  // earliest time for publishing the next index
    bool was_changed;                 // it was truncated or rewritten: following must start again
    struct prefix_index prefix_index; // publishes the index
    uint64_t ended_ns; // time since which no process writes a trace in pieces; 0: some process does
    void *self;        // passed to the next two
    void (*published)(void *self, uint64_t bytes, uint64_t lines); // NULL: not needed
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

// Functions of pass_pauses.
bool follow_is_due(const struct follow *follow, struct source *source);
enum pass_pause follow_pause(struct follow *follow, struct source *source,
                             const struct prefix_index_writer *writer, struct error *err);

#endif
