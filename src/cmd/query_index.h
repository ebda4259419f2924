// The index that a question is asked of.
#ifndef TRAWL_CMD_QUERY_INDEX_H
#define TRAWL_CMD_QUERY_INDEX_H

#include "cmd/query.h"

// Opens the index that fits the trace, or builds it. False: reported, *status is what to end with.
bool query_index(struct query *query, enum exit_status *status);

#endif
