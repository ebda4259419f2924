// The browser on a terminal.
#ifndef TRAWL_TUI_TUI_H
#define TRAWL_TUI_TUI_H

#include "browse/browser.h"

struct tui_options {
    bool has_colour; // where the terminal has it
    bool is_plain;   // like the reference: all on black, and no mouse
    bool is_light;   // colours are for a light background
};

struct tui;

// Opens the terminal. STATUS_IO: there is no usable one, and `err` has the message of ncurses. On
// failure *out is NULL.
enum status tui_open(struct tui **out, const struct tui_options *options, struct error *err);

// Restores the terminal. NULL is allowed.
void tui_close(struct tui *tui);

// Runs browsers until one is done or input ends.
enum status tui_browse(struct tui *tui, struct pair *pair, struct error *err);

// Shows the text until the user quits, input ends, or `is_over` is true.
enum status tui_show_text(struct tui *tui, struct text_view *view, bool (*is_over)(void *self),
                          void *self, struct error *err);

#endif
