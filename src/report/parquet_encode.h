// Encodes values for pages of a Parquet file.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
#ifndef TRAWL_REPORT_PARQUET_ENCODE_H
#define TRAWL_REPORT_PARQUET_ENCODE_H

#include "report/thrift.h"

// Each appends to `bytes`. False: no memory.

// Which of `count` cells have a value: each byte of `has` is 0 or 1. NULL: all have one.
bool parquet_put_levels(struct byte_vec *bytes, const uint8_t *has, size_t count);

// Numbers as differences from the previous one (DELTA_BINARY_PACKED); at least one.
bool parquet_put_deltas(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Numbers unchanged (PLAIN).
bool parquet_put_plain(struct byte_vec *bytes, const uint64_t *values, size_t count);

// Indexes of entries of a dictionary, below 2^width, as runs or packed (RLE_DICTIONARY).
bool parquet_put_places(struct byte_vec *bytes, const uint32_t *places, size_t count,
                        unsigned width);

// An entry of a dictionary (PLAIN).
bool parquet_put_entry(struct byte_vec *bytes, const char *text, uint32_t length);

#endif
