// Search in the background, by several threads. Hits are at places (bytes of a text, or events),
// which are cut into blocks that can be searched in any order. The search starts at the position,
// in the direction of the user's search. The number of hits of each block is stored.
//
// There are three kinds: of lines, of events by a condition, of events by the names of functions.
#ifndef TRAWL_BROWSE_SEARCH_H
#define TRAWL_BROWSE_SEARCH_H

#include "query/expression.h"
#include "query/trace_lines.h"
#include "search/pattern.h"
#include "trace/index_view.h"

struct browse_source;
struct shown_lines;

struct search;

#define SEARCH_START UINT64_MAX // before the first place, and after the last

// Each thread has a seeker. Its functions are called for one block at a time.
struct search_kind {
    // Makes a seeker for `what`. On failure nothing is left.
    enum status (*open)(void *what, void **seeker, struct error *err);
    void (*close)(void *seeker);
    // Makes the functions below end soon, with any result. NULL: they never take long.
    void (*stop)(void *what);
    // How many hits a block has.
    uint64_t (*count)(void *seeker, uint64_t block);
    // The first hit of a block after a place, or the last before it; SEARCH_START: in the whole
    // block. False: there is none.
    bool (*find)(void *seeker, uint64_t block, uint64_t from, bool is_forward, uint64_t *found);
    void (*free)(void *what);
    // Whether parts could not be read. NULL: all can always be read.
    bool (*has_failed)(const void *what);
    const char *unit; // the unit of hits: "line"
};

struct search_plan {
    const struct search_kind *kind;
    void *what;       // belongs to the search from now on, also on failure
    const char *text; // the pattern, for messages
    uint64_t block_count, block_size;
    uint64_t start; // a place
    bool is_forward;
    unsigned threads;
};

// Starts to search. On failure *out is NULL.
enum status search_open(struct search **out, const struct search_plan *plan, struct error *err);

// Also stops it. NULL is allowed.
void search_close(struct search *search);

const char *search_text(const struct search *search);
const struct search_kind *search_kind(const struct search *search);

// The seeker of the caller.
void *search_seeker(struct search *search);

struct search_progress {
    uint64_t hits; // found by now
    unsigned percent;
    bool is_done;
    bool has_failed; // not everything could be searched
};
struct search_progress search_progress(struct search *search);

// Whether any block with one of the places [first, end) is known to have hits.
bool search_has_hits(const struct search *search, uint64_t first, uint64_t end);

enum search_outcome { SEARCH_FOUND, SEARCH_UNDER_WAY, SEARCH_NOWHERE };

// The next hit after a place, or the last before it; past the end (or start) it continues at the
// other side, and *has_wrapped says so.
enum search_outcome search_next(struct search *search, uint64_t from, bool is_forward,
                                uint64_t *found, bool *has_wrapped);

// --- Kinds ---------------------------------------------------------------------------------------

// How to search: from which place, in which direction, with how many threads.
struct search_way {
    uint64_t start;
    bool is_forward;
    unsigned threads;
};

// --- Of lines: for a regular expression, or by their meaning ---
//
// A line belongs to the block in which it begins, and its place is its beginning; only the first
// TEXT_SEARCH_LINE_BYTES of a line are searched.

#define TEXT_SEARCH_LINE_BYTES PATTERN_LINE_BYTES

// `pattern` is an extended regular expression of POSIX. STATUS_INPUT: it is invalid. The text must
// outlive the search, which requests the parts that are not available yet. A line matches as it is
// written or, unless `shown` is NULL, as it is shown (browse/shown_line.h).
enum status text_search_open(struct search **out, const struct trace_lines *text,
                             const char *pattern, struct shown_lines *shown,
                             const struct search_way *way, struct error *err);

// Tests whether a line of a text, without its end, matches. Called by several threads at once.
struct line_test {
    void *self;
    bool (*takes)(const void *self, const struct trace_lines *text, const char *start,
                  const char *end);
    void (*free)(void *self);
};

// `test.self` belongs to the search from now on, also on failure.
enum status line_search_open(struct search **out, const struct trace_lines *text,
                             const struct line_test *test, const char *description,
                             const struct search_way *way, struct error *err);

// The parts of a line, as it is shown, that match, at most `capacity`. Returns how many; 0 for
// another kind of search.
size_t text_search_matches(struct search *search, const char *line, size_t length,
                           struct pattern_match *matches, size_t capacity);

// --- Of events by a condition over registers and memory ---
//
// Finds where it becomes true: it is true after the event, and was not before. A condition changes
// only when one of its operands does. So only events are examined that write one of its registers
// or bytes of memory, or load memory that was unknown.

// `lane`: whose registers are meant. The view must outlive the search; each thread opens the index
// again. Places are events; way->start is one, or SEARCH_START.
enum status event_search_open(struct search **out, const struct index_view *view,
                              const struct expression *condition, uint64_t lane,
                              const struct search_way *way, struct error *err);

// Whether the search is one of this kind.
bool event_search_is(const struct search *search);

// --- Of events by the names of functions, in traces that are not text ---

// `pattern` is as in text_search_open. The source must outlive the search, whose places are events;
// names are looked up before it begins.
enum status name_search_open(struct search **out, struct browse_source *source, const char *pattern,
                             const struct search_way *way, struct error *err);

// Whether the search is one of this kind.
bool name_search_is(const struct search *search);

// The parts of a row that match, at most `capacity`; none for another kind of search.
size_t name_search_matches(struct search *search, const char *row, size_t length,
                           struct pattern_match *matches, size_t capacity);

#endif
