#include "flow/register_names.h"

#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

static uint64_t hash_of(const struct hash_seed *seed, const char *name, size_t length)
{
    char folded[LIMIT_REGISTER_NAME_BYTES];
    for (size_t i = 0; i < length; i++)
        folded[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
    return hash_key(seed, XXH3_64bits(folded, length));
}

static bool is_name(const struct named_register *item, const char *name, size_t length)
{
    return strncasecmp(item->name, name, length) == 0 && item->name[length] == 0;
}

uint32_t register_names_find(const struct register_names *names, const char *name, size_t length)
{
    uint32_t number;
    HASH_INDEX_FIND(number, &names->by_name, hash_of(&names->by_name.seed, name, length),
                    is_name(&names->items.items[candidate], name, length));
    return number;
}

uint32_t register_names_add(struct register_names *names, const char *name, size_t length)
{
    uint64_t hash = hash_of(hash_index_seed(&names->by_name), name, length);
    uint32_t number = register_names_find(names, name, length);
    if (number != NO_REGISTER_NAME)
        return number;
    number = (uint32_t)names->items.count;
    if (!VEC_ROOM(&names->items, 1) || !hash_index_add(&names->by_name, hash, number))
        return NO_REGISTER_NAME;
    struct named_register *added = &names->items.items[names->items.count++];
    *added = (struct named_register){.number = NO_REGISTER_NAME};
    memcpy(added->name, name, length);
    return number;
}

void register_names_clear(struct register_names *names)
{
    hash_index_clear(&names->by_name);
    names->items.count = 0;
    names->refused_writes = 0;
    names->vector_bytes = 0;
}

void register_names_free(struct register_names *names)
{
    free(names->items.items);
    hash_index_free(&names->by_name);
    *names = (struct register_names){0};
}
