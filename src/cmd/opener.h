// Opens an address in the user's web browser. A confined process may not run programs, so a small
// child process is started before, which waits for the address.
#ifndef TRAWL_CMD_OPENER_H
#define TRAWL_CMD_OPENER_H

#include "base/base.h"

// Makes the child, where there is a desktop to open something on: DISPLAY or WAYLAND_DISPLAY is
// set, and nobody came by ssh. The process has one thread, and is not confined yet.
void opener_begin(void);

// Has the child open the address, by $BROWSER or xdg-open. The secret in it is not on a command
// line, where others could read it: the browser is led there by a file that only the user may read,
// and which is gone when this process ends. False: there is no child.
bool opener_open(const char *address);

#endif
