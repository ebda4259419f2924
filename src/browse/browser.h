// The browser: a trace in a view, panes that show the state there, a prompt, messages and help.
//
// It receives keys and sizes, and draws into a screen; it does not depend on terminals. Panes are
// rows of a table (browse/pane.h), and so are their keys, from which the help is made.
#ifndef TRAWL_BROWSE_BROWSER_H
#define TRAWL_BROWSE_BROWSER_H

#include "base/error.h"
#include "base/vec.h"
#include "browse/browser_state.h"
#include "browse/screen.h"
#include "browse/source.h"
#include "query/trace_lines.h"
#include "trace/trace.h"

// --- browser.c -----------------------------------------------------------------------------------

// Opens the browser after the first event, with the core registers below. Closed by browser_close
// either way.
enum status browser_open(struct browser *browser, struct browse_source *source,
                         struct timeline *timeline, bool is_plain, struct error *err);
void browser_close(struct browser *browser);

// Reads the marks stored next to the trace, if any.
void browser_read_marks(struct browser *browser);

// Shows a message until the next key.
void browser_tell(struct browser *browser, const char *text);

// Shows one lane, by its number + 1; 0: all.
void browser_show_lane(struct browser *browser, size_t lane);

// Begins after an event, without a previous place to go back to.
void browser_begin_at(struct browser *browser, uint64_t event);

// Begins at the interesting place, and says why (browse/opening.h).
void browser_begin_where_it_matters(struct browser *browser);

// Handles a key; its effect is in the browser. browser->is_done: it should end.
void browser_key(struct browser *browser, uint32_t key);

void browser_resize(struct browser *browser, unsigned width, unsigned height);

// While it is busy in the background, regular ticks let it show what it found.
bool browser_is_busy(const struct browser *browser);
void browser_tick(struct browser *browser);

// Goes after the event of a byte of the trace, and selects its line.
void browser_go_to_offset(struct browser *browser, uint64_t offset);

// The cell at a column and row was clicked; the wheel was turned by `lines`.
void browser_click(struct browser *browser, unsigned x, unsigned y);
void browser_wheel(struct browser *browser, int lines);

// Draws all of it. False: no memory.
bool browser_draw(struct browser *browser, struct screen *screen);

// The failure of the index. False: none.
bool browser_failed(const struct browser *browser, struct error *err);

// --- settings.c ----------------------------------------------------------------------------------

// The user's settings for `trawl browse`: a text file in XDG's place, with a keyword and its value
// on each line, and comments after #.
//
//     theme light|dark    colours for such a background (default: dark)
//     colour no           as --no-colour
//     indentation no      lines are not indented by calls
//     source DIRECTORY    as --source
//     keys KEYS           that are pressed at the start: "cd" opens two panes

enum { SETTINGS_PATH_BYTES = 4096, SETTINGS_KEYS_BYTES = 64 };

// All zero: nothing is set. Freed by settings_free.
struct settings {
    char *text; // of the file; the other fields point into it
    bool is_light, has_no_colour, has_no_indentation;
    VEC(, const char *) sources;
    VEC(, const char *) source_maps; // FROM=TO
    char keys[SETTINGS_KEYS_BYTES];
};

// Where the file is: $XDG_CONFIG_HOME/trawl/browse.conf, or that in ~/.config. False: nowhere.
bool settings_path(char path[SETTINGS_PATH_BYTES]);

// Reads the file; a missing one sets nothing. STATUS_INPUT: a line is none of the above, and `err`
// says which; the lines before it count.
enum status settings_read(struct settings *settings, const char *path, struct error *err);
void settings_free(struct settings *settings);

// --- pair.c --------------------------------------------------------------------------------------

// One browser on the screen, or several side by side that move together: cores of a trace, places
// in it, or two traces.
//
// Sides of one trace share its source, so when its index is replaced or has grown, all of them take
// the new one at once; position, folds and panes stay, because it describes the same events.

struct pair {
    struct browser *sides[LIMIT_BROWSER_SIDES]; // the others are NULL
    unsigned count;                             // of sides
    unsigned focus;                             // the side that gets keys
    bool is_coupled;
    uint64_t anchors[2];    // for two traces: corresponding events of their lanes
    uint64_t difference[2]; // the positions before the last difference found
    bool has_difference;
    unsigned width, height;
    struct screen part;
    // The further sides of a trace.
    struct own_side {
        struct browser browser;
        struct timeline timeline;
    } own[LIMIT_BROWSER_SIDES - 1];
    unsigned own_count;
};

// The browsers still belong to the caller; `second` may be NULL.
void pair_open(struct pair *pair, struct browser *first, struct browser *second);
void pair_close(struct pair *pair);

void pair_key(struct pair *pair, uint32_t key);
void pair_resize(struct pair *pair, unsigned width, unsigned height);
void pair_click(struct pair *pair, unsigned x, unsigned y);
void pair_wheel(struct pair *pair, int lines);

// As for one browser.
bool pair_is_busy(const struct pair *pair);
void pair_tick(struct pair *pair);
bool pair_is_done(const struct pair *pair);
// Whether it ended for now, because the trace continues where its index so far ends.
bool pair_wants_text(const struct pair *pair);
bool pair_failed(const struct pair *pair, struct error *err);
bool pair_draw(struct pair *pair, struct screen *screen);

// --- text_view.c ---------------------------------------------------------------------------------

// The text of a trace without an index: it can be paged through at once.

struct text_view {
    const char *file; // as given by the user
    const struct trace *trace;
    struct trace_lines lines;
    uint64_t top; // where the first line on the screen begins
    unsigned width, height;
    bool has_moved, is_done;
    bool may_cancel;       // making the index can be cancelled; the text stays
    bool is_refused;       // cancelling was requested, but is not possible
    struct growth *growth; // of the index
};

// The trace is a file. `lines` may be replaced by more of them.
void text_view_open(struct text_view *view, const char *file, const struct trace *trace,
                    const struct trace_lines *lines, struct growth *growth);

// Shows the text from where an index of a part of it ends, or its end.
void text_view_go_on(struct text_view *view, uint64_t offset);
void text_view_go_to_end(struct text_view *view);

// The end of what is on the screen.
uint64_t text_view_bottom(const struct text_view *view);

void text_view_key(struct text_view *view, uint32_t key);
void text_view_resize(struct text_view *view, unsigned width, unsigned height);

// False: no memory.
bool text_view_draw(const struct text_view *view, struct screen *screen);

#endif
