// The result for each of many traces, a row each: indexed ones when they are done, failed ones at
// the end.
#ifndef TRAWL_CMD_INDEX_SUMMARY_H
#define TRAWL_CMD_INDEX_SUMMARY_H

#include "cli/exit_status.h"
#include "report/table.h"

// All zero: nothing is known yet.
struct index_outcome {
    const char *trace;
    char *index; // where it is; NULL: not known. Its own
    enum exit_status status;
    bool was_built; // else it fits as it is
    uint64_t lines; // 0: of a kind that has none
    uint64_t trace_bytes, index_bytes, wall_ns;
    char *said; // what there was to say, its own; NULL: nothing
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

// Adds a row, which is written at once but in text for humans.
void index_summary_add(struct index_summary *summary, const struct index_outcome *outcome);

enum status index_summary_end(struct index_summary *summary, struct error *err);

#endif
