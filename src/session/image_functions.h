// Where the functions of images are, for distinguishing calls from other branches.
#ifndef TRAWL_SESSION_IMAGE_FUNCTIONS_H
#define TRAWL_SESSION_IMAGE_FUNCTIONS_H

#include "elf/frame_functions.h"
#include "elf/image_set.h"
#include "flow/function_map.h"

// Finds the functions of images where they were loaded: by symbols, or, in an image without symbols
// of functions, by the unwinding information. Compilers put rarely executed parts of a function
// elsewhere, under a name like "main.cold": that is a separate part, not a function. Damage is
// reported to `faults`. On failure the map is empty.
enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 const struct frame_functions_faults *faults, struct error *err);

#endif
