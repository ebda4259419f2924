// A run is confined to what its command line names (base/sandbox.h): it reads the named files, what
// is next to them, and system files that programs read; it writes next to traces, to outputs and to
// temporary files.
#ifndef TRAWL_CMD_CONFINEMENT_H
#define TRAWL_CMD_CONFINEMENT_H

#include "base/base.h"

// Removes --no-sandbox from the arguments, if `has_option`; unless it was there, or TRAWL_SANDBOX
// is "off", the process is confined from now on. Returns how many arguments are left. The child
// processes that open a browser (cmd/opener.h) and that request debug files (elf/debug_file.h)
// must be started before.
int confine(int argc, char **argv, bool has_option);

#endif
