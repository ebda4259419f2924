// A run is confined to what its command line names (base/sandbox.h): it reads the files that are
// named and what is next to them, what the system has for programs to read, and writes beside
// traces, to outputs and to temporary files.
#ifndef TRAWL_CMD_CONFINEMENT_H
#define TRAWL_CMD_CONFINEMENT_H

#include "base/base.h"

// Takes --no-sandbox out of the arguments, where `has_option`; unless it was there, or
// TRAWL_SANDBOX is "off", the process is confined from here on. Returns how many arguments are
// left. What a server opens a browser by (cmd/opener.h), and what asks for debug files
// (elf/debug_server.h), is made before.
int confine(int argc, char **argv, bool has_option);

#endif
