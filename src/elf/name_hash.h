// Hashes of names that may be ends of one another, as linkers store them: "name" within "rename".
//
// So a table of a few MB can have tens of thousands of names of one MB each, which must not be read
// one by one. A name is hashed from its last byte to its first, so that the hash of a longer one
// continues from that of its end. The hash is a polynomial modulo a prime at two random points:
// without knowing the points, nobody can find different names with the same hash, so names with
// equal hash and length count as equal.
#ifndef TRAWL_ELF_NAME_HASH_H
#define TRAWL_ELF_NAME_HASH_H

#include "base/base.h"

struct name_hash {
    uint64_t values[2];
};

struct name_hasher {
    uint64_t points[2];
};

struct name_hasher name_hasher_new(void);

// The hash of the `length` bytes at `text` followed by the text with the hash `end`; 0 is the hash
// of no text.
struct name_hash name_hash_before(const struct name_hasher *hasher, const char *text, size_t length,
                                  struct name_hash end);

static inline int name_hash_compare(const struct name_hash *a, const struct name_hash *b)
{
    for (unsigned i = 0; i < 2; i++) {
        if (a->values[i] != b->values[i])
            return a->values[i] < b->values[i] ? -1 : 1;
    }
    return 0;
}

#endif
