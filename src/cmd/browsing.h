// Shared by the browsers, in a terminal and in a window: which traces they need, traces next to the
// first one, directories of sources, and how the tools of the reference begin.
#ifndef TRAWL_CMD_BROWSING_H
#define TRAWL_CMD_BROWSING_H

#include "cmd/query.h"
#include "names/source_text.h"

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

#endif
