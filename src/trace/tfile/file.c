#include "trace/tfile/file.h"

#include <inttypes.h>
#include <stdio.h>
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

// --- Opening -------------------------------------------------------------------------------------

static const char magic[TFILE_MAGIC_BYTES + 1] = "\x7fTRACE0\n";

bool tfile_is(const void *data, uint64_t size_bytes)
{
    return size_bytes >= TFILE_MAGIC_BYTES && memcmp(data, magic, TFILE_MAGIC_BYTES) == 0;
}

enum status tfile_open(struct tfile *file, const void *data, uint64_t size_bytes,
                       const struct tfile_options *options, struct error *err)
{
    *file = (struct tfile){.data = data, .size_bytes = size_bytes};
    if (!tfile_is(data, size_bytes))
        return error_set(err, STATUS_INPUT, "not a GDB trace file");
    file->location_of = calloc(UINT16_MAX + 1, sizeof *file->location_of);
    if (!file->location_of)
        return error_set(err, STATUS_MEMORY, "no memory");
    enum status status = tfile_read_header(file, options, err);
    if (status == STATUS_OK && !tfile_find_frames(file, options))
        status = error_set(err, STATUS_MEMORY, "no memory for the frames");
    return status;
}

// --- What is damaged -----------------------------------------------------------------------------

void tfile_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES])
{
    static const char *const texts[] = {
        [TFILE_FAULT_HEADER_ENDS] = "the file ends inside its header",
        [TFILE_FAULT_LINE] = "a line of the header that cannot be read",
        [TFILE_FAULT_REGISTER_BYTES] = "the header does not say the size of registers",
        [TFILE_FAULT_DESCRIPTION] = "the description of the target cannot be read",
        [TFILE_FAULT_NUMBER] = "a frame of a tracepoint that does not exist:",
        [TFILE_FAULT_SIZE] = "a frame that would end after the file, of bytes:",
        [TFILE_FAULT_EARLY_END] = "an end mark with frames after it",
        [TFILE_FAULT_CUT] = "the file ends inside a frame",
        [TFILE_FAULT_NO_END] = "the file ends without its end mark",
        [TFILE_FAULT_GIVEN_UP] = "no valid frame from here on",
        [TFILE_FAULT_EMPTY] = "a frame of zeros",
        [TFILE_FAULT_BLOCK] = "a block of an unknown kind:",
        [TFILE_FAULT_BLOCK_CUT] = "a block that would end after its frame",
        [TFILE_FAULT_PACKET] = "a packet of the stream that cannot be read; the rest is left out",
    };
    const char *what = texts[fault->kind];
    switch (fault->kind) {
    case TFILE_FAULT_NUMBER:
    case TFILE_FAULT_SIZE:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s %" PRIu64, what, fault->value);
        break;
    case TFILE_FAULT_BLOCK:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s 0x%02" PRIx64, what, fault->value);
        break;
    default:
        snprintf(text, TRACE_FAULT_TEXT_BYTES, "%s", what);
        break;
    }
}
