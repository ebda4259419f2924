// The result for each of many traces, in one row each: indexed traces when they are done, failed
// ones at the end.
#ifndef TRAWL_CMD_INDEX_SUMMARY_H
#define TRAWL_CMD_INDEX_SUMMARY_H

#include "cli/exit_status.h"
#include "report/table.h"

// All zero: nothing is known yet.
struct index_outcome {
    const char *trace;
    char *index; // its path, owned; NULL: unknown
    enum exit_status status;
    bool was_built; // false: an existing index fits
    uint64_t lines; // 0: the kind of trace has none
    uint64_t trace_bytes, index_bytes, wall_ns;
    char *said; // messages, owned; NULL: none
};

void index_outcome_free(struct index_outcome *outcome);

struct index_summary {
    bool is_wanted;
    struct out out;
    struct table table;
};

// Begins the table on standard output.
enum status index_summary_begin(struct index_summary *summary, enum table_format format,
                                struct error *err);

// Adds a row. Except in text for humans, it is written at once.
void index_summary_add(struct index_summary *summary, const struct index_outcome *outcome);

enum status index_summary_end(struct index_summary *summary, struct error *err);

#endif
