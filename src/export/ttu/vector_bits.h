// The length of the vectors of the Scalable Vector Extension in a trace.
#ifndef TRAWL_EXPORT_TTU_VECTOR_BITS_H
#define TRAWL_EXPORT_TTU_VECTOR_BITS_H

#include "flow/segment.h"

// The size in bits of the longest vector that is written, or to which a written predicate belongs:
// a multiple of 128, at least 128.
uint32_t ttu_vector_bits(const struct segment *segment);

#endif
