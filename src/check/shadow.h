// What a checker knows of each byte of memory: eight bits, in pages of 4 KB that are made when
// something is first noted in them. A run that touches 100 MB costs 100 MB, and there is a limit.
#ifndef TRAWL_CHECK_SHADOW_H
#define TRAWL_CHECK_SHADOW_H

#include "base/error.h"
#include "base/hash_index.h"
#include "base/vec.h"

enum shadow_bit {
    SHADOW_UNDEFINED = 1,                      // nothing set it since it was allocated
    SHADOW_DEAD = 2,                           // of a frame of the stack that has ended
    SHADOW_LIVE = 4,                           // in a block of a heap
    SHADOW_FREED = 8,                          // in one that was freed
    SHADOW_FENCE = SHADOW_LIVE | SHADOW_FREED, // right behind or before a block
    SHADOW_KNOWN = 16,  // the trace has written it, or it is known to have a value
    SHADOW_RETURN = 32, // of a return address
    SHADOW_COPIED = 64, // the undefined value in it was stored there
    SHADOW_EDGE = 128,  // right outside of a stack
};

// States in which an access is wrong.
#define SHADOW_BAD (SHADOW_DEAD | SHADOW_FREED | SHADOW_EDGE)

enum { SHADOW_PAGE_BYTES = 4096, SHADOW_PAGES_NEAR = 64 };

struct shadow_page {
    uint64_t number;
    bool is_memory;                       // of stacks or heaps, and not of devices
    uint8_t bytes[SHADOW_PAGE_BYTES + 8]; // can be read by words
};

// All zero is ready for use.
struct shadow {
    VEC(, struct shadow_page *) pages;
    struct hash_index by_number;
    struct shadow_page *last[SHADOW_PAGES_NEAR]; // by the lowest bits of their numbers
};

// The states of the bytes from `place` to the end of its page. NULL: none were noted there or, with
// `adds`, no memory, or the limit is reached.
uint8_t *shadow_at(struct shadow *shadow, uint64_t place, bool adds);

// Whether there is a stack or a heap in the page.
bool shadow_is_memory(struct shadow *shadow, uint64_t place);

// All bits that any of these bytes has; and that all of them have.
unsigned shadow_any(struct shadow *shadow, uint64_t place, uint64_t size_bytes);
unsigned shadow_all(struct shadow *shadow, uint64_t place, uint64_t size_bytes);

// Both at once, as of every access: most are of a few bytes in a page that was used lately.
static ALWAYS_INLINE void shadow_look(struct shadow *shadow, uint64_t place, uint64_t size_bytes,
                                      unsigned *any, unsigned *all)
{
    const uint64_t number = place / SHADOW_PAGE_BYTES, offset = place % SHADOW_PAGE_BYTES;
    const struct shadow_page *page = shadow->last[number % SHADOW_PAGES_NEAR];
    uint64_t having = 0, lacking = 0;
    if (UNLIKELY(!page || page->number != number || size_bytes > SHADOW_PAGE_BYTES - offset)) {
        *any = shadow_any(shadow, place, size_bytes);
        *all = shadow_all(shadow, place, size_bytes);
        return;
    }
    for (uint64_t i = 0; i < size_bytes; i += 8) {
        uint64_t states;
        memcpy(&states, page->bytes + offset + i, sizeof states);
        const uint64_t mask =
            size_bytes - i < 8 ? (UINT64_C(1) << 8 * (size_bytes - i)) - 1 : ~UINT64_C(0);
        having |= states & mask;
        lacking |= ~states & mask;
    }
    having |= having >> 32;
    lacking |= lacking >> 32;
    having |= having >> 16;
    lacking |= lacking >> 16;
    *any = (having | having >> 8) & 0xff;
    *all = ~(lacking | lacking >> 8) & 0xff;
}

// Takes bits from bytes and gives them others. False: no memory, or the limit is reached.
bool shadow_change(struct shadow *shadow, uint64_t place, uint64_t size_bytes, unsigned takes,
                   unsigned gives);

void shadow_free(struct shadow *shadow);

#endif
