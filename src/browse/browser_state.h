// The state of the browser (browse/browser.h), and its keys.
//
// One struct for the view, folds, searches and prompts, because every key may change any of them;
// panes get it read-only, and each part has its functions in a source of its own, named by the
// headings below.
#ifndef TRAWL_BROWSE_BROWSER_STATE_H
#define TRAWL_BROWSE_BROWSER_STATE_H

#include "base/error.h"
#include "base/limits.h"
#include "browse/lane_calls.h"
#include "browse/level_sums.h"
#include "browse/screen.h"
#include "browse/search.h"
#include "browse/source.h"
#include "browse/timeline.h"

// --- marks.c -------------------------------------------------------------------------------------

// Marks: letters that stand for events, each with a note. On request they are stored next to the
// trace, as lines of text: "a event:1000 the first wrong value".

enum { MARK_COUNT = 26, MARK_NOTE_BYTES = 200, MARKS_PATH_BYTES = 4096 };

struct mark {
    bool is_set;
    uint64_t event; // UINT64_MAX: before the first
    char note[MARK_NOTE_BYTES];
};

struct marks {
    struct mark marks[MARK_COUNT]; // by letter
};

// Sets the mark that was typed: a letter from a to z, optionally a space and a note. STATUS_INPUT:
// it is not a mark.
enum status marks_set(struct marks *marks, const char *typed, uint64_t event, struct error *err);

// The mark with the typed letter. NULL: none.
const struct mark *marks_find(const struct marks *marks, const char *typed);

// The file with the marks of a trace: TRACE.marks. False: the path is too long.
bool marks_path(const char *trace, char path[MARKS_PATH_BYTES]);

// Writes them, whole or not at all.
enum status marks_write(const struct marks *marks, const char *path, struct error *err);

// Reads them. *ignored counts lines that are not marks, or whose events the trace does not have.
// STATUS_NOT_FOUND: there is no such file.
enum status marks_read(struct marks *marks, const char *path, uint64_t event_count,
                       uint64_t *ignored, struct error *err);

// --- loops.c -------------------------------------------------------------------------------------

// Loops of a function in a lane: what is executed repeatedly after jumps back to an instruction,
// the head. The first iteration begins where control reaches the head in another way, and ends with
// the first jump back; the last one ends where the body is left.

// The PCs of the events of a lane, by their numbers in it.
struct lane_pcs {
    void *self;
    // Without code bit. False: no instruction, or the index failed.
    bool (*pc)(void *self, uint64_t event, uint64_t *pc);
};

struct loop {
    uint64_t first, last; // events of all iterations but the first
    uint64_t repeats;     // number of these
    uint64_t head;        // address
};

// The innermost loop around an event, within its call, with more than one iteration. If it is
// longer than LIMIT_LOOP_STEPS in a direction, only the iterations near the event. False: there is
// none.
bool loop_around(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                 struct loop *loop);

// The loops with more than one iteration in the call of an event, outside of further calls,
// ascending; loops within the first iteration of another are included. *count: their number. False:
// the call is longer than LIMIT_LOOP_STEPS, so these are the loops of its beginning, or there is no
// more room.
bool loops_of_call(const struct lane_calls *calls, const struct lane_pcs *pcs, uint64_t event,
                   struct loop *loops, size_t capacity, size_t *count);

// The PCs of a lane of an index, which must outlive it, as must the block.
struct index_pcs {
    struct trawl_index *index;
    uint64_t lane, lane_count;
    uint64_t number; // of the block + 1; 0: none
    size_t count;
    uint64_t pcs[LINE_BLOCK], flags[LINE_BLOCK];
};
struct lane_pcs index_pcs_table(struct index_pcs *pcs);

// --- view.c --------------------------------------------------------------------------------------

// The position of the browser in a trace, what it shows, and what moves it.
//
// The position is between two events: `shown` is the visible event above it, and `state` is the
// event after which the state is reported. Without folds they are the same. After a folded call the
// state is that after its return; a jump into something folded away keeps its exact place as the
// state and shows the last visible event before it: then the position is hidden.
//
// Nothing here depends on a screen, except for the number of lines that fit.

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

// Keys are characters, or these.
enum browse_key {
    KEY_CTRL_D = 4,
    KEY_CTRL_G = 7,
    KEY_CTRL_H = 8,
    KEY_TAB = 9,
    KEY_CTRL_L = 12,
    KEY_RETURN = 13,
    KEY_CTRL_O = 15,
    KEY_CTRL_R = 18,
    KEY_CTRL_U = 21,
    KEY_CTRL_W = 23,
    KEY_ESCAPE = 27,
    KEY_DELETE = 127,
    KEY_UP_ARROW = 0x110000,
    KEY_DOWN_ARROW,
    KEY_LEFT_ARROW,
    KEY_RIGHT_ARROW,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_HOME_KEY,
    KEY_END_KEY,
    KEY_BACK_TAB,
    KEY_FUNCTION, // KEY_FUNCTION + n is function key n
    KEY_LAST = KEY_FUNCTION + 64,
};

struct source_search;
struct pane;
struct prompt_kind;

// Visited places, to return to.
struct places {
    uint64_t visited[LIMIT_BROWSER_PLACES]; // events, in the order of visits
    size_t count, at; // `at`: the index of the current position, or of the next entry
};

struct shown_lines;

struct search_job {
    struct search *search; // NULL: none
    bool is_forward;
    bool is_waiting; // for the part not searched yet
    bool is_drawn;   // after it ended: the screen will not change by itself
    uint64_t from;   // the start of the line from which it continues
};

#define PROMPT_BYTES 512
#define MESSAGE_BYTES 600

struct browser {
    struct browse_source *source;
    struct timeline *timeline;
    struct view view;
    bool is_plain; // like the reference, without additions
    unsigned width, height;
    struct pane *panes[LIMIT_BROWSER_PANES]; // below the trace, in the order they were opened
    size_t pane_count;
    unsigned layouts; // how often rows were distributed again, when some panes scroll to their top
    struct pane *focus; // NULL: the trace
    bool has_syntax, has_targets;
    uint64_t selected;  // line of the shown event, from 0; UINT64_MAX: none
    unsigned recentred; // how often ^L was pressed in a row
    char message[MESSAGE_BYTES];
    bool is_error;
    const struct prompt_kind *prompt; // NULL: none is open
    struct pane *prompt_pane;         // that opened the prompt
    char typed[PROMPT_BYTES];
    size_t typed_length;
    bool is_completing;      // by Tab after Tab
    size_t completed_length; // of what was typed before
    bool has_help;
    unsigned help_top;
    bool is_done;
    // Additions to the reference.
    struct places places;
    struct marks marks;
    struct search_job search;
    struct shown_lines *shown; // for searches; NULL: none was needed yet
    struct search *reads;      // whose hits are the only rows shown; NULL: none
    bool waits_for_found;      // only what is found is shown once everything is searched
    unsigned threads;          // to search with
    unsigned sideways;         // columns of text to the left of the screen
    bool has_indentation;
    const struct source_search *source_search; // where source files may be; NULL: not known
    size_t lane;                               // its number + 1; 0: all are shown
};

#endif
