// Values as the pages of a Parquet file have them.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
#ifndef TRAWL_REPORT_PARQUET_ENCODE_H
#define TRAWL_REPORT_PARQUET_ENCODE_H

#include "report/thrift.h"

// Each appends to `bytes`. False: no memory.

// Which of so many cells have a value: each byte of `has` is 0 or 1. NULL: all do.
bool parquet_put_levels(struct byte_vec *bytes, const uint8_t *has, size_t count);

// Numbers by what each adds to the one before (DELTA_BINARY_PACKED); at least one.
bool parquet_put_deltas(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Numbers as they are (PLAIN).
bool parquet_put_plain(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Numbers below 2^width of entries of a dictionary, by runs and packed (RLE_DICTIONARY).
bool parquet_put_places(struct byte_vec *bytes, const uint32_t *places, size_t count,
                        unsigned width);

// An entry of a dictionary (PLAIN).
bool parquet_put_entry(struct byte_vec *bytes, const char *text, uint32_t length);

#endif
