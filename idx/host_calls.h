// Host calls (semihosting): where they are, and those that write memory which no line of the trace
// shows: what they are asked to write follows from registers and memory before them, which only a
// finished index can tell.
#ifndef TRAWL_IDX_HOST_CALLS_H
#define TRAWL_IDX_HOST_CALLS_H

#include "idx/index.h"

// Finds what every host call of the index may have written, and makes the parts of SECTION_REGIONS;
// *any says whether there is anything. `index` is used for nothing else until it is closed.
enum status host_calls_resolve(struct trawl_index *index, struct parts_writer *parts, bool *any,
                               struct error *err);

// The first host call at event `from` or after it; STATUS_NOT_FOUND: there is none.
enum status host_calls_next(struct trawl_index *index, uint64_t from, uint64_t *event,
                            struct error *err);

#endif
