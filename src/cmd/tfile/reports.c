#include "cmd/tfile/reports.h"

#include "cmd/tfile/info.h"
#include "cmd/tfile/stack.h"
#include "cmd/tfile/state.h"
#include "cmd/tfile/writes.h"
#include "trace/tfile/tfile.h"

const struct kind_reports tfile_reports = {
    .kind = &tfile_kind,
    .info = tfile_info,
    .stack = tfile_stack,
    .state = state_tfile,
    .writes = writes_tfile,
    .contexts = contexts_tfile,
};
