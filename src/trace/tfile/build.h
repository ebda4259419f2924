// The parts of opening a trace file; only for header.c, walk.c and file_open.c.
#ifndef TRAWL_TRACE_TFILE_BUILD_H
#define TRAWL_TRACE_TFILE_BUILD_H

#include "trace/tfile/file.h"

// Reads the header. STATUS_MEMORY, STATUS_LIMIT.
enum status tfile_read_header(struct tfile *file, const struct tfile_options *options,
                              struct error *err);

// Finds the frames, by the byte order that `options` and the header tell, or that fits them. False:
// no memory.
bool tfile_find_frames(struct tfile *file, const struct tfile_options *options);

// Whether a frame of a tracepoint of that number may be.
static inline bool tfile_is_number(const struct tfile *file, uint16_t number)
{
    return number && (file->locations.count == 0 || file->location_of[number]);
}

#endif
