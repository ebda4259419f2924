#include "flow/register_names.h"

#include <stdlib.h>
#include <strings.h>
#include <xxhash.h>

enum { SLOTS_AT_FIRST = 64 };

static uint64_t hash_of(const struct register_names *names, const char *name, size_t length)
{
    char folded[LIMIT_REGISTER_NAME_BYTES];
    for (size_t i = 0; i < length; i++)
        folded[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] | 0x20) : name[i];
    return hash_key(&names->seed, XXH3_64bits(folded, length));
}

static bool is_name(const struct named_register *item, const char *name, size_t length)
{
    return strncasecmp(item->name, name, length) == 0 && item->name[length] == 0;
}

// The slot that has the name, or where it belongs.
static uint32_t *find(const struct register_names *names, const char *name, size_t length)
{
    size_t slot = hash_of(names, name, length) & (names->slot_count - 1);
    while (names->slots[slot] &&
           !is_name(&names->items.items[names->slots[slot] - 1], name, length))
        slot = (slot + 1) & (names->slot_count - 1);
    return &names->slots[slot];
}

// Never more than half full.
static bool grow(struct register_names *names)
{
    size_t wanted = names->slot_count ? names->slot_count : SLOTS_AT_FIRST;
    if (names->slots && names->items.count < names->slot_count / 2)
        return true;
    if (names->slots)
        wanted *= 2;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    if (!names->slots)
        names->seed = hash_seed_new();
    free(names->slots);
    names->slots = slots;
    names->slot_count = wanted;
    for (size_t i = 0; i < names->items.count; i++) {
        const char *name = names->items.items[i].name;
        *find(names, name, strlen(name)) = (uint32_t)i + 1;
    }
    return true;
}

uint32_t register_names_find(const struct register_names *names, const char *name, size_t length)
{
    // For a free slot, 0 - 1 is NO_REGISTER_NAME.
    return names->slots ? *find(names, name, length) - 1 : NO_REGISTER_NAME;
}

uint32_t register_names_add(struct register_names *names, const char *name, size_t length)
{
    uint32_t number = register_names_find(names, name, length);
    if (number != NO_REGISTER_NAME)
        return number;
    if (!VEC_ROOM(&names->items, 1) || !grow(names))
        return NO_REGISTER_NAME;
    number = (uint32_t)names->items.count;
    struct named_register *added = &names->items.items[number];
    *added = (struct named_register){.number = NO_REGISTER_NAME};
    memcpy(added->name, name, length);
    *find(names, name, length) = number + 1;
    names->items.count++;
    return number;
}

void register_names_clear(struct register_names *names)
{
    if (names->items.count)
        memset(names->slots, 0, names->slot_count * sizeof *names->slots);
    names->items.count = 0;
    names->refused_writes = 0;
}

void register_names_free(struct register_names *names)
{
    free(names->items.items);
    free(names->slots);
    *names = (struct register_names){0};
}
