// The visits of one lane to the watched addresses, in a chain for each address, so that reporting
// takes one step per visit for any number of addresses. Stored in a spool, so there is no limit.
#ifndef TRAWL_FLOW_VISITS_H
#define TRAWL_FLOW_VISITS_H

#include "base/spool.h"
#include "flow/node.h"

struct visit_chain {
    uint64_t first, last; // places in the spool, counted from 1; 0: none
};

// All zero is empty.
struct visit_log {
    struct spool spool;
    struct visit_chain *chains; // one for each watched address
    size_t chain_count;
};

// Appends the visits of a chunk; `events_before` is added to their events. False: no memory.
bool visit_log_add(struct visit_log *log, const struct visit *visits, size_t count,
                   size_t watch_count, uint64_t events_before);

// The first visit to a watched address, and the one after `visit`; NULL: none.
const struct visit *visit_log_first(const struct visit_log *log, uint32_t watch);
const struct visit *visit_log_next(const struct visit_log *log, const struct visit *visit);

void visit_log_free(struct visit_log *log);

#endif
