// The parts of opening a trace file. Only for header.c, walk.c and file_open.c.
#ifndef TRAWL_TRACE_TFILE_BUILD_H
#define TRAWL_TRACE_TFILE_BUILD_H

#include "trace/tfile/file.h"

// Reads the header. STATUS_MEMORY, STATUS_LIMIT.
enum status tfile_read_header(struct tfile *file, const struct tfile_options *options,
                              struct error *err);

// Finds the frames, in the byte order given by `options` or the header, or otherwise in the one
// that fits them. False: no memory.
bool tfile_find_frames(struct tfile *file, const struct tfile_options *options);

// Whether there can be frames of a tracepoint with that number.
static inline bool tfile_is_number(const struct tfile *file, uint16_t number)
{
    return number && (file->locations.count == 0 || file->location_of[number]);
}

#endif
