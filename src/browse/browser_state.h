// What the browser has in hand (browse/browser.h), and the keys that it takes.
#ifndef TRAWL_BROWSE_BROWSER_STATE_H
#define TRAWL_BROWSE_BROWSER_STATE_H

#include "base/limits.h"
#include "browse/marks.h"
#include "browse/screen.h"
#include "browse/source.h"
#include "browse/text_search.h"
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

struct pane;
struct prompt_kind;

// Where one was and may want to go again.
struct places {
    uint64_t visited[LIMIT_BROWSER_PLACES]; // events, in the order of visits
    size_t count, at; // `at`: the one that is the present position, or would be next
};

struct search_job {
    struct search *search; // NULL: none
    bool is_forward;
    bool is_waiting; // for what is not searched yet
    bool is_drawn;   // as it ended: what is on the screen will not change by itself
    uint64_t from;   // where the line begins that it continues from
};

#define PROMPT_BYTES 512
#define MESSAGE_BYTES 600

struct browser {
    struct browse_source *source;
    struct timeline *timeline;
    struct view view;
    bool is_plain; // as the reference has it, without what it lacks
    unsigned width, height;
    struct pane *panes[LIMIT_BROWSER_PANES]; // below the trace, in the order they were opened
    size_t pane_count;
    unsigned
        layouts; // how often rows were given out again: panes that go by that begin at their top
    struct pane *focus; // NULL: the trace
    bool has_syntax, has_targets;
    uint64_t selected;  // line of the shown event, from 0; UINT64_MAX: none
    unsigned recentred; // how often ^L was pressed in a row
    char message[MESSAGE_BYTES];
    bool is_error;
    const struct prompt_kind *prompt; // NULL: none is open
    struct pane *prompt_pane;         // that asked
    char typed[PROMPT_BYTES];
    size_t typed_length;
    bool is_completing;      // by Tab after Tab
    size_t completed_length; // what was typed before that
    bool has_help;
    unsigned help_top;
    bool is_done;
    // What the reference lacks.
    struct places places;
    struct marks marks;
    struct search_job search;
    struct search *reads; // of what is shown alone; NULL: none
    bool waits_for_found; // what is found is shown alone once everything is searched
    unsigned threads;     // to search with
    unsigned sideways;    // columns of text that are left out before the first shown
    bool has_indentation;
    const char *const *source_directories; // where source files may be
    size_t source_directory_count;
    size_t lane; // 0: all are shown; else its number and one
};

#endif
