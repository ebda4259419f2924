#include "flow/long_calls.h"

#include <stdlib.h>
#include <string.h>

// A clock of a log can go back.
static uint64_t ticks_since(uint64_t entry, uint64_t time)
{
    return time > entry ? time - entry : 0;
}

// --- The longest ---------------------------------------------------------------------------------

static bool measure_begin(void *self, uint64_t start, uint64_t hz)
{
    (void)self, (void)start, (void)hz;
    return true;
}

static bool measure_lane(void *self, const struct call_lane *lane)
{
    struct longest_calls *longest = self;
    (void)lane;
    longest->open.count = 0;
    return true;
}

static bool measure_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct longest_calls *longest = self;
    (void)pc, (void)how;
    longest->lacks_memory = !VEC_ROOM(&longest->open, 1);
    if (!longest->lacks_memory)
        longest->open.items[longest->open.count++] = time;
    return !longest->lacks_memory;
}

// Puts `ticks` where the heap has a gap at its end, or instead of the shortest.
static void heap_put(uint64_t *heap, size_t count, bool has_gap, uint64_t ticks)
{
    size_t at = has_gap ? count - 1 : 0;
    for (; has_gap && at && heap[(at - 1) / 2] > ticks; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    while (!has_gap) {
        size_t below = 2 * at + 1;
        below += below + 1 < count && heap[below + 1] < heap[below];
        if (below >= count || heap[below] >= ticks)
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = ticks;
}

static bool measure_leave(void *self, uint64_t time)
{
    struct longest_calls *longest = self;
    ASSERT(longest->open.count);
    uint64_t ticks = ticks_since(longest->open.items[--longest->open.count], time);
    bool is_full = longest->heap.count == longest->wanted;
    if (is_full ? ticks <= longest->heap.items[0] : !call_is_long(&longest->among, ticks))
        return true;
    longest->lacks_memory = !is_full && !VEC_ROOM(&longest->heap, 1);
    if (longest->lacks_memory)
        return false;
    longest->heap.count += !is_full;
    heap_put(longest->heap.items, longest->heap.count, !is_full, ticks);
    return true;
}

struct call_sink longest_calls_sink(struct longest_calls *longest)
{
    return (struct call_sink){.self = longest,
                              .begin = measure_begin,
                              .lane = measure_lane,
                              .enter = measure_enter,
                              .leave = measure_leave};
}

struct call_lengths longest_calls_end(struct longest_calls *longest)
{
    struct call_lengths lengths = longest->among;
    if (longest->heap.count == longest->wanted) {
        lengths = (struct call_lengths){.above = longest->heap.items[0]};
        for (size_t i = 0; i < longest->heap.count; i++)
            lengths.as_long += longest->heap.items[i] == lengths.above;
    }
    free(longest->heap.items);
    free(longest->open.items);
    return lengths;
}

// --- The filter ----------------------------------------------------------------------------------

struct held_event {
    struct call_instant instant; // its time, and the PC of an entry; its payload is in `payloads`
    bool is_entry, has_place;
    unsigned how;
    uint64_t line, place_pc;
    const char *mark; // NULL: none
    size_t payload, argument, argument_end;
};

// Passes one of the events on.
static bool give(struct long_calls *calls, const struct held_event *event)
{
    const struct call_sink *sink = calls->sink;
    struct call_instant instant = event->instant;
    if (instant.payload_bytes)
        instant.payload = calls->payloads.items + event->payload;
    else if (instant.payload)
        instant.payload = "";
    calls->kept += event->is_entry;
    if (event->is_entry ? !sink->enter(sink->self, instant.time, instant.pc, event->how)
                        : !call_sink_instant(sink, &instant))
        return false;
    if (event->has_place)
        call_sink_place(sink, event->line, event->place_pc);
    if (event->mark)
        call_sink_mark(sink, event->mark);
    for (size_t i = event->argument; i < event->argument_end; i++)
        call_sink_argument(sink, calls->arguments.items[i]);
    return true;
}

// Gives the outermost `count` of the calls that are held back, with the events in them.
static bool give_calls(struct long_calls *calls, size_t count)
{
    bool goes_on = true;
    bool is_all = count == calls->entries.count;
    size_t end = is_all ? calls->held.count : calls->entries.items[count];
    while (goes_on && calls->first_held < end)
        goes_on = give(calls, &calls->held.items[calls->first_held++]);
    calls->entries.count -= count;
    if (is_all) {
        calls->held.count = calls->first_held = 0;
        calls->payloads.count = calls->arguments.count = 0;
        calls->last = calls->last == OF_HELD ? OF_GIVEN : calls->last;
    } else
        memmove(calls->entries.items, calls->entries.items + count,
                calls->entries.count * sizeof *calls->entries.items);
    return goes_on;
}

// Gives the calls that have lasted long enough by `time`.
static bool give_by(struct long_calls *calls, uint64_t time)
{
    const uint64_t *entered = calls->open.items + calls->open.count - calls->entries.count;
    size_t count = 0;
    while (count < calls->entries.count && ticks_since(entered[count], time) > calls->lengths.above)
        count++;
    return !count || give_calls(calls, count);
}

// Holds an event back; the caller fills it in. NULL: no memory.
static struct held_event *hold(struct long_calls *calls)
{
    calls->lacks_memory |= !VEC_ROOM(&calls->held, 1);
    if (calls->lacks_memory)
        return NULL;
    struct held_event *event = &calls->held.items[calls->held.count++];
    *event = (struct held_event){.payload = calls->payloads.count,
                                 .argument = calls->arguments.count,
                                 .argument_end = calls->arguments.count};
    calls->last = OF_HELD;
    return event;
}

static struct held_event *last_held(struct long_calls *calls)
{
    return &calls->held.items[calls->held.count - 1];
}

static bool filter_begin(void *self, uint64_t start, uint64_t hz)
{
    const struct call_sink *sink = ((struct long_calls *)self)->sink;
    return sink->begin(sink->self, start, hz);
}

static bool filter_lane(void *self, const struct call_lane *lane)
{
    struct long_calls *calls = self;
    calls->open.count = calls->entries.count = calls->held.count = calls->first_held = 0;
    calls->payloads.count = calls->arguments.count = 0;
    calls->last = OF_NONE;
    return calls->sink->lane(calls->sink->self, lane);
}

static bool filter_enter(void *self, uint64_t time, uint64_t pc, unsigned how)
{
    struct long_calls *calls = self;
    if (!give_by(calls, time))
        return false;
    calls->lacks_memory |= !VEC_ROOM(&calls->open, 1) || !VEC_ROOM(&calls->entries, 1);
    struct held_event *event = calls->lacks_memory ? NULL : hold(calls);
    if (!event)
        return false;
    event->instant = (struct call_instant){.time = time, .pc = pc};
    event->is_entry = true;
    event->how = how;
    calls->open.items[calls->open.count++] = time;
    calls->entries.items[calls->entries.count++] = calls->held.count - 1;
    return true;
}

static bool filter_leave(void *self, uint64_t time)
{
    struct long_calls *calls = self;
    ASSERT(calls->open.count);
    if (!give_by(calls, time))
        return false;
    uint64_t ticks = ticks_since(calls->open.items[calls->open.count - 1], time);
    bool is_long = !calls->entries.count || call_is_long(&calls->lengths, ticks);
    if (is_long && calls->entries.count && !give_calls(calls, calls->entries.count))
        return false;
    calls->open.count--;
    if (is_long) {
        calls->last = OF_GIVEN;
        return !calls->lacks_memory && calls->sink->leave(calls->sink->self, time);
    }
    size_t entry = calls->entries.items[--calls->entries.count];
    const struct held_event *event = &calls->held.items[entry];
    calls->dropped++;
    calls->dropped_events += calls->held.count - entry - 1;
    calls->longest = u64_max(calls->longest, ticks);
    calls->payloads.count = event->payload;
    calls->arguments.count = event->argument;
    calls->held.count = entry;
    if (!calls->entries.count)
        calls->held.count = calls->first_held = 0;
    calls->last = OF_NONE;
    return !calls->lacks_memory;
}

static bool filter_instant(void *self, const struct call_instant *instant)
{
    struct long_calls *calls = self;
    if (!give_by(calls, instant->time))
        return false;
    if (!calls->entries.count) {
        calls->last = OF_GIVEN;
        return call_sink_instant(calls->sink, instant);
    }
    calls->lacks_memory |= !VEC_ROOM(&calls->payloads, instant->payload_bytes);
    struct held_event *event = calls->lacks_memory ? NULL : hold(calls);
    if (!event)
        return false;
    event->instant = *instant;
    if (instant->payload_bytes)
        memcpy(calls->payloads.items + calls->payloads.count, instant->payload,
               instant->payload_bytes);
    calls->payloads.count += instant->payload_bytes;
    return true;
}

static void filter_mark(void *self, const char *what)
{
    struct long_calls *calls = self;
    if (calls->last == OF_GIVEN)
        call_sink_mark(calls->sink, what);
    else if (calls->last == OF_HELD)
        last_held(calls)->mark = what;
}

static void filter_argument(void *self, uint64_t value)
{
    struct long_calls *calls = self;
    if (calls->last == OF_GIVEN)
        call_sink_argument(calls->sink, value);
    else if (calls->last == OF_HELD) {
        calls->lacks_memory |= !VEC_ROOM(&calls->arguments, 1);
        if (calls->lacks_memory)
            return;
        calls->arguments.items[calls->arguments.count++] = value;
        last_held(calls)->argument_end = calls->arguments.count;
    }
}

static void filter_place(void *self, uint64_t line, uint64_t pc)
{
    struct long_calls *calls = self;
    if (calls->last == OF_GIVEN)
        call_sink_place(calls->sink, line, pc);
    else if (calls->last == OF_HELD) {
        struct held_event *event = last_held(calls);
        event->has_place = true;
        event->line = line;
        event->place_pc = pc;
    }
}

struct call_sink long_calls_sink(struct long_calls *calls)
{
    return (struct call_sink){.self = calls,
                              .begin = filter_begin,
                              .lane = filter_lane,
                              .enter = filter_enter,
                              .leave = filter_leave,
                              .instant = filter_instant,
                              .mark = filter_mark,
                              .argument = filter_argument,
                              .place = filter_place};
}

void long_calls_free(struct long_calls *calls)
{
    free(calls->held.items);
    free(calls->open.items);
    free(calls->entries.items);
    free(calls->arguments.items);
    free(calls->payloads.items);
}
