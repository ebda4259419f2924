#include "cmd/kind_reports.h"

#include "cmd/tfile/reports.h"
#include "cmd/xray/reports.h"

bool unwind_method_named(const char *name, enum unwind_method *method)
{
    static const char *const names[] = {
        [UNWIND_BY_AUTO] = "auto",
        [UNWIND_BY_SFRAME] = "sframe",
        [UNWIND_BY_CALLS] = "calls",
        [UNWIND_BY_FP] = "fp",
    };
    for (size_t i = UNWIND_BY_AUTO; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *method = (enum unwind_method)i;
            return true;
        }
    }
    return false;
}

const struct kind_reports *kind_reports_of(const struct trace_command *command)
{
    static const struct kind_reports *const rows[] = {&xray_reports, &tfile_reports};
    static const struct kind_reports none;
    for (size_t i = 0; i < ARRAY_COUNT(rows) && command->session.trace; i++) {
        if (rows[i]->kind == command->session.trace->kind)
            return rows[i];
    }
    return &none;
}
