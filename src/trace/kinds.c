#include "trace/kinds.h"

#include "trace/tarmac/tarmac.h"
#include "trace/tfile/tfile.h"
#include "trace/xray/xray.h"

// Weak, so that a program may have a table of its own: one of the tests does, with a kind that only
// exists there.
__attribute__((weak)) const struct trace_kind *const trace_kinds[] = {
    &xray_kind,
    &tfile_kind,
    &tarmac_kind,
};
