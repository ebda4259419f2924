// The memory timelines of a segment. Private to segment_write.c.
#ifndef TRAWL_IDX_MEMORY_WRITE_H
#define TRAWL_IDX_MEMORY_WRITE_H

#include "idx/segment_write.h"

// Adds the parts of memory, and fills writer->stored and loaded. writer->host_calls must be there.
// False: no memory.
bool memory_write(struct segment_writer *writer, const struct segment_input *input);

void memory_build_free(struct memory_build *build);

#endif
