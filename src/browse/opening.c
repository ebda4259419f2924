#include "browse/opening.h"

#include "base/characters.h"
#include "base/limits.h"
#include "browse/frames.h"
#include "query/exception_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

// Lanes, frames and lines of an event that are looked at, and events at the end that must repeat to
// be a loop.
enum { LANES = 64, FRAMES = 32, EVENT_LINES = 256, LOOP_EVENTS = 96, LOOP_LONGEST = 16 };

// Whether a function is one that programs end in when they give up, by its name.
static bool gives_up(const char *name)
{
    static const char *const words[] = {
        "abort",
        "panic",
        "assert_fail",
        "assert_func",
        "assertion_failed",
        "hardfault",
        "hard_fault",
        "memmanage",
        "mem_manage",
        "busfault",
        "bus_fault",
        "usagefault",
        "usage_fault",
        "stack_chk",
        "stack_smashing",
        "data_abort",
        "undefined_instruction_handler",
        "terminate",
        "default_handler",
        "fatal",
        "lockup",
        "unhandled",
    };
    char plain[BROWSE_NAME_BYTES];
    size_t length = strcspn(name, "+(");
    for (size_t i = 0; i < length; i++)
        plain[i] = to_small(name[i]);
    plain[length] = '\0';
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        const char *at = strstr(plain, words[i]);
        // "abort" is no word of "abortable" or "reabort".
        size_t end = at ? strlen(words[i]) : 0;
        if (at && (at == plain || !is_letter(at[-1])) && !is_letter(at[end]))
            return true;
    }
    return false;
}

// Whether a call was taken by a reset: the run begins again there. The index has no mark for it,
// but the line of the event names it.
static bool is_reset(struct browse_source *source, struct timeline *timeline, uint64_t event)
{
    if (source->rows != ROWS_LINES || event >= timeline->event_count)
        return false;
    for (uint64_t i = 0; i < u64_min(timeline_lines_of(timeline, event), EVENT_LINES); i++) {
        const struct text_span line = browse_line(source, event, i);
        if (memmem(line.start, (size_t)(line.end - line.start), "Reset", 5))
            return true;
    }
    return false;
}

// A failure among the calls that are active at the end of a lane. Exceptions that a program makes
// on purpose (calls of the system) and interrupts are none.
static bool find_failure(struct browse_source *source, struct timeline *timeline, uint64_t last,
                         struct opening *opening)
{
    struct frame_walk walk;
    struct frame frame;
    char name[BROWSE_NAME_BYTES], given_up[BROWSE_NAME_BYTES] = "";
    bool is_found = false;
    frames_begin(&walk, source, timeline, last);
    for (int i = 0; i < FRAMES && frames_next(&walk, &frame); i++) {
        // The call in this frame leads to the frame that was named before.
        if (*given_up && frame.has_call) {
            opening->event = frame.site;
            snprintf(opening->reason, sizeof opening->reason, "the run ends in %.200s", given_up);
            is_found = true;
        }
        char why[EXCEPTION_TEXT_BYTES];
        bool is_exception = frame.has_call && frame.how & TRAWL_CALL_EXCEPTION && frame.is_open;
        if (is_exception && !(frame.how & TRAWL_CALL_INTERRUPT)) {
            bool is_told =
                exception_text(source->indexed, source->names, frame.lane, &frame.first, why);
            if (is_reset(source, timeline, frame.site) ||
                is_reset(source, timeline, frame.site + 1))
                return is_found;
            if (is_told && (strncmp(why, "syscall", 7) == 0 || strncmp(why, "interrupt", 9) == 0))
                return is_found;
            opening->event = frame.site;
            snprintf(opening->reason, sizeof opening->reason,
                     "the last exception never returns%s%s", is_told ? ": " : "",
                     is_told ? why : "");
            return true;
        }
        const uint64_t pc = frame.has_pc ? frame.pc : frame.function;
        bool is_named = (frame.has_pc || frame.function) && browse_address_name(source, pc, name) &&
                        gives_up(name);
        snprintf(given_up, sizeof given_up, "%.*s", is_named ? (int)strcspn(name, "+") : 0, name);
    }
    return is_found;
}

