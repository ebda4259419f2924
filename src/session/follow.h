// Follows a trace while it is written: says when its pass stands still, waits for more, and has an
// index of what was read so far published by a process that is forked there.
//
// The pass goes on with all that it knows, and reads each line once. The forked process has the
// same, ends the pass as if the trace ended there, and gives the index its name when it is whole
// and was read; then it ends. So whoever opens the index finds one state or the next, and one that
// is killed, or both, leaves the last that was published.
#ifndef TRAWL_SESSION_FOLLOW_H
#define TRAWL_SESSION_FOLLOW_H

#include "session/offshoot.h"

// As much as the kind of a trace and its dialect are told by, and images are compared with.
#define FOLLOW_FIRST_BYTES 65536

struct follow {
    const char *path;         // of the trace
    int watch_fd;             // inotify; -1: looked at now and then
    uint64_t published_bytes; // of the trace, that the index has
    uint64_t due_ns;          // when the next one may be published
    bool was_changed;         // it was truncated or rewritten: to be begun again
    struct offshoot offshoot; // that publishes it
    void *self;               // of the next
    void (*published)(void *self, uint64_t bytes, uint64_t lines); // NULL: nobody wants to know
};

void follow_begin(struct follow *follow, const char *path);
void follow_end(struct follow *follow);

// Waits until there is so much of the trace. False: that will not be, as nobody writes it any more,
// or somebody wants an end. Where the system does not tell who writes a file, somebody may.
bool follow_wait_for(const struct follow *follow, uint64_t size_bytes);

// Of pass_pauses.
bool follow_is_due(const struct follow *follow, const struct source *source);
enum pass_pause follow_pause(struct follow *follow, struct source *source,
                             const struct offshoot_writer *writer, struct error *err);

#endif
