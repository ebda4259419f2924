// The points of a trace at which a condition holds: `x0 == 0`, `pc in memcpy && x2 > 0x1000`,
// `changed(u32(0x8000))` (query/expression.h).
//
// A condition is about one core, and means what `trawl state` shows after an event: registers,
// memory, and as pc the address of the event's own instruction (of an event without one, that of
// the core's last instruction), so that a row that is found shows the instruction it was asked for.
// It is asked after each event of its core, and of what other cores store it knows by then; a
// condition without registers is asked once, after each event of any core. Where something that it
// needs is unknown, it does not hold.
//
// Nothing is evaluated twice for one state: a condition can only change where something writes what
// it reads. So the writes of its registers are merged with those of the memory that it read last
// time, and it is evaluated there; an index has all of these in columns, and 10 GB with a thousand
// writes take as long as a thousand evaluations. Only a condition on the pc is evaluated at each
// event, and only at those within the bounds that its outermost && parts set for the pc.
#ifndef TRAWL_QUERY_FIND_H
#define TRAWL_QUERY_FIND_H

#include "query/expression.h"
#include "trace/index_view.h"

struct found_point {
    uint64_t event;
    uint64_t lane; // whose registers; of a condition without registers, that of the event
};

struct finder;

// What to find, in which events.
struct find_request {
    const struct expression *condition; // must exist as long as the finder
    uint64_t lane;                      // TRAWL_ANY_LANE: all
    uint64_t first, last;               // events of the trace
    struct names *names; // with the types of variables of functions, if the condition has any
    bool wants_all;      // every event at which it holds, not only where it begins to
    // Whether the search has to end, asked now and then. NULL: never.
    bool (*is_over)(void *self);
    void *self;
};

// STATUS_INPUT: a register of the condition has more than 64 bits.
enum status find_begin(struct finder **finder, const struct index_view *view,
                       const struct find_request *request, struct error *err);

// The next point, in the order of events. STATUS_NOT_FOUND: there is none. STATUS_STOPPED: the
// search had to end; it has come to *point, where a new one can go on.
enum status find_next(struct finder *finder, struct found_point *point, struct error *err);

// The event of the point that find_next() gave last. Where points are close to each other, events
// are read in blocks.
enum status find_event(struct finder *finder, struct trawl_event *about, struct error *err);

// Reads what the condition reads, and nothing else, at the point that find_next() gave last: the
// search has most of it. STATUS_OK: nothing failed in reading so far.
struct expression_registers find_registers(struct finder *finder);
enum status find_registers_status(const struct finder *finder, struct error *err);

// How often the condition was evaluated, and was unknown, and why it was so first. False: never.
bool find_was_unknown(const struct finder *finder, uint64_t *evaluated, uint64_t *unknown,
                      const char **why);

// NULL is allowed.
void find_end(struct finder *finder);

#endif
