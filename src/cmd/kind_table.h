// The table of what kinds of traces answer in ways of their own.
#ifndef TRAWL_CMD_KIND_TABLE_H
#define TRAWL_CMD_KIND_TABLE_H

#include "cmd/kind_reports.h"

// Of the trace, which is known; with nothing in it for kinds without.
const struct kind_reports *kind_reports_of(const struct trace_command *command);

#endif
