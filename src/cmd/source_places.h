// The source lines that a report looked up, and the messages about them.
#ifndef TRAWL_CMD_SOURCE_PLACES_H
#define TRAWL_CMD_SOURCE_PLACES_H

#include "cmd/command.h"
#include "names/source_lines.h"

// Frees them, and reports if the lines of an image were left out, and why. False: some are missing
// for lack of memory, which is not reported yet.
bool source_places_end(struct command *command, struct source_lines *places);

#endif
