// How deep each event lies in calls that return: what begins and ends at each of them.
#ifndef TRAWL_EXPORT_TTU_CALL_DEPTHS_H
#define TRAWL_EXPORT_TTU_CALL_DEPTHS_H

#include "base/spool.h"
#include "flow/call_consumer.h"

struct ttu_call_depths {
    struct spool steps; // of each event up to the last with one: by how much it lies deeper
};

void ttu_call_depths_free(struct ttu_call_depths *depths);

// For a pass, which has to give returned calls alone. `depths` must stay where it is.
struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths);

static inline int ttu_call_depths_step(const struct ttu_call_depths *depths, uint64_t event)
{
    return event < depths->steps.used_bytes ? ((const int8_t *)depths->steps.base)[event] : 0;
}

#endif
