// The text of a trace without an index: it can be paged through at once.
#ifndef TRAWL_BROWSE_TEXT_VIEW_H
#define TRAWL_BROWSE_TEXT_VIEW_H

#include "browse/growth.h"
#include "browse/screen.h"
#include "query/trace_lines.h"
#include "trace/trace.h"

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
