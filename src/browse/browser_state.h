// The state of the browser (browse/browser.h), and its keys.
#ifndef TRAWL_BROWSE_BROWSER_STATE_H
#define TRAWL_BROWSE_BROWSER_STATE_H

#include "base/limits.h"
#include "browse/marks.h"
#include "browse/screen.h"
#include "browse/search.h"
#include "browse/source.h"
#include "browse/view.h"

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
    struct search *reads; // whose hits are the only rows shown; NULL: none
    bool waits_for_found; // only what is found is shown once everything is searched
    unsigned threads;     // to search with
    unsigned sideways;    // columns of text to the left of the screen
    bool has_indentation;
    const struct source_search *source_search; // where source files may be; NULL: not known
    size_t lane;                               // its number + 1; 0: all are shown
};

#endif
