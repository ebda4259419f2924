#include "trace/kinds.h"

#include "trace/tarmac/tarmac.h"
#include "trace/tfile/tfile.h"
#include "trace/xray/xray.h"

const struct trace_kind *const trace_kinds[] = {
    &xray_kind,
    &tfile_kind,
    &tarmac_kind,
};
