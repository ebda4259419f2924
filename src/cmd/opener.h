// Opens an address in the user's web browser. A confined process may not run programs, so a small
// child process is started before, which waits for the address.
#ifndef TRAWL_CMD_OPENER_H
#define TRAWL_CMD_OPENER_H

#include "base/base.h"

// Starts the child, if there is a desktop: DISPLAY or WAYLAND_DISPLAY is set, and the user is not
// connected by ssh. The process must have one thread, and not be confined yet.
void opener_begin(void);

// Makes the child open the address, by $BROWSER or xdg-open. To keep the secret in it from command
// lines, which others can read, the browser gets a file that redirects to the address; only the
// user can read it, and it is removed when this process ends. False: there is no child.
bool opener_open(const char *address);

#endif
