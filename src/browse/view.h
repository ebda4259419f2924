// The position of the browser in a trace, what it shows, and what moves it.
//
// The position is between two events: `shown` is the visible event above it, and `state` is the
// event after which the state is reported. Without folds they are the same. After a folded call the
// state is that after its return; a jump into something folded away keeps its exact place as the
// state and shows the last visible event before it: then the position is hidden.
//
// Nothing here depends on a screen, except for the number of lines that fit.
#ifndef TRAWL_BROWSE_VIEW_H
#define TRAWL_BROWSE_VIEW_H

#include "browse/level_sums.h"
#include "browse/loops.h"
#include "browse/timeline.h"

// A line of a visible event.
struct line_at {
    uint64_t event;
    uint64_t line; // from 0, of the event
};

struct view {
    struct timeline *timeline;
    uint64_t shown, state; // TRAWL_START: before the first event
    struct line_at top;    // the first line on the screen
    uint64_t rows;         // that fit
    bool has_changes;      // one step was made, and its writes are marked
    uint64_t changed_after, changed_until;
    // The reference keeps the number of the line at the top when folds change what is above it.
    bool keeps_numbers;
    bool is_strict; // no step leads before the first event, as in the reference
    bool has_sums;
    struct level_sums sums;
    struct sums_job *sums_job; // that makes them; NULL: they are made when needed
};

// Begins after the first visible event.
void view_open(struct view *view, struct timeline *timeline, uint64_t rows);
void view_close(struct view *view);

// Makes the top keep its number when folds change, and starts to compute what this needs.
void view_keep_numbers(struct view *view);

// Stops using the index, which is about to be replaced; uses the new one of the same events.
void view_let_go(struct view *view);
void view_take_up(struct view *view);

// Whether the state is not the one that steps would find at the place shown.
bool view_is_hidden(struct view *view);

// The visible event below the position; TIMELINE_NONE at the end.
uint64_t view_below(struct view *view);

// Each of these returns false, and changes nothing, if there is nothing to do.
bool view_down(struct view *view);
bool view_up(struct view *view);
bool view_page_down(struct view *view);
bool view_page_up(struct view *view);
bool view_home(struct view *view);
bool view_end(struct view *view);

// Goes after an event, which may be TRAWL_START.
void view_go(struct view *view, uint64_t event);

// Marks what was written between another state and the current one.
void view_mark_changes(struct view *view, uint64_t other);

// Finds again what to show of the state, after lanes were left out or added.
void view_show_again(struct view *view);

enum view_place { VIEW_TOP, VIEW_MIDDLE, VIEW_BOTTOM };

// Scrolls so that the shown event is at that place.
void view_scroll(struct view *view, enum view_place place);

// Changes the number of rows; the shown event stays visible.
void view_resize(struct view *view, uint64_t rows);

// The call around the position, as events of its lane. False: none.
struct view_call {
    uint64_t lane;
    uint64_t level;
    uint64_t first, last; // by their numbers in the lane
};
bool view_containing(struct view *view, struct view_call *call);

// What is folded between the shown event and the next visible one of its lane; its level is that of
// what a step of unfolding shows. False: nothing.
bool view_folded(struct view *view, struct view_call *call);
bool view_folded_after(struct view *view, uint64_t event, struct view_call *call);

enum view_fold {
    VIEW_FOLD,         // the containing call
    VIEW_FOLD_CALLEES, // what it calls
    VIEW_UNFOLD,       // the containing call, altogether
    VIEW_UNFOLD_LEVEL, // what is folded after the position, by one level
    VIEW_FOLD_ALL,     // every call
    VIEW_UNFOLD_ALL,
};

// STATUS_NOT_FOUND: there is nothing of the kind here.
enum status view_change_folds(struct view *view, enum view_fold how, struct error *err);

// Folds the iterations of a loop after its first: events [first, last] of a lane.
enum status view_fold_loop(struct view *view, uint64_t lane, const struct loop *loop,
                           struct error *err);

// The same of several loops of a call, ascending.
enum status view_fold_loops(struct view *view, uint64_t lane, const struct loop *loops,
                            size_t count, struct error *err);

// The line of a visible event that is `count` visible lines below or above another. False: there is
// none; *at is the last, or first, one.
bool view_lines_below(struct view *view, struct line_at *at, uint64_t count);
bool view_lines_above(struct view *view, struct line_at *at, uint64_t count);

#endif
