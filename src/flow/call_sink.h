// Calls for output: every writer of calls for other programs is a sink, and receives them from
// every kind of trace in the same way.
//
// Lane by lane, calls are entered and left in nesting order, with ascending times. Details of a
// call (a mark, an argument) belong to the last event given.
#ifndef TRAWL_FLOW_CALL_SINK_H
#define TRAWL_FLOW_CALL_SINK_H

#include "flow/call_consumer.h"

struct call_lane {
    const char *name;
    uint64_t process, thread; // identify it
};

// Something that happened at one time.
struct call_instant {
    uint64_t time;
    const char *name;  // "custom event"
    bool has_function; // the function that it is about:
    uint64_t pc;
    bool is_in_call;     // in the innermost call; otherwise of the lane
    const void *payload; // logged with it; NULL: none
    size_t payload_bytes;
    bool has_type; // likewise:
    uint64_t type;
};

// Functions that return bool return whether to continue; if not, the sink has the reason.
struct call_sink {
    void *self;
    // All times count from `start`, in ticks of which a second has `hz` (0: unknown); once, before
    // anything else.
    bool (*begin)(void *self, uint64_t start, uint64_t hz);
    bool (*lane)(void *self, const struct call_lane *lane);
    bool (*enter)(void *self, uint64_t time, uint64_t pc, unsigned how); // enum call_how
    bool (*leave)(void *self, uint64_t time);                            // the innermost one
    // NULL: not wanted.
    bool (*instant)(void *self, const struct call_instant *instant);
    void (*mark)(void *self,
                 const char *what); // its end: "open", "clipped", "guess", call_end_word
    void (*argument)(void *self, uint64_t value);
    // Where the call that was just entered begins in a trace of lines.
    void (*place)(void *self, uint64_t line, uint64_t pc);
};

// For functions that a sink need not have.
static inline bool call_sink_instant(const struct call_sink *sink,
                                     const struct call_instant *instant)
{
    return !sink->instant || sink->instant(sink->self, instant);
}

static inline void call_sink_mark(const struct call_sink *sink, const char *what)
{
    if (sink->mark)
        sink->mark(sink->self, what);
}

static inline void call_sink_argument(const struct call_sink *sink, uint64_t value)
{
    if (sink->argument)
        sink->argument(sink->self, value);
}

static inline void call_sink_place(const struct call_sink *sink, uint64_t line, uint64_t pc)
{
    if (sink->place)
        sink->place(sink->self, line, pc);
}

#endif
