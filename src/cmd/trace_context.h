// --context: the lines of the trace around each place that a report names.
#ifndef TRAWL_CMD_TRACE_CONTEXT_H
#define TRAWL_CMD_TRACE_CONTEXT_H

#include "query/text_around.h"
#include "report/table.h"
#include "session/session.h"

struct trace_context {
    bool is_wanted, is_open;
    uint64_t count; // on either side
    struct trace_lines lines;
    const struct source *source; // of the lines
    struct out out;              // in memory
    bool lacks_memory;           // some lines could not be made, so showing them must fail
};

// Prepares the text, if requested, after the trace was opened.
enum status trace_context_open(struct trace_context *context, const struct session *session,
                               struct error *err);

// Writes the last cell of a row, if the lines were requested.
void trace_context_cell(struct trace_context *context, struct table *table,
                        const struct line_place *place);

// The same as lines of their own.
void trace_context_put(struct trace_context *context, struct out *out,
                       const struct line_place *place);

// The same as a text for `out`, valid until the next call; NULL: none.
const char *trace_context_text(struct trace_context *context, struct out *out,
                               const struct line_place *place);

void trace_context_free(struct trace_context *context);

// A copy of a line for a cell of a table, at most LIMIT_LINE_BYTES of it. NULL: no memory. Freed by
// the caller.
char *trace_context_copy(const struct trace_lines *lines, const struct line_place *place);

#endif
