// The calls of one lane for folding: only those that returned.
//
// The level of an event is the number of these calls around it. Callers use this table of
// functions, so that tests can fold calls in an array.
#ifndef TRAWL_BROWSE_LANE_CALLS_H
#define TRAWL_BROWSE_LANE_CALLS_H

#include "base/vec.h"
#include "trace/index_view.h"

// --- lane_calls.c --------------------------------------------------------------------------------

// What the rows of a trace are: its lines, if it is text; otherwise entries and exits of functions,
// or snapshots, one event per row.
enum browse_rows { ROWS_LINES, ROWS_CALLS, ROWS_SNAPSHOTS };

static inline enum browse_rows browse_rows_of(const struct index_view *indexed)
{
    if (indexed->info.lines)
        return ROWS_LINES;
    return indexed->info.is_snapshots ? ROWS_SNAPSHOTS : ROWS_CALLS;
}

struct lane_call {
    uint64_t entry, exit; // first and last event, as numbers in the lane
    uint64_t level;       // of its own events: at least 1; 0: it never returned
    uint32_t how; // enum trawl_call_how; this and the PC of its entry are only set by `around`
    uint64_t pc;
};

struct lane_calls {
    void *self;
    uint64_t event_count;
    uint64_t call_count; // numbered in the order of their entries
    void (*call)(void *self, uint64_t call, struct lane_call *about);
    // The number of calls, including those that never returned, entered at or before the event.
    uint64_t (*entered)(void *self, uint64_t event);
    // The level of an event.
    uint64_t (*level)(void *self, uint64_t event);
    // The call of level `level`, from 1 to that of the event, around the event.
    void (*around)(void *self, uint64_t event, uint64_t level, struct lane_call *about);
    // The outermost call around the event that begins at one of these PCs. False: there is none.
    bool (*outermost)(void *self, uint64_t event, const uint64_t *pcs, size_t count,
                      struct lane_call *about);
    // How many lines of the trace begin before the event; it may be event_count.
    uint64_t (*lines_before)(void *self, uint64_t event);
};

// Calls and lines are read in blocks, the last of which are cached, because callers ask for those
// near each other.
enum { CALL_BLOCK = 512, LINE_BLOCK = 1024, LINE_BLOCKS = 8 };

struct line_block {
    uint64_t number; // and one: 0 is none
    size_t count;
    uint64_t lines[LINE_BLOCK];
};

struct call_block {
    uint64_t number; // and one: 0 is none
    size_t count;
    uint64_t entry[CALL_BLOCK], exit[CALL_BLOCK], depth[CALL_BLOCK], is_open[CALL_BLOCK];
};

// The calls of a lane of an index. If the index fails, `has_failed` is set, and answers are
// arbitrary, but let the caller come to an end.
struct index_calls {
    const struct index_view *indexed;
    uint64_t lane;
    // A call begins with its call site, which is not folded. Otherwise the call site is the event
    // before it.
    bool begins_with_site;
    VEC(, uint64_t) open_entries;   // of the calls that never returned, ascending
    struct call_block *call_block;  // NULL: not read yet, or no memory
    struct line_block *line_blocks; // LINE_BLOCKS of them, likewise
    uint64_t last_block;            // of the last line that was requested
    uint64_t last_entered;          // the last answer to how many calls were entered
    bool has_failed;
    struct error err;
};

// Freed by index_calls_free either way.
enum status index_calls_open(struct index_calls *calls, const struct index_view *indexed,
                             uint64_t lane, struct error *err);
void index_calls_free(struct index_calls *calls);

struct lane_calls index_calls_table(struct index_calls *calls);

// --- filter.c ------------------------------------------------------------------------------------

// Restricts what is shown of a lane in addition to folds: only calls, only writes to something,
// also reads of it, only what a search found, or all except some functions. Nothing is stored per
// event; the next one is looked up.

enum filter_kind {
    FILTER_NOTHING, // all is shown
    FILTER_CALLS,   // events that are followed by the first one of a call
    FILTER_WRITES,  // events that write `place`
    FILTER_TOUCHES, // that write it, or were found: they read it
    FILTER_FOUND,   // that were found
};

struct filter_place {
    bool is_register;
    uint64_t lane, start, size_bytes;
};

// Looks up events found elsewhere: the first at or after `event`, or the last at or before it.
// UINT64_MAX: there is none.
struct found_events {
    void *self;
    uint64_t (*find)(void *self, uint64_t event, bool is_forward);
};

// All zero: everything passes.
struct event_filter {
    enum filter_kind kind;
    struct filter_place place;
    struct found_events found;        // of FILTER_TOUCHES and FILTER_FOUND
    const struct index_view *indexed; // of all but FILTER_CALLS
    VEC(, uint64_t) hidden;           // functions that are not shown, by the PCs of their entries
    bool has_failed;                  // the index did
};

void event_filter_free(struct event_filter *filter);

// Whether it lets everything through.
bool event_filter_is_none(const struct event_filter *filter);

// Hides a function, or shows it again; *is_hidden tells which. False: no memory.
bool event_filter_toggle(struct event_filter *filter, uint64_t pc, bool *is_hidden);

// The first event of the lane at or after `event` that passes, or the last at or before it, by
// numbers in the lane. UINT64_MAX: there is none.
uint64_t event_filter_next(struct event_filter *filter, const struct lane_calls *calls,
                           uint64_t lane, uint64_t event);
uint64_t event_filter_previous(struct event_filter *filter, const struct lane_calls *calls,
                               uint64_t lane, uint64_t event);

#endif
