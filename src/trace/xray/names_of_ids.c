// What images and instrumentation maps say of the function ids of logs.
#include "trace/xray/names_of_ids.h"

#include "trace/xray/map.h"
#include "trace/xray/map_yaml.h"

#include <stdlib.h>

// An id is the number of an object (the program is 0) above the number of a function in it, from 1;
// in logs of older runtimes only the latter, of any size.
#define OBJECT_SHIFT 24

// What wrote function ids: a program or a shared object.
struct object {
    struct xray_map map;
    const struct symbols *symbols; // NULL: the map is YAML, which names functions itself
};

struct objects {
    VEC(, struct object) items; // in the order in which they were added
};

// A program or shared object by its map in YAML. *is_yaml is false where the file is none.
static enum status add_yaml(struct objects *objects, const char *path, bool *is_yaml,
                            struct error *err)
{
    struct object *object = &objects->items.items[objects->items.count];
    *object = (struct object){.symbols = NULL};
    enum status status = xray_map_read_yaml(&object->map, path, is_yaml, err);
    objects->items.count += *is_yaml;
    return status;
}

// The functions of an image that has just been added.
static enum status add_map(struct objects *objects, const struct image_member *member,
                           struct error *err)
{
    struct object *object = &objects->items.items[objects->items.count++];
    *object = (struct object){.symbols = member->symbols};
    enum status status = xray_map_read(&object->map, member->image, err);
    if (status != STATUS_OK || object->map.functions.count)
        return status;
    return error_set(err, STATUS_INPUT,
                     "%s: has no XRay instrumentation map (xray_instr_map), so it names no "
                     "function of a log",
                     image_path(member->image));
}

static enum status add(void **self, const char *argument, uint64_t load_offset,
                       struct image_set *images, struct error *err)
{
    struct objects *objects = *self ? *self : calloc(1, sizeof *objects);
    bool is_yaml = false;
    *self = objects;
    if (!objects || !VEC_ROOM(&objects->items, 1))
        return error_set(err, STATUS_MEMORY, "%s: no memory", argument);
    enum status status = add_yaml(objects, argument, &is_yaml, err);
    if (status == STATUS_OK && !is_yaml)
        status = image_set_add_argument(images, argument, load_offset, err);
    if (status != STATUS_OK || is_yaml)
        return status;
    return add_map(objects, &images->members.items[images->members.count - 1], err);
}

static void free_all(void *self)
{
    struct objects *objects = self;
    if (!objects)
        return;
    for (size_t i = 0; i < objects->items.count; i++)
        xray_map_free(&objects->items.items[i].map);
    free(objects->items.items);
    free(objects);
}

static const char *name(const void *self, uint32_t id)
{
    const struct objects *objects = self;
    size_t place = id >> OBJECT_SHIFT;
    uint32_t number = id & ((UINT32_C(1) << OBJECT_SHIFT) - 1);
    if (!objects || !objects->items.count)
        return NULL;
    if (place >= objects->items.count) {
        place = 0;
        number = id;
    }
    const struct object *object = &objects->items.items[place];
    const struct xray_function *function = xray_map_function(&object->map, number);
    if (!function || function->name || !object->symbols)
        return function ? function->name : NULL;
    const struct symbol *symbol = symbols_by_address(object->symbols, function->address);
    return symbol ? symbol->display : NULL;
}

static bool at(const void *self, size_t number, uint32_t *id)
{
    const struct objects *objects = self;
    for (size_t i = 0; objects && i < objects->items.count; i++) {
        const struct xray_map *map = &objects->items.items[i].map;
        if (number < map->functions.count) {
            *id = (uint32_t)i << OBJECT_SHIFT | map->functions.items[number].id;
            return true;
        }
        number -= map->functions.count;
    }
    return false;
}

const struct function_ids xray_function_ids = {"[thread]", add, free_all, name, at};
