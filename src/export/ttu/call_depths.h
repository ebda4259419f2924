// The depth of each event in calls that return, as the changes at each event.
#ifndef TRAWL_EXPORT_TTU_CALL_DEPTHS_H
#define TRAWL_EXPORT_TTU_CALL_DEPTHS_H

#include "base/spool.h"
#include "flow/call_consumer.h"

struct ttu_call_depths {
    struct spool steps; // for each event up to the last change: how much deeper it is
};

void ttu_call_depths_free(struct ttu_call_depths *depths);

// For a pass, which must only report calls that returned. `depths` must not move.
struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths);

static inline int ttu_call_depths_step(const struct ttu_call_depths *depths, uint64_t event)
{
    return event < depths->steps.used_bytes ? ((const int8_t *)depths->steps.base)[event] : 0;
}

#endif
