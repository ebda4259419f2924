// What XRay logs answer in a way of their own.
#ifndef TRAWL_CMD_XRAY_REPORTS_H
#define TRAWL_CMD_XRAY_REPORTS_H

#include "cmd/kind_reports.h"

extern const struct kind_reports xray_reports;

#endif
