// The calls that are active at a point of an XRay log, for `trawl stack`.
#ifndef TRAWL_CMD_XRAY_STACK_H
#define TRAWL_CMD_XRAY_STACK_H

#include "cmd/query.h"

// `query` has its log open. Of the thread that --lane names or the point is in, else of each.
enum exit_status xray_stack(struct query *query);

#endif
