// Where the functions of images are, for telling calls apart.
#ifndef TRAWL_SESSION_IMAGE_FUNCTIONS_H
#define TRAWL_SESSION_IMAGE_FUNCTIONS_H

#include "elf/image_set.h"
#include "flow/function_map.h"

// Finds the functions of images where they were loaded. Compilers put what is seldom executed of a
// function elsewhere, under a name like "main.cold": that is no function but a part apart. On
// failure the map is empty.
enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 struct error *err);

#endif
