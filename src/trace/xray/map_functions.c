// Queries of an instrumentation map, independent of its source.
#include "trace/xray/map.h"

#include <stdlib.h>

const struct xray_function *xray_map_function(const struct xray_map *map, uint32_t id)
{
    const struct xray_function *functions = map->functions.items;
    size_t low;
    if (id - UINT32_C(1) < map->functions.count && functions[id - 1].id == id)
        return &functions[id - 1];
    PARTITION_POINT(low, map->functions.count, functions[middle].id < id);
    return low < map->functions.count && functions[low].id == id ? &functions[low] : NULL;
}

const char *xray_sled_name(unsigned kind)
{
    static const char *const names[] = {"function-enter", "function-exit", "tail-exit",
                                        "log-args-enter", "custom-event",  "typed-event"};
    return kind < ARRAY_COUNT(names) ? names[kind] : NULL;
}

void xray_map_free(struct xray_map *map)
{
    arena_free(&map->names);
    free(map->sleds.items);
    free(map->functions.items);
    *map = (struct xray_map){0};
}
