// The memory timelines of a segment. Private to segment_write.c.
#ifndef TRAWL_IDX_MEMORY_WRITE_H
#define TRAWL_IDX_MEMORY_WRITE_H

#include "base/limits.h"
#include "idx/segment_write.h"

// Adds the parts of memory, and fills writer->stored and loaded. writer->host_calls must be there.
// STATUS_LIMIT: more than memory_record_max; STATUS_MEMORY: no memory.
enum status memory_write(struct segment_writer *writer, const struct segment_input *input);

// The most records that a segment may have.
static inline uint64_t memory_record_max(const struct segment_writer *writer)
{
    return writer->record_max ? writer->record_max : LIMIT_SEGMENT_RECORDS;
}

void memory_build_free(struct memory_build *build);

#endif
