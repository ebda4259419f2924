// One column with its values, for bench/columns.cpp: C below, C++ above this line. Each call but
// open and close does one thing to or with every value, and returns something that depends on all.
#ifndef TRAWL_BENCH_COLUMNS_H
#define TRAWL_BENCH_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_column;

struct bench_column *bench_column_open(const uint64_t *values, size_t count);
void bench_column_close(struct bench_column *column);
size_t bench_column_bytes(const struct bench_column *column);

uint64_t bench_column_write(struct bench_column *column);
uint64_t bench_column_read(struct bench_column *column);
uint64_t bench_column_get(const struct bench_column *column);    // in random order
uint64_t bench_column_search(const struct bench_column *column); // likewise

#ifdef __cplusplus
}
#endif

#endif
