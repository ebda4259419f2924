// What trawl_memory is made of, for the indexer. Private to the reader.
#ifndef TRAWL_IDX_MEMORY_H
#define TRAWL_IDX_MEMORY_H

#include "idx/index.h"

// As trawl_memory, but only loads before the host call of event `seen_by` teach anything: what was
// known while the trace continued.
enum status index_memory(struct trawl_index *index, uint64_t event, uint64_t seen_by,
                         uint64_t address, size_t size_bytes, uint8_t *values, uint8_t *known,
                         struct error *err);

#endif
