// A column of a row group: its pages as they come, its dictionary and what is said of it.
#ifndef TRAWL_REPORT_PARQUET_CHUNK_H
#define TRAWL_REPORT_PARQUET_CHUNK_H

#include "report/parquet_cells.h"
#include "report/zstd_pack.h"

enum parquet_codec { PARQUET_PLAIN_PAGES = 0, PARQUET_ZSTD = 6 }; // numbers of the format

// What a thread makes pages with.
struct parquet_desk {
    struct zstd_pack *pack; // NULL: pages are not packed
    struct byte_vec body, packed;
    struct thrift head;
    VEC(, uint64_t) values;
    VEC(, uint32_t) places;
    VEC(, uint8_t) has;
    uint32_t *slots; // of a dictionary: a place and 1; 0: free
    size_t slot_count;
};

bool parquet_desk_init(struct parquet_desk *desk, enum parquet_codec codec); // false: no memory
void parquet_desk_free(struct parquet_desk *desk);

// All zero except for the type is empty.
struct parquet_chunk {
    enum parquet_type type;
    struct byte_vec pages;
    VEC(, uint32_t) dictionary; // numbers of texts
    uint64_t unpacked_bytes;    // of the pages, heads included
    uint64_t row_count, empty_count;
    uint64_t least, most; // of those that are there
};

// Rows of a column, as further pages: those that `order` gives, or from `first` on (NULL). False:
// no memory.
bool parquet_chunk_add(struct parquet_chunk *chunk, struct parquet_desk *desk,
                       const struct parquet_column *column, const uint32_t *order, size_t first,
                       size_t count);

// Appends the column to `file`, of whose whole it begins at `offset`, and to the list of columns of
// a row group in `about` what is said of it. Adds to *unpacked_bytes. False: no memory, or texts
// that are too long for a dictionary.
bool parquet_chunk_end(const struct parquet_chunk *chunk, struct parquet_desk *desk,
                       const struct parquet_texts *texts, const char *name, struct byte_vec *file,
                       uint64_t offset, struct thrift *about, uint64_t *unpacked_bytes);

void parquet_chunk_free(struct parquet_chunk *chunk);

#endif
