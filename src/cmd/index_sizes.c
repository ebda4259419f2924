#include "cmd/index_sizes.h"

#include "trace/index_view.h"

enum status index_sizes_read(struct index_sizes *sizes, struct trawl_index *index,
                             struct error *err)
{
    struct trawl_error from;
    struct trawl_info about;
    enum trawl_status status =
        trawl_sizes(index, sizes->parts, INDEX_SIZES_MAX, &sizes->count, &from);
    sizes->count = (size_t)u64_min(sizes->count, INDEX_SIZES_MAX);
    trawl_info(index, &about);
    sizes->index_bytes = about.index_bytes;
    return index_status(status, &from, err);
}

const struct column index_size_columns[INDEX_SIZE_COLUMNS] = {
    {"Bytes", "bytes", COLUMN_U64},
    {"Share", "share", COLUMN_SHARE},
    {"Part of the index", "part", COLUMN_TEXT},
};

void index_sizes_put(void *self, struct table *table)
{
    const struct index_sizes *sizes = self;
    for (size_t i = 0; i < sizes->count; i++) {
        table_u64(table, sizes->parts[i].bytes);
        table_share(table, sizes->parts[i].bytes, sizes->index_bytes);
        table_text(table, sizes->parts[i].name);
    }
}
