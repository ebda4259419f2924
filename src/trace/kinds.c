#include "trace/kinds.h"

#include "trace/riscv/riscv.h"
#include "trace/tarmac/tarmac.h"
#include "trace/tfile/tfile.h"
#include "trace/xray/profiling.h"
#include "trace/xray/xray.h"

// Weak, so that a program can have its own table: a test has one, with a kind that exists only
// there.
__attribute__((weak)) const struct trace_kind *const trace_kinds[] = {
    &xray_kind,        &xray_profiling_kind, &tfile_kind,  &riscv_kind,
    &riscv_timed_kind, &riscv_table_kind,    &tarmac_kind,
};

const struct trace_kind *trace_kind_named(const char *name)
{
    for (size_t i = 0;; i++) {
        if (strcmp(trace_kinds[i]->name, name) == 0)
            return trace_kinds[i];
        if (!trace_kinds[i]->is)
            return NULL;
    }
}
