// Whether a PC is in the function of a call, according to the symbols.
#ifndef TRAWL_ANALYSIS_CALL_FUNCTION_H
#define TRAWL_ANALYSIS_CALL_FUNCTION_H

#include "elf/image_set.h"
#include "idx/trawl.h"

// Whether two PCs are in the same function; true if neither has a symbol.
bool call_is_same_function(const struct image_set *images, uint64_t a, uint64_t b);

// Whether a PC is in the function of a call, or in one that this continues in without a call:
// functions in assembly run into the next one, or branch there from their end.
bool call_has_pc(const struct image_set *images, const struct trawl_call *call, uint64_t pc);

#endif
