#include "trace/tfile/file.h"

#include <stdlib.h>
#include <string.h>

void tfile_close(struct tfile *file)
{
    free(file->variables.items);
    free(file->pieces.items);
    free(file->locations.items);
    free(file->location_of);
    free(file->frames.items);
    tfile_registers_free(&file->registers);
    arena_free(&file->arena);
    *file = (struct tfile){0};
}

const struct tfile_location *tfile_locations_of(const struct tfile *file, uint16_t number,
                                                size_t *count)
{
    uint32_t first = file->location_of[number];
    *count = 0;
    if (!first)
        return NULL;
    const struct tfile_location *location = &file->locations.items[first - 1];
    *count = location->places;
    return location;
}

const struct tfile_variable *tfile_variable_named(const struct tfile *file, const char *name,
                                                  size_t length)
{
    for (size_t i = 0; i < file->variables.count; i++) {
        const struct tfile_variable *variable = &file->variables.items[i];
        if (strlen(variable->name) == length && memcmp(variable->name, name, length) == 0)
            return variable;
    }
    return NULL;
}

const struct tfile_variable *tfile_variable_numbered(const struct tfile *file, int32_t number)
{
    const struct tfile_variable *variables = file->variables.items;
    size_t low;
    PARTITION_POINT(low, file->variables.count, variables[middle].number < number);
    bool is_there = low < file->variables.count && variables[low].number == number;
    return is_there ? &variables[low] : NULL;
}

const char *tfile_stop_name(enum tfile_stop stop)
{
    static const char *const names[] = {
        [TFILE_STOP_UNKNOWN] = "unknown",
        [TFILE_STOP_NOT_RUN] = "not stopped",
        [TFILE_STOP_COMMAND] = "tstop command",
        [TFILE_STOP_FULL] = "buffer full",
        [TFILE_STOP_DISCONNECTED] = "disconnected",
        [TFILE_STOP_PASSES] = "pass count",
        [TFILE_STOP_ERROR] = "error",
    };
    return names[stop];
}
