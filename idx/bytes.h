// A growable buffer of bytes to which columns are written.
#ifndef TRAWL_IDX_BYTES_H
#define TRAWL_IDX_BYTES_H

#include "base/vec.h"

// All zero is an empty buffer; free(bytes.items) frees it.
VEC(bytes, uint8_t);

#endif
