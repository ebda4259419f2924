// What a call is to 'trawl calls' and 'trawl profile --latency': a row (calls.c), or one of the
// durations of a function (call_times.c).
#ifndef TRAWL_CMD_CALLS_H
#define TRAWL_CMD_CALLS_H

#include "base/hash_index.h"
#include "cmd/driver.h"
#include "query/call_values.h"
#include "session/shown.h"

enum sort_key {
    SORT_ENTRY,
    SORT_TIME,
    SORT_ELAPSED,
    SORT_WAITING,
    SORT_SELF,
    SORT_INTERVAL,
    SORT_TO_TASK,
    SORT_PENDING
};

#define TICKS_UNKNOWN UINT64_MAX

struct call_row {
    uint64_t entry, exit;     // times
    uint64_t busy, self;      // ticks on the core, and without its calls
    uint64_t pc, caller;      // UINT64_MAX: none
    uint64_t line, last_line; // of its entry, and of that of its last part
    uint64_t before;          // the time of the entry of the call of this function before it, in
                              // the same lane; UINT64_MAX: none
    uint64_t number;          // of the call, in the order of entries
    uint64_t arguments[CALL_VALUES_ARGUMENTS];
    // Of a handler: from its entry to where a task runs again, and from the request to its entry;
    // TICKS_UNKNOWN.
    uint64_t to_task, pending;
    const char *request; // a constant: the register by which it was asked for; NULL: unknown
    uint32_t core;
    uint32_t lane; // among `lane_names`
    uint32_t path; // among `functions`
    uint8_t argument_count;
    uint16_t nesting;  // handlers in which it is
    uint8_t how;       // enum call_how, of its entry
    bool in_interrupt; // which belongs to no task
    const char *end;   // a constant: what became of it; NULL: it returned
    bool has_place;    // line and pc of the entry are known
};

// A call in which the lane is, or that waits for its task.
struct open_call {
    struct call_row row;
    uint64_t since;  // when its part began
    uint64_t inside; // of the part, the time of the calls in it
};

// A time in which a core was in handlers.
struct handled {
    uint64_t begin, end;
    uint32_t core;
    bool is_open; // it is not known when that ended
};

// Durations, and the first call with the longest.
struct durations {
    VEC(, uint64_t) ticks;
    uint64_t most;
    struct call_row longest;
};

// The calls of a function, or of one by one path of callers: their durations.
struct latency {
    uint64_t pc;
    uint32_t parent;     // among `functions`: the path to its caller; UINT32_MAX: none, or no paths
    uint64_t last_entry; // while a lane is read
    uint32_t last_lane;
    bool is_judged, is_wanted;
    struct durations elapsed;
    struct durations busy; // on the core, where the trace has tasks
    struct durations to_task, pending;
};

// Of a histogram.
struct step {
    uint64_t from, to;
    size_t count;
};

struct calls {
    struct command common;
    struct hidden_names wanted; // functions; none: all
    const char *where;
    struct expression condition;
    enum sort_key key;
    uint64_t top; // 0: all
    bool wants_values, wants_latency, wants_histogram, wants_svg, wants_handlers, wants_intervals,
        wants_pending, tells_tasks, tells_interrupts;
    bool by_path;
    VEC(, char *) lane_names;
    VEC(, struct open_call) open;
    VEC(, struct open_call) suspended; // the outermost last
    VEC(, struct call_row) rows;
    VEC(, struct handled) handled; // of all cores
    uint32_t core;                 // of the lane that is read
    VEC(, struct latency) functions;
    struct hash_index by_pc;
    VEC(, struct step) steps;     // of the function that is shown
    struct out arguments, result; // of the row that is written, by their types
    struct call_row last;         // that ended, and of which the mark is not known yet
    bool has_last;
    uint64_t entered;
    uint64_t unknown; // calls of which it is not known whether the condition holds
    struct error err;
    bool has_failed; // with `err`
};

// Columns that only some tables have.
enum {
    WITH_LINES = 1,
    WITH_VALUES = 2,
    WITH_ARGUMENTS = 4,
    WITH_WAITS = 8,
    WITH_INTERVALS = 16,
    WITH_NESTING = 32,
    WITH_PATH = 64,
    WITH_TO_TASK = 128,
    WITH_PENDING = 256
};

// The time from its entry to its exit.
static inline uint64_t elapsed_of(const struct call_row *row)
{
    return row->exit - row->entry;
}

// Tasks come one after the other, so that numbers alone do not tell which was first.
static inline bool is_earlier(const struct call_row *a, const struct call_row *b)
{
    return a->entry != b->entry ? a->entry < b->entry : a->number < b->number;
}

// Notes an error with the path of the trace. Returns false.
bool calls_fail(struct calls *calls, enum status status, const char *what);

// The name of the function entered at `pc`; NULL: none, or UINT64_MAX.
const char *calls_name(struct calls *calls, uint64_t pc);

// Takes a row whose function is wanted into the durations of its function. False: no memory,
// reported.
bool calls_take_latency(struct calls *calls, const struct call_row *row);

// Finds what only all handlers together tell of each: when a task ran again, and with --pending,
// when it was asked for. Then takes rows as calls_take_latency, if durations are wanted. False:
// reported.
bool calls_finish_handlers(struct calls *calls);

// The event of a line of which a call has its entry. False: unknown.
bool calls_event(struct calls *calls, uint64_t line, struct trawl_event *about);

// Write the durations of each function's calls: as a table of minimum, percentiles and maximum; and
// as histograms, in a table or as an SVG. False: reported.
bool calls_show_latencies(struct calls *calls);
bool calls_show_histograms(struct calls *calls);

#endif
