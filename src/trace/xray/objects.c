#include "trace/xray/objects.h"

#include "trace/xray/log_open.h"
#include "trace/xray/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// --- Adding --------------------------------------------------------------------------------------

static enum status read_map(struct xray_object *object, uint64_t load_offset,
                            struct image_set *images, struct error *err)
{
    bool is_yaml;
    enum status status = xray_map_read_yaml(&object->map, object->path, &is_yaml, err);
    if (status != STATUS_OK || is_yaml)
        return status;
    status = image_set_add_argument(images, object->path, load_offset, err);
    if (status != STATUS_OK)
        return status;
    const struct image_member *member = &images->members.items[images->members.count - 1];
    object->image = member->image;
    object->symbols = member->symbols;
    status = xray_map_read(&object->map, member->image, err);
    if (status != STATUS_OK || object->map.functions.count)
        return status;
    return error_set(err, STATUS_INPUT,
                     "%s: has no XRay instrumentation map (xray_instr_map), so it names no "
                     "function of a log",
                     image_path(member->image));
}

const struct xray_object *xray_objects_numbered(const struct xray_objects *objects, uint32_t number)
{
    for (size_t i = 0; i < objects->items.count; i++) {
        const struct xray_object *object = &objects->items.items[i];
        if (object->is_numbered && object->number == number)
            return object;
    }
    return NULL;
}

void xray_object_number(struct xray_object *object, uint32_t number)
{
    object->is_numbered = true;
    object->number = number;
}

// Removes NUMBER= from the start of *path, if it is there.
static bool take_number(const char **path, unsigned long *number)
{
    char *end;
    size_t digits = strspn(*path, "0123456789");
    if (!digits || (*path)[digits] != '=' || access(*path, F_OK) == 0)
        return false;
    *number = strtoul(*path, &end, 10);
    *path += digits + 1;
    return true;
}

// Removes NAME= from the start of *path, if it is there; returns what was there, or NULL.
static const char *take_program(const char **path)
{
    const char *typed = *path, *equals = strchr(typed, '=');
    if (!equals || !xray_is_program_name(typed, (size_t)(equals - typed)) ||
        access(typed, F_OK) == 0)
        return NULL;
    *path = equals + 1;
    return typed;
}

enum status xray_objects_add(struct xray_objects *objects, const char *argument,
                             uint64_t load_offset, struct image_set *images, struct error *err)
{
    unsigned long number = 0;
    struct xray_object object = {.path = argument};
    bool is_numbered = take_number(&object.path, &number);
    object.program = is_numbered ? NULL : take_program(&object.path);
    if (!VEC_ROOM(&objects->items, 1))
        return error_set(err, STATUS_MEMORY, "%s: no memory", argument);
    if (number >= XRAY_OBJECT_COUNT)
        return error_set(err, STATUS_INPUT, "%s: objects of a log have numbers from 0 to %d",
                         argument, XRAY_OBJECT_COUNT - 1);
    const struct xray_object *other = xray_objects_numbered(objects, (uint32_t)number);
    if (is_numbered && other)
        return error_set(err, STATUS_INPUT, "%s: object %lu of the log is '%s' already", argument,
                         number, other->path);
    enum status status = read_map(&object, load_offset, images, err);
    if (is_numbered)
        xray_object_number(&object, (uint32_t)number);
    objects->items.items[objects->items.count++] = object;
    return status;
}

enum status xray_objects_name(struct xray_objects *objects, const struct xray_log *log,
                              struct error *err)
{
    for (size_t i = 0; i < objects->items.count; i++) {
        struct xray_object *object = &objects->items.items[i];
        if (!object->program)
            continue;
        int length = (int)strcspn(object->program, "=");
        size_t number = 0;
        while (number < log->programs.count &&
               (strncmp(log->programs.items[number].name, object->program, (size_t)length) != 0 ||
                log->programs.items[number].name[length]))
            number++;
        if (number == log->programs.count)
            return error_set(err, STATUS_INPUT,
                             "%s: no log has this name; a log is named by --with %.*s=LOG",
                             object->program, length, object->program);
        // Of a program that wrote no record, no id occurs.
        uint32_t own = log->programs.items[number].objects[0];
        own = own ? own : XRAY_OBJECT_COUNT;
        const struct xray_object *other = xray_objects_numbered(objects, own);
        if (other && other != object && own != XRAY_OBJECT_COUNT)
            return error_set(err, STATUS_INPUT, "%s: '%.*s' is '%s' already", object->program,
                             length, object->program, other->path);
        xray_object_number(object, own);
    }
    return STATUS_OK;
}

void xray_objects_free(struct xray_objects *objects)
{
    for (size_t i = 0; i < objects->items.count; i++) {
        xray_map_free(&objects->items.items[i].map);
        free(objects->items.items[i].sleds);
    }
    for (size_t i = 0; i < XRAY_OBJECT_COUNT && objects->seen; i++)
        free(objects->seen[i].actions);
    free(objects->seen);
    free(objects->items.items);
    *objects = (struct xray_objects){0};
}

// --- Finding -------------------------------------------------------------------------------------

const struct xray_object *xray_objects_find(const struct xray_objects *objects, uint32_t id,
                                            const struct xray_function **function)
{
    uint32_t number = id >> XRAY_OBJECT_SHIFT;
    uint32_t within = id & ((UINT32_C(1) << XRAY_OBJECT_SHIFT) - 1);
    const struct xray_object *object = xray_objects_numbered(objects, number);
    if (!object) { // older runtimes number this way
        object = xray_objects_numbered(objects, 0);
        within = id;
    }
    *function = object ? xray_map_function(&object->map, within) : NULL;
    return *function ? object : NULL;
}

const char *xray_object_name_of(const struct xray_object *object,
                                const struct xray_function *function)
{
    if (function->name || !object->symbols)
        return function->name;
    const struct symbol *symbol = symbols_by_address(object->symbols, function->address);
    return symbol && symbol->address == function->address ? symbol->name : NULL;
}

// --- Functions of a map --------------------------------------------------------------------------

// Queries of an instrumentation map, independent of its source.

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
