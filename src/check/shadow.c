#include "check/shadow.h"

#include "base/limits.h"

#include <stdlib.h>

uint8_t *shadow_at(struct shadow *shadow, uint64_t place, bool adds)
{
    const uint64_t number = place / SHADOW_PAGE_BYTES;
    struct shadow_page **last = &shadow->last[number % SHADOW_PAGES_NEAR], *page = *last;
    if (UNLIKELY(!page || page->number != number)) {
        const uint64_t hash = hash_key(hash_index_seed(&shadow->by_number), number);
        uint32_t found;
        HASH_INDEX_FIND(found, &shadow->by_number, hash,
                        shadow->pages.items[candidate]->number == number);
        if (found == HASH_INDEX_NONE) {
            if (!adds || shadow->pages.count >= LIMIT_CHECKED_PAGES ||
                !VEC_ROOM(&shadow->pages, 1) || !(page = calloc(1, sizeof *page)))
                return NULL;
            page->number = number;
            if (!hash_index_add(&shadow->by_number, hash, (uint32_t)shadow->pages.count)) {
                free(page);
                return NULL;
            }
            found = (uint32_t)shadow->pages.count;
            shadow->pages.items[shadow->pages.count++] = page;
        }
        *last = page = shadow->pages.items[found];
    }
    return page->bytes + place % SHADOW_PAGE_BYTES;
}

bool shadow_is_memory(struct shadow *shadow, uint64_t place)
{
    return shadow_at(shadow, place, false) &&
           shadow->last[place / SHADOW_PAGE_BYTES % SHADOW_PAGES_NEAR]->is_memory;
}

// Calls the statement for each run of bytes within a page: `states` of `count` bytes; NULL: nothing
// was noted of them.
#define EACH_RUN(shadow, place, size_bytes, adds, ...)                                             \
    for (uint64_t at = (place), left = (size_bytes), count; left; at += count, left -= count) {    \
        count = u64_min(left, SHADOW_PAGE_BYTES - at % SHADOW_PAGE_BYTES);                         \
        uint8_t *states = shadow_at((shadow), at, (adds));                                         \
        __VA_ARGS__                                                                                \
    }

unsigned shadow_any(struct shadow *shadow, uint64_t place, uint64_t size_bytes)
{
    unsigned any = 0;
    EACH_RUN(shadow, place, size_bytes, false, {
        for (uint64_t i = 0; states && i < count; i++)
            any |= states[i];
    })
    return any;
}

unsigned shadow_all(struct shadow *shadow, uint64_t place, uint64_t size_bytes)
{
    unsigned all = 0xff;
    EACH_RUN(shadow, place, size_bytes, false, {
        for (uint64_t i = 0; i < count && all; i++)
            all &= states ? states[i] : 0u;
    })
    return all;
}

static void change_states(uint8_t *states, uint64_t count, unsigned takes, unsigned gives)
{
    static const uint64_t each = UINT64_C(0x0101010101010101);
    const uint64_t kept = ~(takes * each), given = gives * each;
    uint64_t i = 0, eight;
    for (; count - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, states + i, sizeof eight);
        eight = (eight & kept) | given;
        memcpy(states + i, &eight, sizeof eight);
    }
    for (; i < count; i++)
        states[i] = (uint8_t)((states[i] & ~takes) | gives);
}

bool shadow_change(struct shadow *shadow, uint64_t place, uint64_t size_bytes, unsigned takes,
                   unsigned gives)
{
    EACH_RUN(shadow, place, size_bytes, gives != 0, {
        if (!states && gives)
            return false;
        if (gives & ~(unsigned)SHADOW_KNOWN)
            shadow->last[at / SHADOW_PAGE_BYTES % SHADOW_PAGES_NEAR]->is_memory = true;
        if (states)
            change_states(states, count, takes, gives);
    })
    return true;
}

void shadow_free(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->pages.count; i++)
        free(shadow->pages.items[i]);
    free(shadow->pages.items);
    hash_index_free(&shadow->by_number);
    *shadow = (struct shadow){0};
}
