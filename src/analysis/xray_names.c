#include "analysis/xray_names.h"

#include "elf/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum status xray_names_open(struct xray_names *names, const char *path, struct error *err)
{
    enum status status = image_open(&names->image, path, err);
    if (status == STATUS_OK)
        status = xray_map_read(&names->map, names->image, err);
    if (status == STATUS_OK && !names->map.functions.count)
        status = error_set(err, STATUS_INPUT, "%s: has no xray_instr_map", path);
    if (status == STATUS_OK)
        status = symbols_load(&names->symbols, names->image, SYMBOLS_RIGHT, err);
    if (status != STATUS_OK)
        return status;
    names->kept = calloc(names->map.functions.count, sizeof *names->kept);
    return names->kept ? STATUS_OK : error_set(err, STATUS_MEMORY, "%s: no memory for names", path);
}

bool xray_names_knows(const struct xray_names *names, uint32_t function)
{
    return function >= 1 && function <= names->map.functions.count;
}

static const char *name_of_symbol(struct xray_names *names, const struct symbol *symbol)
{
    return names->keeps_mangled ? symbol->name : demangle_symbol(&names->arena, symbol->name);
}

const char *xray_name(struct xray_names *names, uint32_t function)
{
    if (!xray_names_knows(names, function)) {
        snprintf(names->number, sizeof names->number, "#%" PRIu32, function);
        return names->number;
    }
    const char **kept = &names->kept[function - 1];
    uint64_t address = names->map.functions.items[function - 1];
    const struct symbol *symbol = *kept ? NULL : symbols_by_address(names->symbols, address);
    if (symbol && symbol->address == address)
        *kept = name_of_symbol(names, symbol);
    if (*kept)
        return *kept;
    snprintf(names->number, sizeof names->number, "@(%" PRIx64 ")", address);
    return names->number;
}

enum status xray_names_open_lines(struct xray_names *names, struct error *err)
{
    return names->image ? lines_open(&names->lines, names->image, err) : STATUS_OK;
}

bool xray_function_place(const struct xray_names *names, uint32_t function,
                         struct source_place *place)
{
    return xray_names_knows(names, function) &&
           lines_find(names->lines, names->map.functions.items[function - 1], place);
}

void xray_names_free(struct xray_names *names)
{
    if (!names->image)
        return; // nothing was opened
    lines_close(names->lines);
    free(names->kept);
    arena_free(&names->arena);
    xray_map_free(&names->map);
    symbols_free(names->symbols);
    image_close(names->image);
    *names = (struct xray_names){0};
}
