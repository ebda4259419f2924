// A growable buffer of bytes that a column is written to.
#ifndef TRAWL_IDX_BYTES_H
#define TRAWL_IDX_BYTES_H

#include "base/vec.h"

// All zero is an empty buffer; free(bytes.items) gives it back.
VEC(bytes, uint8_t);

#endif
