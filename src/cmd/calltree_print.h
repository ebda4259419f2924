// A call of a call tree, as text or as a row of a table.
#ifndef TRAWL_CMD_CALLTREE_PRINT_H
#define TRAWL_CMD_CALLTREE_PRINT_H

#include "cmd/trace_command.h"
#include "export/image_places.h"
#include "flow/call_consumer.h"
#include "report/table.h"

struct call_printer {
    struct trace_command *command;
    struct source_lines *lines;
    const struct image_places *images; // NULL: not requested
    struct out *out;
    struct table table;
    const char *lane;
    const char *task; // of the calls; NULL: not shown
    bool has_shown;
};

enum { CALLTREE_COLUMNS = 18 };

// The columns of a table of calls; returns how many there are.
size_t call_printer_columns(const struct trace_command *command, bool has_images,
                            struct column shown[CALLTREE_COLUMNS]);

// `depth` 0: the root.
void call_printer_show(struct call_printer *printer, const struct call *call, uint64_t depth,
                       const char *name);

#endif
