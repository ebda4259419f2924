// Follows a trace while it is written: says when its pass stands still, waits for more, and has an
// index of what was read so far published by a process that is forked there.
//
// The pass goes on with all that it knows, and reads each line once. The forked process has the
// same, ends the pass as if the trace ended there, and gives the index its name when it is whole
// and was read; then it ends. So whoever opens the index finds one state or the next, and one that
// is killed, or both, leaves the last that was published.
//
// Of several files what was read is what base/joint.h calls certain, so that an index of it stays
// one of the beginning of the trace.
#ifndef TRAWL_SESSION_FOLLOW_H
#define TRAWL_SESSION_FOLLOW_H

#include "session/offshoot.h"
#include "session/session.h"

// As much as the kind of a trace and its dialect are told by, and images are compared with.
#define FOLLOW_FIRST_BYTES 65536

struct follow {
    const struct session *session; // of the trace, not opened yet
    const char **paths;            // of its files; its own
    size_t path_count;
    int watch_fd;             // inotify; -1: looked at now and then
    uint64_t published_bytes; // of the trace, that the index has
    uint64_t due_ns;          // when the next one may be published
    bool was_changed;         // it was truncated or rewritten: to be begun again
    struct offshoot offshoot; // that publishes it
    uint64_t ended_ns;        // since when nobody writes a trace of pieces; 0: somebody does
    void *self;               // of the next
    void (*published)(void *self, uint64_t bytes, uint64_t lines); // NULL: nobody wants to know
    // Finds the piece after those known; NULL: there is none yet. STATUS_INPUT: others are known no
    // longer. NULL: there will be no more.
    enum status (*find_piece)(void *self, const char **path, struct error *err);
};

// Of the trace that a session is to open.
enum status follow_begin(struct follow *follow, const struct session *session, struct error *err);
void follow_end(struct follow *follow);

// Waits until there is so much of the trace. False: that will not be, as nobody writes it any more,
// or somebody wants an end. Where the system does not tell who writes a file, somebody may.
bool follow_wait_for(const struct follow *follow, size_t size_bytes);

// Of pass_pauses.
bool follow_is_due(const struct follow *follow, struct source *source);
enum pass_pause follow_pause(struct follow *follow, struct source *source,
                             const struct offshoot_writer *writer, struct error *err);

#endif
