// The memory timelines of a segment. Private to segment_write.c.
#ifndef TRAWL_IDX_MEMORY_WRITE_H
#define TRAWL_IDX_MEMORY_WRITE_H

#include "base/error.h"
#include "idx/segment_build.h"

// Adds the parts of memory, and sets writer->stored and writer->loaded. writer->host_calls must be
// set. STATUS_LIMIT: more than memory_record_max; STATUS_MEMORY: no memory.
enum status memory_write(struct segment_writer *writer, const struct segment_input *input);

void memory_build_free(struct memory_build *build);

#endif
