// Opens a GDB trace file.
#ifndef TRAWL_TRACE_TFILE_FILE_OPEN_H
#define TRAWL_TRACE_TFILE_FILE_OPEN_H

#include "trace/tfile/file.h"

// Whether a file with this beginning is a trace file.
bool tfile_is(const void *data, uint64_t size_bytes);

// Opens the trace file in `data`, which must exist as long as `file`. Damage does not make it fail,
// but is recorded in file->damage. STATUS_INPUT: not a trace file. Close with tfile_close in any
// case.
enum status tfile_open(struct tfile *file, const void *data, uint64_t size_bytes,
                       const struct tfile_options *options, struct error *err);

#endif
