// The implementation of trawl_memory, for the indexer. Private to the reader.
#ifndef TRAWL_IDX_MEMORY_H
#define TRAWL_IDX_MEMORY_H

#include "idx/index.h"

// Like trawl_memory, but uses only loads before the host call of event `seen_by`: the result is
// what was known then.
enum status index_memory(struct trawl_index *index, uint64_t event, uint64_t seen_by,
                         uint64_t address, size_t size_bytes, uint8_t *values, uint8_t *known,
                         struct error *err);

#endif
