// Host calls (semihosting) that write memory which no line of the trace shows: what they are asked
// to write follows from registers and memory before them, which only a finished index can tell.
#ifndef TRAWL_IDX_HOST_CALLS_H
#define TRAWL_IDX_HOST_CALLS_H

#include "idx/index.h"

// Finds what every host call of the index may have written, and makes the parts of SECTION_REGIONS;
// *any says whether there is anything. `index` is used for nothing else until it is closed.
enum status host_calls_resolve(struct trawl_index *index, struct parts_writer *parts, bool *any,
                               struct error *err);

#endif
