#include "idx/call_group.h"

static bool has_any(const struct call_group *group, uint32_t part)
{
    uint64_t any = 0;
    for (size_t i = 0; i < group->count; i++)
        any |= group->columns[part][i];
    return any != 0;
}

bool call_group_pack(const struct call_group *group, struct parts_writer *parts)
{
    parts_writer_reset(parts);
    for (uint32_t part = PART_CALL_ENTRIES; part <= PART_CALL_LAST; part++) {
        if (part >= PART_CALL_OPEN && !has_any(group, part))
            continue;
        if (!parts_add_column(parts, part, group->columns[part], group->count))
            return false;
    }
    return true;
}

uint64_t call_group_exit_max(const struct call_group *group)
{
    uint64_t most = 0;
    for (size_t i = 0; i < group->count; i++)
        most = u64_max(most,
                       group->columns[PART_CALL_ENTRIES][i] + group->columns[PART_CALL_LENGTHS][i]);
    return most;
}
