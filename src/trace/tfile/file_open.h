// Opening a GDB trace file.
#ifndef TRAWL_TRACE_TFILE_FILE_OPEN_H
#define TRAWL_TRACE_TFILE_FILE_OPEN_H

#include "trace/tfile/file.h"

// Whether a file that begins so is a trace file.
bool tfile_is(const void *data, uint64_t size_bytes);

// Opens the trace file in `data`, which must stay as long as it. Damage does not stop it, and is
// recorded in file->damage. STATUS_INPUT: it is none. In any case freed by tfile_close.
enum status tfile_open(struct tfile *file, const void *data, uint64_t size_bytes,
                       const struct tfile_options *options, struct error *err);

#endif
