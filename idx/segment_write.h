// Builds the bytes of one segment, and the facts about it that the index needs.
#ifndef TRAWL_IDX_SEGMENT_WRITE_H
#define TRAWL_IDX_SEGMENT_WRITE_H

#include "base/error.h"
#include "idx/segment_build.h"

// Sets `bytes` and the other results from `input`. The bytes depend only on the input.
// STATUS_LIMIT: more memory records than a segment may have; STATUS_MEMORY: no memory.
enum status segment_write(struct segment_writer *writer, const struct segment_input *input,
                          struct error *err);

void segment_writer_free(struct segment_writer *writer);

#endif
