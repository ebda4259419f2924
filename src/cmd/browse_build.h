// The index of a trace that is browsed, built by a thread of its own while the text is looked at,
// and what is known of the trace before it is whole.
#ifndef TRAWL_CMD_BROWSE_BUILD_H
#define TRAWL_CMD_BROWSE_BUILD_H

#include "analysis/trace_lines.h"
#include "browse/growth.h"
#include "session/early.h"
#include "session/session.h"

#include <pthread.h>

struct browse_build {
    struct session *session; // whose index is found or built
    // What else is to be opened then, by the same thread; heeds the same pauses. NULL: nothing.
    enum status (*then)(void *self, struct error *err);
    void *self;
    struct growth growth; // what looks at it asks

    // What is known before: the trace, opened again, and the index of its beginning. For reading.
    struct session known;
    uint64_t too_few_bytes; // of the trace, for who looks at it: more has to be known than this
    enum status status;     // of the index, when browse_build_is_over
    struct error err;

    // Its own.
    struct pass_pauses pauses;
    struct early early;
    pthread_t thread;
    bool is_running, has_known_trace;
    _Atomic bool is_cancelled, has_stopped, has_ended;
    _Atomic bool has_text;            // all of it can be shown
    _Atomic bool cannot_know;         // what is read so far
    pthread_mutex_t lock;             // of the next two
    int fresh_file;                   // of the latest early index, not taken yet; -1: none
    uint64_t fresh_bytes;             // that it is of
    _Atomic uint64_t published_bytes; // of the trace, that an early index is of
};

// `tells_early`: while the index is built, one of what was read so far is wanted. The session has
// its trace and images.
void browse_build_begin(struct browse_build *build, struct session *session,
                        struct progress *progress, bool tells_early);

// Starts it; without a thread it is done when this returns.
void browse_build_start(struct browse_build *build);

// Does what growth.is_cancelled wants. Whether it is over.
bool browse_build_is_over(struct browse_build *build);

// What of the text can be shown by now: that is all of it with *is_all. Fails as trace_lines_open
// does.
enum status browse_build_text(struct browse_build *build, struct trace_lines *lines, bool *is_all,
                              struct error *err);

// How much of the text there is an index of that the browser has or can take; 0 where that is too
// few bytes.
uint64_t browse_build_known_bytes(const struct browse_build *build);

// Waits until it is over.
void browse_build_join(struct browse_build *build);
void browse_build_end(struct browse_build *build);

#endif
