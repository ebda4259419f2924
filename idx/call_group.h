// A group of calls of an index, in preorder, as columns.
#ifndef TRAWL_IDX_CALL_GROUP_H
#define TRAWL_IDX_CALL_GROUP_H

#include "idx/index_format.h"
#include "idx/parts.h"

struct call_group {
    size_t count;
    uint64_t columns[PART_CALL_LAST + 1][CALL_GROUP]; // by enum call_part
};

// Packs a group that is not empty. False: no memory.
bool call_group_pack(const struct call_group *group, struct parts_writer *parts);

// The greatest last event of the calls of a group.
uint64_t call_group_exit_max(const struct call_group *group);

#endif
