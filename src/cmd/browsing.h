// Shared by the browsers, in a terminal and in a window: which traces they need, traces next to the
// first one, directories of sources, and how the tools of the reference begin.
#ifndef TRAWL_CMD_BROWSING_H
#define TRAWL_CMD_BROWSING_H

#include "cmd/query.h"

// Where source files are, as typed; the rows of options say what an id of theirs is.
struct browsing_sources {
    VEC(, const char *) directories;
};

#define ROW_SOURCE                                                                                 \
    "source", "DIRECTORY",                                                                         \
        "where source files are, besides the current directory; may be given several times"

// Takes --source: OPTION_END, or OPTION_STOP with the misuse reported.
int browsing_take_source(struct browsing_sources *sources, struct options_parser *parser,
                         const char *directory);
void browsing_sources_free(struct browsing_sources *sources);

// The index says how the trace is; what is shown of it is in the trace, which must be a file for
// that. `what` cannot be done else: "browsed".
enum status browsing_check_trace(const struct session *session, const char *what,
                                 struct error *err);

// Opens a trace that is looked at next to the first, with its index, which is built where there is
// none that fits; what is found to be damaged then is built again, once. Path and listener are set.
// After the index was cancelled it can be called again, and only that is done again.
enum status browsing_open_other(struct session *session, const struct session *first,
                                const char *what, struct error *err);

// Opens the trace under the tarmac-* names, where nothing has by now, and has the session tell of
// its index as the reference does. Does nothing else.
enum status browsing_open_as_reference(struct trace_command *command, struct error *err);

// Options of the reference's browsers, in its order.
extern const struct option_spec ttu_browser_options[];

#endif
