// The bytes of a heap that are in use, over the run: as CSV for programs, or a picture.
#ifndef TRAWL_CMD_LIVE_BYTES_H
#define TRAWL_CMD_LIVE_BYTES_H

#include "check/check.h"

// Writes them to a file, in place of another: SVG if its name ends so, otherwise CSV.
enum status live_bytes_write(const char *path, const struct check *check, struct error *err);

#endif
