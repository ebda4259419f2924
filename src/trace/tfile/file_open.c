#include "trace/tfile/file_open.h"

#include "trace/tfile/build.h"

#include <stdlib.h>

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
