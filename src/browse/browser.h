// The browser: a trace in a view, panes that show the state there, a prompt, messages and help.
//
// It receives keys and sizes, and draws into a screen; it does not depend on terminals. Panes are
// rows of a table (browse/pane.h), and so are their keys, from which the help is made.
#ifndef TRAWL_BROWSE_BROWSER_H
#define TRAWL_BROWSE_BROWSER_H

#include "browse/browser_state.h"

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

#endif
