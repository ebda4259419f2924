#include "query/register_set.h"

#include "base/vec.h"

#include <stdlib.h>

enum register_group register_group(const struct trawl_register *which)
{
    if (which->flags & TRAWL_REGISTER_GENERAL)
        return which->flags & (TRAWL_REGISTER_SP | TRAWL_REGISTER_SYSTEM) ? REGISTER_GROUP_STACK
                                                                          : REGISTER_GROUP_GENERAL;
    return which->flags & TRAWL_REGISTER_VECTOR ? REGISTER_GROUP_VECTOR : REGISTER_GROUP_STATUS;
}

void register_set_free(struct register_set *set)
{
    free(set->items);
    *set = (struct register_set){0};
}

// The groups that words stand for.
enum { GROUP_GENERAL = 1, GROUP_VECTOR = 2, GROUP_SYSTEM = 4, GROUP_OTHER_VIEWS = 8 };

static unsigned groups_named(const char *name, size_t length)
{
    static const struct {
        const char *name;
        unsigned groups;
    } words[] = {{"general", GROUP_GENERAL},
                 {"vector", GROUP_VECTOR},
                 {"core", GROUP_GENERAL | GROUP_VECTOR},
                 {"system", GROUP_SYSTEM},
                 {"all", GROUP_GENERAL | GROUP_VECTOR | GROUP_SYSTEM | GROUP_OTHER_VIEWS}};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (length == strlen(words[i].name) && memcmp(name, words[i].name, length) == 0)
            return words[i].groups;
    }
    return 0;
}

static bool add(struct register_set *set, const char *name, size_t length,
                const struct trawl_register *which)
{
    if (!VEC_ROOM(set, 1))
        return false;
    struct register_entry *entry = &set->items[set->count++];
    *entry = (struct register_entry){.which = *which};
    memcpy(entry->name, name, (size_t)u64_min(length, sizeof entry->name - 1));
    return true;
}

// Whether it has bytes that can be shown: the pc has none, and the largest registers are too long
// for a number.
static bool has_value(const struct trawl_register *which)
{
    return which->size_bytes && which->size_bytes <= LIMIT_VALUE_BYTES &&
           !(which->flags & TRAWL_REGISTER_VARIABLE);
}

// The status and control registers of vectors count as vectors, too.
static unsigned groups_of(const struct trawl_register *which)
{
    bool is_named = which->offset >= TRAWL_REGISTER_BYTES;
    if (which->flags & TRAWL_REGISTER_GENERAL)
        return GROUP_GENERAL | (which->flags & TRAWL_REGISTER_SYSTEM ? GROUP_SYSTEM : 0);
    if (which->flags & TRAWL_REGISTER_SYSTEM)
        return GROUP_SYSTEM | (is_named ? 0 : GROUP_VECTOR);
    return GROUP_VECTOR;
}

static bool is_wanted(const struct trawl_register *which, unsigned groups, uint32_t isa)
{
    bool is_other = which->flags & TRAWL_REGISTER_VIEW;
    return which->shown >> isa & 1 && has_value(which) && groups & groups_of(which) &&
           (!is_other || groups & GROUP_OTHER_VIEWS);
}

static bool add_groups(struct register_set *set, const struct index_view *view, unsigned groups,
                       uint32_t isa)
{
    uint64_t count = trawl_register_count(view->index);
    for (uint64_t i = 0; i < count; i++) {
        struct trawl_register which;
        if (trawl_register(view->index, i, &which, NULL) == TRAWL_OK &&
            is_wanted(&which, groups, isa) && !add(set, which.name, strlen(which.name), &which))
            return false;
    }
    return true;
}

enum status register_set_parse(struct register_set *set, const struct index_view *view,
                               const char *text, uint32_t isa, struct error *err)
{
    set->count = 0;
    for (const char *start = text ? text : "core", *all = start; start;) {
        struct trawl_register which;
        size_t length = strcspn(start, ",");
        unsigned groups = groups_named(start, length);
        uint64_t offset = (uint64_t)(start - all);
        if (!groups &&
            (length >= REGISTER_NAME_BYTES ||
             trawl_register_named(view->index, isa, start, length, &which, NULL) != TRAWL_OK ||
             !has_value(&which)))
            return error_set_at(err, STATUS_INPUT, offset, "no register is called '%.*s'",
                                (int)u64_min(length, 64), start);
        if (groups ? !add_groups(set, view, groups, isa) : !add(set, start, length, &which))
            return error_set(err, STATUS_MEMORY, "no memory for registers");
        start = start[length] ? start + length + 1 : NULL;
    }
    return STATUS_OK;
}

static void reverse(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[count - 1 - i];
        bytes[count - 1 - i] = byte;
    }
}

enum status register_read(const struct index_view *view, uint64_t lane, uint64_t event,
                          const struct trawl_register *which, struct register_value *value,
                          struct error *err)
{
    struct trawl_error from;
    ASSERT(which->size_bytes <= LIMIT_VALUE_BYTES);
    *value = (struct register_value){.size_bytes = (uint32_t)which->size_bytes};
    enum trawl_status status =
        trawl_registers(view->index, lane, event, which->offset, value->size_bytes, value->values,
                        value->known, &from);
    for (uint32_t i = 0; i < value->size_bytes && status == TRAWL_OK; i++)
        value->known_bytes += value->known[i];
    if (which->flags & TRAWL_REGISTER_BIG_ENDIAN) {
        reverse(value->values, value->size_bytes);
        reverse(value->known, value->size_bytes);
    }
    return index_status(status, &from, err);
}

bool register_values_equal(const struct register_value *a, const struct register_value *b)
{
    return memcmp(a->known, b->known, sizeof a->known) == 0 &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}
