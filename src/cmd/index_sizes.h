// The sizes of the parts of an index, for `trawl info --sizes`.
#ifndef TRAWL_CMD_INDEX_SIZES_H
#define TRAWL_CMD_INDEX_SIZES_H

#include "base/error.h"
#include "idx/trawl.h"
#include "report/table.h"

enum { INDEX_SIZES_MAX = 64, INDEX_SIZE_COLUMNS = 3 }; // idx/trawl.h guarantees fewer sizes

struct index_sizes {
    struct trawl_size parts[INDEX_SIZES_MAX];
    size_t count;
    uint64_t index_bytes;
};

enum status index_sizes_read(struct index_sizes *sizes, struct trawl_index *index,
                             struct error *err);

// The table: its columns, and its rows from a struct index_sizes.
extern const struct column index_size_columns[INDEX_SIZE_COLUMNS];
void index_sizes_put(void *self, struct table *table);

#endif
