// The browser on a terminal.
#ifndef TRAWL_TUI_TUI_H
#define TRAWL_TUI_TUI_H

#include "browse/browser.h"

struct tui_options {
    bool has_colour; // where the terminal has it
};

// Runs the browser until it is done or input ends. STATUS_IO: there is no terminal that can be
// used, and `err` says so in the words of ncurses.
enum status tui_run(struct browser *browser, const struct tui_options *options, struct error *err);

#endif
