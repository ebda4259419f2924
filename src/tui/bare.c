// In place of the terminal, for builds without system libraries.
#include "tui/tui.h"

enum status tui_run(struct browser *browser, const struct tui_options *options, struct error *err)
{
    (void)browser, (void)options;
    return error_set(err, STATUS_INPUT,
                     "this trawl was built without ncurses, which browsing needs");
}
