#include "flow/register_names.h"

#include "base/characters.h"

#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

static uint64_t hash_of(const struct hash_seed *seed, const char *name, size_t length)
{
    char folded[LIMIT_REGISTER_NAME_BYTES];
    for (size_t i = 0; i < length; i++)
        folded[i] = to_small(name[i]);
    return hash_key(seed, XXH3_64bits(folded, length));
}

uint32_t register_names_find(const struct register_names *names, const char *name, size_t length)
{
    uint32_t number;
    HASH_INDEX_FIND(number, &names->by_name, hash_of(&names->by_name.seed, name, length),
                    strncasecmp(names->items.items[candidate].name, name, length) == 0 &&
                        names->items.items[candidate].name[length] == 0);
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

static int compare_names(const void *a, const void *b)
{
    const struct register_run *first = a, *second = b;
    return strcasecmp(first->name, second->name);
}

struct register_run *named_layout_make(const struct register_run *runs, size_t count,
                                       const struct register_names *names, uint8_t isas,
                                       size_t *made)
{
    const size_t named = names->items.count;
    size_t shown = 0;
    struct register_run *all = calloc(count + named, sizeof *all);
    if (!all)
        return NULL;
    while (shown < count && runs[shown].shown)
        shown++;
    memcpy(all, runs, shown * sizeof *all);
    for (size_t i = 0; i < named; i++)
        all[shown + i] = (struct register_run){
            .name = names->items.items[i].name,
            .offset = NAMED_REGISTER_CELL(i) * 8,
            .size_bytes = names->items.items[i].size_bytes,
            .beside = 1,
            .flags = TRAWL_REGISTER_SYSTEM,
            .isas = isas,
            .shown = isas,
            .dwarf = TRAWL_NO_DWARF,
        };
    qsort(all + shown, named, sizeof *all, compare_names);
    memcpy(all + shown + named, runs + shown, (count - shown) * sizeof *all);
    *made = count + named;
    return all;
}
