// Where functions are according to images, which is used to recognize calls if there are images.
// Images may have nested functions, shared beginnings, and code without any function.
#ifndef TRAWL_FLOW_FUNCTION_MAP_H
#define TRAWL_FLOW_FUNCTION_MAP_H

#include "base/base.h"

#define FUNCTION_MAP_NONE UINT64_MAX

// A range of code, `first` to `last`, of the function that begins at `entry`.
struct function_range {
    uint64_t first, last;
    uint64_t entry; // FUNCTION_MAP_NONE: a separate part of a function that begins elsewhere
};

// All zero is empty. Fields are for reading.
struct function_map {
    struct function_range *ranges; // ascending, without overlap
    size_t range_count;
    uint64_t *entries; // ascending
    size_t entry_count;
    uint64_t hash; // of all of it; 0: no functions
};

// A function in an image. Addresses have no Thumb bit.
struct function_span {
    uint64_t start;
    uint64_t size; // 0: up to the next function
    uint64_t last; // the highest that it may have
    bool is_part;  // a separate part of another function
};

// Builds the map; sorts `spans`. Where spans overlap, the one that begins last counts. False: no
// memory; the map is then empty.
bool function_map_build(struct function_map *map, struct function_span *spans, size_t count);

void function_map_free(struct function_map *map);

// The range that has an address, or NULL.
const struct function_range *function_map_find(const struct function_map *map, uint64_t pc);

// The same; *last: the highest address up to which the answer is the same.
const struct function_range *function_map_reach(const struct function_map *map, uint64_t pc,
                                                uint64_t *last);

// Whether a function begins there.
bool function_map_has_entry(const struct function_map *map, uint64_t pc);

// The first entry after `pc`, and the last one not after it; or FUNCTION_MAP_NONE.
uint64_t function_map_next(const struct function_map *map, uint64_t pc);
uint64_t function_map_last(const struct function_map *map, uint64_t pc);

#endif
