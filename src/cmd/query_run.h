// Querying an index: it is found or built, queried, and queried again if it turned out to be
// damaged.
#ifndef TRAWL_CMD_QUERY_RUN_H
#define TRAWL_CMD_QUERY_RUN_H

#include "cmd/query.h"

// Opens images and index, finds lane and point, and has `report` answer. Should the index prove to
// be damaged, it is built again and asked again; what was shown by then, which was from sound
// blocks, is not shown again. With --no-index damage is an error. Returns the status to end with.
enum exit_status query_run(struct query *query, enum exit_status (*report)(void *self), void *self);

#endif
