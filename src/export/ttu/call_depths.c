#include "export/ttu/call_depths.h"

// Calls begin and end at transfers of control, and an event has at most one transfer.
static bool add_step(struct ttu_call_depths *depths, uint64_t event, int step)
{
    struct spool *steps = &depths->steps;
    if (event >= steps->used_bytes) {
        uint64_t added = event + 1 - steps->used_bytes;
        char *room = spool_reserve(steps, added);
        if (!room)
            return false;
        memset(room, 0, added);
        steps->used_bytes += added;
    }
    steps->base[event] = (char)(steps->base[event] + step);
    return true;
}

static bool fold(void *self, struct call_content *into, const struct call *call,
                 const struct call_content *inner)
{
    (void)into;
    (void)inner;
    return add_step(self, call->entry.event, 1) && add_step(self, call->exit.event + 1, -1);
}

static bool merge(void *self, struct call_content *into, const struct call_content *from)
{
    (void)self;
    (void)into;
    (void)from;
    return true;
}

struct call_consumer ttu_call_depths_consumer(struct ttu_call_depths *depths)
{
    return (struct call_consumer){.self = depths, .fold = fold, .merge = merge};
}

void ttu_call_depths_free(struct ttu_call_depths *depths)
{
    spool_free(&depths->steps);
}
