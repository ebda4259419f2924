// The numbers of items, found by the hashes of their keys: the hash table for everything that is
// looked up by content. Items stay with their owner, usually in an array; the table holds a number
// for each, and the upper half of its hash.
//
// With these halves, a search looks at hardly any item but the right one, and a table grows and
// closes gaps without asking its owner for keys. They cost four bytes a slot. Slots are probed one
// after the other and are never more than half full, so searches stay within a cache line or two.
//
// Hashes come from the table's own seed (base/hash_index.h), because keys come from files.
#ifndef TRAWL_BASE_HASH_INDEX_H
#define TRAWL_BASE_HASH_INDEX_H

#include "base/base.h"

// --- Seeds ---------------------------------------------------------------------------------------

// Hash tables whose keys come from files: the author of a file must not be able to choose keys that
// all get the same slot. So each table uses its own function, chosen at random when the table gets
// its first slots. No output may depend on it: tables are only used for lookups, never traversed in
// the order of slots.

struct hash_seed {
    uint64_t mask, factor; // `factor` is odd
};

struct hash_seed hash_seed_new(void);

// All 64 bits are equally good: the halves of the product are added, so that every bit of the key
// affects every bit of the hash.
static ALWAYS_INLINE uint64_t hash_key(const struct hash_seed *seed, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)(key ^ seed->mask) * seed->factor;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

// For a key with two parts.
static ALWAYS_INLINE uint64_t hash_keys(const struct hash_seed *seed, uint64_t first,
                                        uint64_t second)
{
    return hash_key(seed, hash_key(seed, first) ^ second);
}

// For a key and a text.
static inline uint64_t hash_text(const struct hash_seed *seed, uint64_t first, const char *text)
{
    for (; *text; text++)
        first = hash_keys(seed, first, (unsigned char)*text);
    return hash_key(seed, first);
}

// --- hash_index.c --------------------------------------------------------------------------------

#define HASH_INDEX_NONE UINT32_MAX // the number of no item; items have lower ones

// All zero is an empty table.
struct hash_index {
    uint64_t *slots; // the upper half of a hash, and below it the number + 1; 0: free
    size_t slot_count, count;
    struct hash_seed seed; // chosen by hash_index_seed
};

// The seed to make hashes for this table with; the same until it is freed.
static inline const struct hash_seed *hash_index_seed(struct hash_index *table)
{
    if (UNLIKELY(!table->seed.factor))
        table->seed = hash_seed_new();
    return &table->seed;
}

// The slot at which the search for a hash begins.
static ALWAYS_INLINE size_t hash_index_home(const struct hash_index *table, uint64_t hash)
{
    return (size_t)(hash >> 32) & (table->slot_count - 1);
}

// Finds an item: `result` becomes the number of the one that has this hash and for which the
// condition holds, an expression of `candidate`, its number; otherwise HASH_INDEX_NONE.
#define HASH_INDEX_FIND(result, table, hash, ...)                                                  \
    do {                                                                                           \
        const struct hash_index *searched = (table);                                               \
        const uint64_t searched_hash = (hash);                                                     \
        (result) = HASH_INDEX_NONE;                                                                \
        if (!searched->slot_count)                                                                 \
            break;                                                                                 \
        size_t at_slot = hash_index_home(searched, searched_hash);                                 \
        for (uint64_t slot; (slot = searched->slots[at_slot]) != 0;                                \
             at_slot = (at_slot + 1) & (searched->slot_count - 1)) {                               \
            const uint32_t candidate = (uint32_t)slot - 1;                                         \
            if (slot >> 32 == searched_hash >> 32 && (__VA_ARGS__)) {                              \
                (result) = candidate;                                                              \
                break;                                                                             \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// Adds an item that is not in the table. False: no memory; nothing has changed.
bool hash_index_add(struct hash_index *table, uint64_t hash, uint32_t number);

// Removes an item that is in the table.
void hash_index_remove(struct hash_index *table, uint64_t hash, uint32_t number);

// Empties the table and keeps its memory and seed.
void hash_index_clear(struct hash_index *table);
void hash_index_free(struct hash_index *table);

// A set of 64-bit hashes, such as those of messages already shown. It only grows, up to a limit of
// its owner.

// All zero is an empty set.
struct hashset {
    uint64_t *slots; // 0 is a free slot
    size_t slot_count, count;
    struct hash_seed seed;
};

// Adds `hash` and stores in *is_new whether it is new. False: no memory.
bool hashset_add(struct hashset *set, uint64_t hash, bool *is_new);

bool hashset_has(const struct hashset *set, uint64_t hash);

// Empties the set and keeps its memory.
void hashset_clear(struct hashset *set);
void hashset_free(struct hashset *set);

#endif
