// How long the vectors of the Scalable Vector Extension are that a trace shows.
#ifndef TRAWL_EXPORT_TTU_VECTOR_BITS_H
#define TRAWL_EXPORT_TTU_VECTOR_BITS_H

#include "flow/segment.h"

// The bits of the longest vector that is written, or that a written predicate is of: a multiple of
// 128, and at least that.
uint32_t ttu_vector_bits(const struct segment *segment);

#endif
