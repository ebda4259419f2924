// Builds the bytes of one segment, and what the index has to know of it beside them.
#ifndef TRAWL_IDX_SEGMENT_WRITE_H
#define TRAWL_IDX_SEGMENT_WRITE_H

#include "base/error.h"
#include "idx/segment_build.h"

// Fills `bytes` and the rest from `input`. The bytes depend on the input alone. STATUS_LIMIT: more
// records of memory than a segment may have; STATUS_MEMORY: no memory.
enum status segment_write(struct segment_writer *writer, const struct segment_input *input,
                          struct error *err);

void segment_writer_free(struct segment_writer *writer);

#endif
