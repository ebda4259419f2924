// The long calls of a stream, for exports: a viewer is slow with millions of slices, and what is
// looked for are the calls that took long.
//
// How long a call takes is known when it is left, but its entry comes before those of the calls in
// it. So entries are held back until the call has lasted long enough or is left; then it is given
// after the calls around it, which last at least as long, or it is dropped with what happened in
// it. That needs memory for the calls that are open, and for the events in them since.
//
// The N longest are found in an earlier pass, as the length that they reach: a heap of N numbers.
#ifndef TRAWL_FLOW_LONG_CALLS_H
#define TRAWL_FLOW_LONG_CALLS_H

#include "base/vec.h"
#include "flow/call_sink.h"

// Which calls are long: those above so many ticks, and the first so many of exactly that.
struct call_lengths {
    uint64_t above, as_long;
};

// Judges a call that has ended; each only once.
static inline bool call_is_long(struct call_lengths *lengths, uint64_t ticks)
{
    bool is_as_long = ticks == lengths->above && lengths->as_long;
    lengths->as_long -= is_as_long;
    return ticks > lengths->above || is_as_long;
}

// --- The longest ---------------------------------------------------------------------------------

// Initialize with zeros except for the first two.
struct longest_calls {
    uint64_t wanted;            // above 0
    struct call_lengths among;  // shorter ones do not count
    VEC(, uint64_t) heap, open; // lengths, the shortest first; when the open calls were entered
    bool lacks_memory;          // the reason why it stopped
};

// A sink that measures calls. `longest` must not move.
struct call_sink longest_calls_sink(struct longest_calls *longest);

// The lengths that the longest calls have; frees everything.
struct call_lengths longest_calls_end(struct longest_calls *longest);

// --- The filter ----------------------------------------------------------------------------------

// An entry or an event that is held back.
struct held_event;

// Initialize with zeros except for the first two.
struct long_calls {
    const struct call_sink *sink; // gets the long calls
    struct call_lengths lengths;
    VEC(, struct held_event) held;
    size_t first_held;     // those before it were given
    VEC(, uint64_t) open;  // when the open calls were entered
    VEC(, size_t) entries; // of the open calls that are held back, the innermost ones: in `held`
    VEC(, uint64_t) arguments;
    VEC(, uint8_t) payloads;                  // of held events
    enum { OF_NONE, OF_GIVEN, OF_HELD } last; // what details that follow belong to
    uint64_t kept, dropped, dropped_events;
    uint64_t longest;  // of those that were dropped
    bool lacks_memory; // the reason why it stopped, if not because of the sink
};

// The sink in front of the other one. `calls` must not move.
struct call_sink long_calls_sink(struct long_calls *calls);

void long_calls_free(struct long_calls *calls);

#endif
