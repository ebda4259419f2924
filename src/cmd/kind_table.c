#include "cmd/kind_table.h"

#include "cmd/xray/reports.h"

const struct kind_reports *kind_reports_of(const struct trace_command *command)
{
    static const struct kind_reports *const rows[] = {&xray_reports};
    static const struct kind_reports none;
    for (size_t i = 0; i < ARRAY_COUNT(rows) && command->session.trace; i++) {
        if (rows[i]->kind == command->session.trace->kind)
            return rows[i];
    }
    return &none;
}
