// --context: the lines of the trace around each place that a report names.
#ifndef TRAWL_CMD_TRACE_CONTEXT_H
#define TRAWL_CMD_TRACE_CONTEXT_H

#include "analysis/text_around.h"
#include "report/table.h"
#include "session/session.h"

struct trace_context {
    bool is_wanted, is_open;
    uint64_t count; // on either side
    struct trace_lines lines;
    const struct source *source; // that they are of
    struct out out;              // in memory
    bool lacks_memory;           // some lines could not be made; who shows them fails
};

// Makes the text ready, if it was asked for; after the trace is open.
enum status trace_context_open(struct trace_context *context, const struct session *session,
                               struct error *err);

// The last cell of a row, where the lines were asked for; else nothing.
void trace_context_cell(struct trace_context *context, struct table *table,
                        const struct line_place *place);

// The same as lines of their own.
void trace_context_put(struct trace_context *context, struct out *out,
                       const struct line_place *place);

// The same as a text for `out`, which stays until the next one is asked for; NULL: there are none.
const char *trace_context_text(struct trace_context *context, struct out *out,
                               const struct line_place *place);

void trace_context_free(struct trace_context *context);

// A copy of a line for a cell of a table: of what is longer than LIMIT_LINE_BYTES the beginning.
// NULL: no memory. The caller's to free.
char *trace_context_copy(const struct trace_lines *lines, const struct line_place *place);

#endif
