// One column of a row group: its pages so far, its dictionary, and its description in the footer.
#ifndef TRAWL_REPORT_PARQUET_CHUNK_H
#define TRAWL_REPORT_PARQUET_CHUNK_H

#include "report/packer.h"
#include "report/parquet_cells.h"

enum parquet_codec { PARQUET_PLAIN_PAGES = 0, PARQUET_ZSTD = 6 }; // numbers of the format

// Working memory of a thread that makes pages.
struct parquet_desk {
    struct zstd_pack *pack; // NULL: pages are not compressed
    struct byte_vec body, packed;
    struct thrift head;
    VEC(, uint64_t) values;
    VEC(, uint32_t) places;
    VEC(, uint8_t) has;
    uint32_t *slots; // of a dictionary: an entry + 1; 0: free
    size_t slot_count;
};

bool parquet_desk_init(struct parquet_desk *desk, enum parquet_codec codec); // false: no memory
void parquet_desk_free(struct parquet_desk *desk);

// All zero except for the type is empty.
struct parquet_chunk {
    enum parquet_type type;
    struct byte_vec pages;
    VEC(, uint32_t) dictionary; // the numbers of its texts
    uint64_t unpacked_bytes;    // of the pages, including their heads
    uint64_t row_count, empty_count;
    uint64_t least, most; // of the cells with a value
};

// Appends rows of a column as further pages: those given by `order` from index `first` on, or, if
// it is NULL, the rows from `first` on. False: no memory.
bool parquet_chunk_add(struct parquet_chunk *chunk, struct parquet_desk *desk,
                       const struct parquet_column *column, const uint32_t *order, size_t first,
                       size_t count);

// Appends the column to `file`, whose first byte is at `offset` of the whole file, and its
// description to the list of columns of a row group in `about`. Adds to *unpacked_bytes. False: no
// memory, or the texts are too long for a dictionary.
bool parquet_chunk_end(const struct parquet_chunk *chunk, struct parquet_desk *desk,
                       const struct parquet_texts *texts, const char *name, struct byte_vec *file,
                       uint64_t offset, struct thrift *about, uint64_t *unpacked_bytes);

void parquet_chunk_free(struct parquet_chunk *chunk);

#endif