// A short loop at the end of a lane, unless a program ends or waits for work that way.
static bool find_loop(struct browse_source *source, struct timeline *timeline, uint64_t lane,
                      struct opening *opening)
{
    struct trawl_event events[LOOP_EVENTS];
    uint64_t count = source->indexed->lanes[lane].events;
    char name[BROWSE_NAME_BYTES];
    if (source->rows != ROWS_LINES || count <= LOOP_EVENTS)
        return false;
    for (uint64_t i = 0; i < LOOP_EVENTS; i++)
        browse_event(source, timeline_event_of(timeline, lane, count - LOOP_EVENTS + i),
                     &events[i]);
    size_t period = 1;
    for (; period <= LOOP_LONGEST; period++) {
        size_t i = period;
        while (i < LOOP_EVENTS && events[i].pc == events[i - period].pc)
            i++;
        if (i == LOOP_EVENTS)
            break;
    }
    const struct trawl_event *last = &events[LOOP_EVENTS - 1];
    if (period > LOOP_LONGEST)
        return false;
    // Goes back to where it begins, unless that is far.
    uint64_t at = count - LOOP_EVENTS;
    struct trawl_event before = events[0];
    for (int steps = 0; at && steps < LIMIT_STATE_STEPS; steps++, at--) {
        browse_event(source, timeline_event_of(timeline, lane, at - 1), &before);
        size_t i = 0;
        while (i < period && events[i].pc != before.pc)
            i++;
        if (i == period)
            break;
    }
    bool is_named = browse_address_name(source, last->pc, name);
    if (is_named && (strstr(name, "exit") || strstr(name, "idle") || strstr(name, "halt")))
        return false;
    opening->event = before.event;
    snprintf(opening->reason, sizeof opening->reason,
             "the run ends in a loop of %zu instruction%s%s%.160s", period, plural(period),
             is_named ? ", in " : "", is_named ? name : "");
    return true;
}

// The point before the first instruction of main, or in a trace of calls, the call.
static bool find_main(struct browse_source *source, struct opening *opening)
{
    struct expression expression;
    struct trawl_error why;
    struct error err;
    uint64_t pc, visit = 0;
    if (browse_parse(source, TRAWL_START, true, "main", &expression, &err) != STATUS_OK ||
        !browse_evaluate(source, &expression, TRAWL_START, &pc))
        return false;
    pc &= ~UINT64_C(1);
    bool is_there = source->rows == ROWS_LINES
                        ? trawl_visit(source->indexed->index, TRAWL_ANY_LANE, pc, 0, TRAWL_FORWARD,
                                      &visit, &why) == TRAWL_OK
                        : browse_next_row_of(source, TRAWL_ANY_LANE, pc, true, &visit);
    opening->event = source->rows == ROWS_LINES ? visit - 1 : visit;
    snprintf(opening->reason, sizeof opening->reason, "the first call of main");
    return is_there;
}

void opening_find(struct browse_source *source, struct timeline *timeline, struct opening *opening)
{
    const struct index_view *view = source->indexed;
    for (uint64_t lane = 0; lane < u64_min(view->info.lanes, LANES); lane++) {
        if (!view->lanes[lane].events)
            continue;
        uint64_t last = timeline_event_of(timeline, lane, view->lanes[lane].events - 1);
        if (find_failure(source, timeline, last, opening) ||
            find_loop(source, timeline, lane, opening))
            return;
    }
    if (find_main(source, opening))
        return;
    // Logs of calls and frames begin with what happened, and not with the values of registers.
    bool begins_with_values = source->rows == ROWS_LINES;
    opening->event = !timeline->event_count ? TRAWL_START
                     : begins_with_values   ? timeline->event_count - 1
                                            : 0;
    snprintf(opening->reason, sizeof opening->reason, "the %s: no call of main is known",
             begins_with_values ? "end" : "beginning");
}
