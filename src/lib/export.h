// Arrow's C data interface: columns in memory, given to another program in this process without
// copying them. https://arrow.apache.org/docs/format/CDataInterface.html
#ifndef TRAWL_LIB_EXPORT_H
#define TRAWL_LIB_EXPORT_H

#include "base/base.h"
#include "lib/trawl2.h"

// Whose memory columns are in: it is freed when the last array that uses it was released.
struct export_owner {
    uint64_t users; // changed with atomic operations: arrays are released by any thread
    void (*free)(struct export_owner *self);
};

void export_owner_take(struct export_owner *owner);
void export_owner_drop(struct export_owner *owner);

struct export_column {
    const char *name;   // valid forever
    const char *format; // of Arrow: "L"; of a dictionary's numbers: "i"
    const void *has_value, *values;
    int64_t empty_count;
    bool has_texts; // it is a dictionary
    const int32_t *ends;
    const char *bytes;
    int64_t distinct_texts;
};

// False: no memory; nothing is left.
bool export_schema(struct ArrowSchema *schema, const struct export_column *columns, size_t count);
bool export_array(struct ArrowArray *array, const struct export_column *columns, size_t count,
                  uint64_t rows, struct export_owner *owner);

#endif
