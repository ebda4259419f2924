#include "cmd/xray/reports.h"

#include "cmd/xray/stack_at.h"
#include "trace/xray/xray.h"

const struct kind_reports xray_reports = {
    .kind = &xray_kind,
    .stack = xray_stack,
};
