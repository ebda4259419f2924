#include "trace/xray/names.h"

#include "elf/demangle.h"
#include "trace/xray/map_yaml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static enum status open_image(struct xray_names *names, const char *path, struct error *err)
{
    enum status status = image_open(&names->image, path, err);
    if (status == STATUS_OK)
        status = xray_map_read(&names->map, names->image, err);
    if (status == STATUS_OK && !names->map.functions.count)
        status = error_set(err, STATUS_INPUT, "%s: has no xray_instr_map", path);
    if (status == STATUS_OK)
        status = symbols_load(&names->symbols, names->image, SYMBOLS_RIGHT, err);
    return status;
}

enum status xray_names_open(struct xray_names *names, const char *path, struct error *err)
{
    bool is_yaml;
    enum status status = xray_map_read_yaml(&names->map, path, &is_yaml, err);
    if (status == STATUS_OK && !is_yaml)
        status = open_image(names, path, err);
    if (status != STATUS_OK)
        return status;
    names->kept = calloc(names->map.functions.count, sizeof *names->kept);
    return names->kept ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory for names", path);
}

bool xray_names_knows(const struct xray_names *names, uint32_t function)
{
    return xray_map_function(&names->map, function) != NULL;
}

static const char *shown(struct xray_names *names, const char *name)
{
    if (names->keeps_mangled)
        return name;
    name = demangle_symbol(&names->arena, name);
    names->lacks_memory |= !name;
    return name ? name : "";
}

// NULL: it has none.
static const char *find_name(struct xray_names *names, const struct xray_function *function)
{
    if (function->name)
        return shown(names, function->name);
    const struct symbol *symbol =
        names->symbols ? symbols_by_address(names->symbols, function->address) : NULL;
    return symbol && symbol->address == function->address ? shown(names, symbol->name) : NULL;
}

const char *xray_name(struct xray_names *names, uint32_t id)
{
    const struct xray_function *function = xray_map_function(&names->map, id);
    if (!function) {
        snprintf(names->number, sizeof names->number, "#%" PRIu32, id);
        return names->number;
    }
    const char **kept = &names->kept[function - names->map.functions.items];
    if (!*kept)
        *kept = find_name(names, function);
    if (*kept)
        return *kept;
    snprintf(names->number, sizeof names->number, "@(%" PRIx64 ")", function->address);
    return names->number;
}

enum status xray_names_open_lines(struct xray_names *names, struct error *err)
{
    return names->image ? lines_open(&names->lines, names->image, err) : STATUS_OK;
}

bool xray_function_place(struct xray_names *names, uint32_t id, struct source_place *place)
{
    const struct xray_function *function = xray_map_function(&names->map, id);
    bool is_found = function && lines_find(names->lines, function->address, place);
    names->lacks_memory |= lines_lacked_memory(names->lines);
    return is_found;
}

void xray_names_free(struct xray_names *names)
{
    lines_close(names->lines);
    free(names->kept);
    arena_free(&names->arena);
    xray_map_free(&names->map);
    symbols_free(names->symbols);
    image_close(names->image);
    *names = (struct xray_names){0};
}
