// The calls that are active at a point of an XRay log, for `trawl stack`.
#ifndef TRAWL_CMD_XRAY_STACK_AT_H
#define TRAWL_CMD_XRAY_STACK_AT_H

#include "cmd/kind_reports.h"

// `query` has its log open. Of the thread that --lane names or the point is in, else of each.
enum exit_status xray_stack(struct query *query, enum unwind_method how);

#endif
