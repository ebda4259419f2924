// Replaces the terminal in builds without system libraries.
#include "tui/tui.h"

enum status tui_open(struct tui **out, const struct tui_options *options, struct error *err)
{
    (void)options;
    *out = NULL;
    return error_set(err, STATUS_INPUT,
                     "this trawl was built without ncurses, which browsing needs");
}

void tui_close(struct tui *tui)
{
    (void)tui;
}

enum status tui_browse(struct tui *tui, struct pair *pair, struct error *err)
{
    (void)tui, (void)pair;
    return error_set(err, STATUS_INPUT, "no terminal");
}

enum status tui_show_text(struct tui *tui, struct text_view *view, bool (*is_over)(void *self),
                          void *self, struct error *err)
{
    (void)tui, (void)view, (void)is_over, (void)self;
    return error_set(err, STATUS_INPUT, "no terminal");
}
