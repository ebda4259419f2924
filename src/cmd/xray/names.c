#include "cmd/xray/command.h"

#include "elf/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum status xray_names_add(struct xray_names *names, const char *argument, struct error *err)
{
    return xray_objects_add(&names->objects, argument, 0, &names->images, err);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for names");
}

enum status xray_names_settle(struct xray_names *names, const struct xray_log *log,
                              struct error *err)
{
    struct xray_objects *objects = &names->objects;
    if (log && xray_objects_are_open(objects) && !xray_objects_note_log(objects, log))
        return no_memory(err);
    enum status status = xray_objects_settle(objects, err);
    if (status != STATUS_OK)
        return status;
    names->about = calloc(objects->items.count + 1, sizeof *names->about);
    bool has_memory = names->about != NULL;
    for (size_t i = 0; i < objects->items.count && has_memory; i++) {
        size_t count = objects->items.items[i].map.functions.count;
        names->about[i].kept = calloc(count, sizeof *names->about[i].kept);
        has_memory = names->about[i].kept != NULL;
    }
    return has_memory ? STATUS_OK : no_memory(err);
}

bool xray_names_knows(const struct xray_names *names, uint32_t id)
{
    const struct xray_function *function;
    return xray_objects_find(&names->objects, id, &function) != NULL;
}

// The cached answers about an object.
static struct xray_object_names *about(const struct xray_names *names,
                                       const struct xray_object *object)
{
    return &names->about[object - names->objects.items.items];
}

// NULL: it has no name.
static const char *find_name(struct xray_names *names, const struct xray_object *object,
                             const struct xray_function *function)
{
    const char *name = xray_object_name_of(object, function);
    if (!name || names->keeps_mangled)
        return name;
    name = demangle_symbol(&names->arena, name);
    names->lacks_memory |= !name;
    return name ? name : "";
}

const char *xray_name(struct xray_names *names, uint32_t id)
{
    const struct xray_function *function;
    const struct xray_object *object = xray_objects_find(&names->objects, id, &function);
    if (!object) {
        if (names->objects.items.count && !names->unknown_id)
            names->unknown_id = id;
        snprintf(names->number, sizeof names->number, "#%" PRIu32, id);
        return names->number;
    }
    const char **kept = &about(names, object)->kept[function - object->map.functions.items];
    if (!*kept)
        *kept = find_name(names, object, function);
    if (*kept)
        return *kept;
    snprintf(names->number, sizeof names->number, "@(%" PRIx64 ")", function->address);
    return names->number;
}

enum status xray_names_open_lines(struct xray_names *names, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < names->objects.items.count && status != STATUS_MEMORY; i++) {
        struct error reason;
        const struct xray_object *object = &names->objects.items.items[i];
        enum status its =
            object->image ? lines_open(&names->about[i].lines, object->image, &reason) : STATUS_OK;
        if (its == STATUS_OK)
            continue;
        status = its;
        *err = reason;
    }
    return status;
}

bool xray_function_location(struct xray_names *names, uint32_t id, struct source_location *place)
{
    const struct xray_function *function;
    const struct xray_object *object = xray_objects_find(&names->objects, id, &function);
    if (!object)
        return false;
    struct lines *lines = about(names, object)->lines;
    bool is_found = lines_find(lines, function->address, place);
    names->lacks_memory |= lines_lacked_memory(lines);
    return is_found;
}

void xray_names_free(struct xray_names *names)
{
    for (size_t i = 0; i < names->objects.items.count && names->about; i++) {
        lines_close(names->about[i].lines);
        free(names->about[i].kept);
    }
    free(names->about);
    arena_free(&names->arena);
    xray_objects_free(&names->objects);
    image_set_free(&names->images);
    *names = (struct xray_names){0};
}
