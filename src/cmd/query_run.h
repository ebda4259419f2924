// Querying an index: it is found or built, queried, and queried again if it turned out to be
// damaged.
#ifndef TRAWL_CMD_QUERY_RUN_H
#define TRAWL_CMD_QUERY_RUN_H

#include "cmd/query.h"

// Opens images and index, finds lane and point, and calls `report` for the answer. If the index
// turns out to be damaged, it is rebuilt and queried again; what was already shown came from sound
// blocks, and is not shown again. With --no-index, damage is an error. Returns the status to end
// with.
enum exit_status query_run(struct query *query, enum exit_status (*report)(void *self), void *self);

#endif
