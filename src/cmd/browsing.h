// Shared by the browsers, in a terminal and in a window: which traces they need, traces next to the
// first one, directories of sources, and how the tools of the reference begin.
#ifndef TRAWL_CMD_BROWSING_H
#define TRAWL_CMD_BROWSING_H

#include "browse/source.h"
#include "cmd/query.h"
#include "names/source_text.h"
#include "query/trace_lines.h"
#include "session/prefix_index.h"
#include "session/session.h"

#include <pthread.h>

// --- browsing.c ----------------------------------------------------------------------------------

#define ROW_SOURCE                                                                                 \
    "source", "DIRECTORY",                                                                         \
        "where source files are, besides the directory in which they were compiled and the "       \
        "current one; may be given several times"

#define ROW_SOURCE_MAP                                                                             \
    "source-map", "FROM=TO", "directory FROM of the images is TO here; may be given several times"

// Takes --source or --source-map: OPTION_END, or OPTION_STOP with the misuse reported.
int browsing_take_source(struct source_search *search, struct options_parser *parser,
                         const struct option_match *match, bool is_map);

// The text shown is in the trace, which must be a file for that. `what` is for the message
// otherwise: "browsed".
enum status browsing_check_trace(const struct session *session, const char *what,
                                 struct error *err);

// Opens one more trace beside the first. STATUS_INPUT: it cannot be browsed.
enum status browsing_open_other_trace(struct session *session, const struct session *first,
                                      const char *what, struct error *err);

// Opens a trace that is shown next to the first, with its index, which is built if none fits; an
// index found to be damaged is rebuilt once. Path and listener must be set. After the index was
// cancelled, it can be called again, and then only builds the index.
enum status browsing_open_other(struct session *session, const struct session *first,
                                const char *what, struct error *err);

// Under the tarmac-* names, opens the trace, which was not opened before, and makes the session
// report its index as the reference does. Otherwise does nothing.
enum status browsing_open_as_reference(struct command *command, struct error *err);

// Options of the reference's browsers, in its order.
extern const struct option_spec ttu_browser_options[];

// --- browse_build.c ------------------------------------------------------------------------------

// Builds the index of a trace that is browsed in a separate thread while the text is shown, and
// provides what is known of the trace before the index is complete.

struct browse_build {
    struct session *session; // whose index is found or built
    // Opens something else after it, in the same thread; heeds the same pauses. NULL: nothing.
    enum status (*then)(void *self, struct error *err);
    void *self;
    struct growth growth; // for the browser

    // What is known before that: the trace, opened again, and the index of its beginning. For
    // reading.
    struct session known;
    uint64_t too_few_bytes; // of the trace: more than this must be known for the user to see
                            // something new
    enum status status;     // of the index, when browse_build_is_over
    struct error err;

    // Its own.
    struct pass_pauses pauses;
    struct prefix_indexes previews;
    pthread_t thread;
    bool is_running, has_known_trace;
    _Atomic bool is_cancelled, has_stopped, has_ended;
    _Atomic bool has_text;            // all of it can be shown
    _Atomic bool cannot_know;         // what is read so far
    pthread_mutex_t lock;             // for the next two
    int fresh_file;                   // of the latest preview index, not taken yet; -1: none
    uint64_t fresh_bytes;             // that it covers
    _Atomic uint64_t published_bytes; // of the trace, covered by a preview index
};

// `tells_preview`: provide indexes of what was read so far while the index is built. The session
// must have its trace and images.
void browse_build_begin(struct browse_build *build, struct session *session,
                        struct progress *progress, bool tells_preview);

// Starts it; if there is no thread, it is complete on return.
void browse_build_start(struct browse_build *build);

// Handles growth.is_cancelled. Returns whether it is over.
bool browse_build_is_over(struct browse_build *build);

// The text that can be shown by now; *is_all: all of it. Fails like trace_lines_open.
enum status browse_build_text(struct browse_build *build, struct trace_lines *lines, bool *is_all,
                              struct error *err);

// How much of the text is covered by an index that the browser has or can take; 0: too little.
uint64_t browse_build_known_bytes(const struct browse_build *build);

// Waits until it is over.
void browse_build_join(struct browse_build *build);
void browse_build_end(struct browse_build *build);

#endif
