// What GDB trace files answer in a way of their own.
#ifndef TRAWL_CMD_TFILE_REPORTS_H
#define TRAWL_CMD_TFILE_REPORTS_H

#include "cmd/kind_reports.h"

extern const struct kind_reports tfile_reports;

#endif
