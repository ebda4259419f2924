// Answers of images and instrumentation maps about the function ids of logs.
#include "trace/xray/names_of_ids.h"

#include "trace/xray/objects.h"

#include <stdlib.h>

static enum status add(void **self, const char *argument, uint64_t load_offset,
                       struct image_set *images, struct error *err)
{
    struct xray_objects *objects = *self ? *self : calloc(1, sizeof *objects);
    *self = objects;
    return objects ? xray_objects_add(objects, argument, load_offset, images, err)
                   : error_set(err, STATUS_MEMORY, "%s: no memory", argument);
}

static void free_all(void *self)
{
    if (self)
        xray_objects_free(self);
    free(self);
}

static const char *name(const void *self, uint32_t id)
{
    const struct xray_function *function;
    const struct xray_object *object = self ? xray_objects_find(self, id, &function) : NULL;
    return object ? xray_object_name_of(object, function) : NULL;
}

static bool at(const void *self, size_t number, uint32_t *id)
{
    const struct xray_objects *objects = self;
    for (size_t i = 0; objects && i < objects->items.count; i++) {
        const struct xray_object *object = &objects->items.items[i];
        if (!object->is_numbered)
            continue;
        if (number < object->map.functions.count) {
            *id = object->number << XRAY_OBJECT_SHIFT | object->map.functions.items[number].id;
            return true;
        }
        number -= object->map.functions.count;
    }
    return false;
}

enum status xray_number_objects(void *self, const struct xray_log *log, struct error *err)
{
    struct xray_objects *objects = self;
    if (!objects)
        return STATUS_OK;
    if (xray_objects_are_open(objects) && !xray_objects_note_log(objects, log))
        return error_set(err, STATUS_MEMORY, "no memory for the objects of the log");
    return xray_objects_settle(objects, err);
}

const struct function_ids xray_function_ids = {"[thread]", add, free_all, name, at};
