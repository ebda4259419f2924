// Reports what --hide left out, so that sums can be checked.
#ifndef TRAWL_CMD_REPORT_HIDDEN_H
#define TRAWL_CMD_REPORT_HIDDEN_H

#include "cli/diag.h"
#include "names/hidden_names.h"

// Reports it, and which names no function had; nothing without --hide. Call it after the report was
// written.
void report_hidden(struct diag *diag, const char *path, const struct hidden_names *hidden);

#endif
