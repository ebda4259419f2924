// Host calls (semihosting): finds them, and the memory that they may write, which no line of the
// trace shows. What they were asked to write follows from registers and memory before them, which
// only a finished index can tell.
#ifndef TRAWL_IDX_HOST_CALLS_H
#define TRAWL_IDX_HOST_CALLS_H

#include "idx/index.h"

// Finds what each host call of the index may have written, and makes the parts of SECTION_REGIONS.
// *any: there is something. `index` must not be used for anything else until it is closed.
enum status host_calls_resolve(struct trawl_index *index, struct parts_writer *parts, bool *any,
                               struct error *err);

// The first host call at or after event `from`; STATUS_NOT_FOUND: none.
enum status host_calls_next(struct trawl_index *index, uint64_t from, uint64_t *event,
                            struct error *err);

#endif
