#include "browse/frames.h"

#include "base/limits.h"
#include "unwind/call_site.h"

static bool find_call_at(struct frame_walk *walk, uint64_t in_lane)
{
    struct trawl_error err;
    enum trawl_status status =
        trawl_call_at(walk->source->indexed->index, walk->lane, in_lane, &walk->call, &err);
    return browse_note_trawl(walk->source, status, &err);
}

static bool go_out(struct frame_walk *walk)
{
    struct trawl_error err;
    if (walk->call.parent == TRAWL_NONE)
        return false;
    enum trawl_status status =
        trawl_call(walk->source->indexed->index, walk->lane, walk->call.parent, &walk->call, &err);
    return browse_note_trawl(walk->source, status, &err);
}

void frames_begin(struct frame_walk *walk, struct browse_source *source, struct timeline *timeline,
                  uint64_t event)
{
    uint64_t at = 0;
    *walk = (struct frame_walk){
        .source = source, .timeline = timeline, .is_first = true, .event = event};
    if (walk->source->rows == ROWS_CALLS) {
        // Events are entries and exits: an exit is outside of the call that it ends.
        walk->is_first = false;
        if (event == TRAWL_START)
            return;
        walk->lane = timeline_lane_of(timeline, event, &at);
        walk->has_call = find_call_at(walk, at);
        return;
    }
    walk->lane = timeline_lane_of(walk->timeline, event == TRAWL_START ? 0 : event, &at);
    uint64_t events = walk->timeline->lanes[walk->lane].calls.event_count;
    if (event != TRAWL_START && at + 1 < events)
        at++; // the next row is the current place
    walk->has_call = find_call_at(walk, at);
}

// The caller is that of the first of the calls that replaced each other.
static void find_first(struct frame_walk *walk, struct frame *frame)
{
    const struct index_view *view = walk->source->indexed;
    struct trawl_call first, around;
    struct error err;
    enum status status = call_around(view, walk->lane, &walk->call, &around, &err);
    bool is_inside = browse_note(walk->source, status, &err);
    status = call_first_in_place(view, walk->lane, &walk->call, is_inside ? &around : NULL, &first,
                                 &err);
    bool is_called = browse_note(walk->source, status, &err);
    frame->has_tail_calls = is_called && first.call != walk->call.call;
    frame->how = is_called ? first.how : walk->call.how;
    frame->first = is_called ? first : walk->call;
    walk->site = is_called ? first.began : 0;
    walk->first = first;
    walk->around = around;
    walk->is_inside = is_inside;
}

static void find_site(struct frame_walk *walk, struct frame *frame)
{
    struct trawl_event about;
    struct error err;
    frame->has_call = true;
    frame->is_open = walk->call.is_open;
    find_first(walk, frame);
    if (!walk->site)
        return;
    // An interrupted function did not call: its place is where it goes on.
    const enum status status = call_site(walk->source->indexed, walk->lane, &walk->first,
                                         walk->is_inside ? &walk->around : NULL, &about, &err);
    if (!browse_note(walk->source, status, &err)) {
        uint64_t before = timeline_event_of(walk->timeline, walk->lane, walk->site - 1);
        browse_event(walk->source, before, &about);
    }
    frame->site = about.event;
    frame->has_pc = about.flags & TRAWL_HAS_INSTRUCTION;
    frame->pc = about.pc;
}

bool frames_next(struct frame_walk *walk, struct frame *frame)
{
    *frame = (struct frame){.lane = walk->lane};
    if (walk->source->rows == ROWS_CALLS && walk->has_call) {
        frame->function = walk->call.pc;
        frame->has_call = true;
        frame->is_open = walk->call.is_open;
        frame->site = timeline_event_of(walk->timeline, walk->lane, walk->call.entry);
        walk->has_call = go_out(walk);
        return true;
    }
    if (walk->is_first) {
        walk->is_first = false;
        frame->has_pc = browse_next_pc(walk->source, walk->event, &frame->pc);
        return true;
    }
    if (!walk->has_call)
        return false;
    find_site(walk, frame);
    bool is_outermost = !walk->is_inside && !walk->site && call_replaces_root(&walk->first);
    if (frame->how & TRAWL_CALL_TASK || is_outermost)
        return false;
    walk->has_call = walk->is_inside;
    walk->call = walk->around;
    return true;
}

// Whether an address is where one of the active calls continues. A call instruction has two or four
// bytes.
static bool is_return_address(struct browse_source *source, struct timeline *timeline,
                              uint64_t event, uint64_t address)
{
    struct frame_walk walk;
    struct frame frame;
    frames_begin(&walk, source, timeline, event);
    for (unsigned i = 0; i < LIMIT_PANE_CALLS && frames_next(&walk, &frame); i++) {
        uint64_t behind = address - (frame.pc & ~UINT64_C(1));
        if (i && frame.has_pc && (behind == 4 || ((address & 1) && (behind == 5 || behind == 3))))
            return true;
    }
    return false;
}

bool frames_value_name(struct browse_source *source, struct timeline *timeline, uint64_t event,
                       uint64_t value, char text[BROWSE_NAME_BYTES], bool *is_return)
{
    char by_call[BROWSE_NAME_BYTES];
    bool is_named = browse_address_name(source, value, text);
    if (source->rows != ROWS_LINES) {
        if (is_return)
            *is_return = false;
        return is_named;
    }
    bool has_caller = browse_return_name(source, value, by_call);
    bool matters = is_return || (has_caller && strcmp(text, by_call) != 0);
    bool returns = matters && is_return_address(source, timeline, event, value);
    if (is_return)
        *is_return = returns;
    if (!returns || !has_caller)
        return is_named;
    memcpy(text, by_call, sizeof by_call);
    return true;
}
