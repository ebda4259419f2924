// The visits of one lane to the watched addresses, in a chain for each address, so that reporting
// takes one step per visit for any number of addresses. Stored in a spool, so there is no limit.
#include "flow/pass.h"

#include <stdlib.h>

// Each lane has a log, so each only gets little memory before it uses a file.
#define VISITS_MEMORY_BYTES (UINT64_C(16) << 20)

struct kept_visit {
    struct visit visit; // must be first, so that a visit is also its record
    uint64_t next;      // the place of the next in the chain, 0: none
};

static struct kept_visit *at_place(const struct visit_log *log, uint64_t place)
{
    return (struct kept_visit *)(void *)log->spool.base + (place - 1);
}

bool visit_log_add(struct visit_log *log, const struct visit *visits, size_t count,
                   size_t watch_count, uint64_t events_before)
{
    if (count && !log->chains) {
        log->spool.memory_bytes = VISITS_MEMORY_BYTES;
        log->chains = calloc(watch_count, sizeof *log->chains);
        log->chain_count = watch_count;
    }
    if (count && !log->chains)
        return false;
    for (size_t i = 0; i < count; i++) {
        void *room = spool_reserve(&log->spool, sizeof(struct kept_visit));
        if (!room)
            return false;
        struct kept_visit kept = {visits[i], 0};
        kept.visit.event += events_before;
        memcpy(room, &kept, sizeof kept);
        uint64_t place = log->spool.used_bytes / sizeof kept + 1;
        log->spool.used_bytes += sizeof kept;
        struct visit_chain *chain = &log->chains[kept.visit.watch];
        *(chain->last ? &at_place(log, chain->last)->next : &chain->first) = place;
        chain->last = place;
    }
    return true;
}

const struct visit *visit_log_first(const struct visit_log *log, uint32_t watch)
{
    if (watch >= log->chain_count || !log->chains[watch].first)
        return NULL;
    return &at_place(log, log->chains[watch].first)->visit;
}

const struct visit *visit_log_next(const struct visit_log *log, const struct visit *visit)
{
    uint64_t next = ((const struct kept_visit *)(const void *)visit)->next;
    return next ? &at_place(log, next)->visit : NULL;
}

void visit_log_free(struct visit_log *log)
{
    spool_free(&log->spool);
    free(log->chains);
    *log = (struct visit_log){0};
}
