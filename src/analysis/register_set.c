#include "analysis/register_set.h"

static bool is_vector(const struct register_entry *entry)
{
    return entry->group == REGISTER_GROUP_VECTOR || entry->group == REGISTER_GROUP_STATUS;
}

// The groups that words stand for.
enum { GROUP_GENERAL = 1, GROUP_VECTOR = 2, GROUP_OTHER_VIEWS = 4 };

static unsigned groups_named(const char *name, size_t length)
{
    static const struct {
        const char *name;
        unsigned groups;
    } words[] = {{"general", GROUP_GENERAL},
                 {"vector", GROUP_VECTOR},
                 {"all", GROUP_GENERAL | GROUP_VECTOR | GROUP_OTHER_VIEWS}};
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (length == strlen(words[i].name) && memcmp(name, words[i].name, length) == 0)
            return words[i].groups;
    }
    return 0;
}

static bool add(struct register_set *set, const struct register_entry *entry)
{
    if (set->count == REGISTER_SET_MAX)
        return false;
    set->items[set->count++] = *entry;
    return true;
}

static bool add_groups(struct register_set *set, unsigned groups, bool aarch64)
{
    struct register_entry list[REGISTER_LIST_MAX];
    size_t count = register_list(aarch64, list);
    for (size_t i = 0; i < count; i++) {
        bool is_wanted = groups & (is_vector(&list[i]) ? GROUP_VECTOR : GROUP_GENERAL);
        bool is_other = list[i].view != REGISTER_VIEW_DEFAULT;
        if (is_wanted && (!is_other || (groups & GROUP_OTHER_VIEWS)) && !add(set, &list[i]))
            return false;
    }
    return true;
}

// False: there is no such register to show. The pc is not one of the register space.
static bool name_entry(struct register_entry *entry, const char *name, size_t length, bool aarch64)
{
    *entry = (struct register_entry){.group = REGISTER_GROUP_GENERAL};
    if (length >= sizeof entry->name ||
        !register_place_named(name, length, READING_RIGHT, aarch64, &entry->place) ||
        entry->place.offset == REGISTER_OFFSET_PC)
        return false;
    memcpy(entry->name, name, length);
    return true;
}

enum status register_set_parse(struct register_set *set, const char *text, bool aarch64,
                               struct error *err)
{
    set->count = 0;
    for (const char *start = text ? text : "general,vector", *all = start; start;) {
        struct register_entry entry;
        size_t length = strcspn(start, ",");
        unsigned groups = groups_named(start, length);
        uint64_t offset = (uint64_t)(start - all);
        if (!groups && !name_entry(&entry, start, length, aarch64))
            return error_set_at(err, STATUS_INPUT, offset, "no register is called '%.*s'",
                                (int)u64_min(length, 64), start);
        if (groups ? !add_groups(set, groups, aarch64) : !add(set, &entry))
            return error_set_at(err, STATUS_LIMIT, offset, "more than %d registers",
                                REGISTER_SET_MAX);
        start = start[length] ? start + length + 1 : NULL;
    }
    return STATUS_OK;
}

enum status register_read(const struct index_view *view, uint64_t lane, uint64_t event,
                          const struct register_entry *entry, struct register_value *value,
                          struct error *err)
{
    struct trawl_error from;
    ASSERT(entry->place.size_bytes <= REGISTER_BYTES_MAX);
    *value = (struct register_value){.size_bytes = entry->place.size_bytes};
    enum trawl_status status =
        trawl_registers(view->index, lane, event, entry->place.offset, value->size_bytes,
                        value->values, value->known, &from);
    for (uint32_t i = 0; i < value->size_bytes && status == TRAWL_OK; i++)
        value->known_bytes += value->known[i];
    return index_view_status(status, &from, err);
}

bool register_values_equal(const struct register_value *a, const struct register_value *b)
{
    return memcmp(a->known, b->known, sizeof a->known) == 0 &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}
