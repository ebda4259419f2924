// Hashes of names that may be ends of one another, as linkers store them: "name" within "rename".
//
// A table of a few MB may so hold tens of thousands of names of a MB each, which nothing may read
// one by one. The hash of a name is made from its last byte to its first, so that the hash of a
// longer one continues from that of its end. It is a polynomial modulo a prime at two points drawn
// at random: two names of which one does not know the points are as good as never hashed alike, so
// that names of one hash and length are taken for equal.
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

// The hash of the `length` bytes at `text` and what `end` is the hash of; nothing has the hash 0.
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
