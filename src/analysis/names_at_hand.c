#include "analysis/names_at_hand.h"

// Many functions begin at multiples of 16, so all bits of their addresses choose the place.
static struct name_at_hand *item_of(struct names_at_hand *at_hand, uint64_t pc)
{
    return &at_hand->items[pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_AT_HAND_BITS)];
}

const char *name_asked_for(const struct names_at_hand *at_hand,
                           const char *(*find)(struct names *names, uint64_t pc), uint64_t pc)
{
    if (at_hand->lock)
        pthread_mutex_lock(at_hand->lock);
    const char *name = find(at_hand->names, pc);
    if (at_hand->lock)
        pthread_mutex_unlock(at_hand->lock);
    return name;
}

const char *name_at_hand(struct names_at_hand *at_hand, uint64_t pc)
{
    struct name_at_hand *item = item_of(at_hand, pc);
    if (!item->name || item->pc != pc)
        *item = (struct name_at_hand){pc, name_asked_for(at_hand, at_hand->find, pc)};
    return item->name;
}
