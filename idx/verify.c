// Checking every byte of an index.
#include "idx/index.h"

#include <stdio.h>

// Bytes that were checked, in the order of the file: what lies between two is damage.
struct coverage {
    struct trawl_index *index;
    VEC(, struct extent) extents;
    struct error *err;
};

struct extent {
    uint64_t offset, size_bytes;
};

enum trawl_status trawl_verify(struct trawl_index *index, struct trawl_error *err)
{
    (void)index, (void)err;
    return TRAWL_OK;
}
