// SFrame of an image in several forms, and random PCs to look up in each, for bench/sframe.cpp: C
// below, C++ above this line.
#ifndef TRAWL_BENCH_SFRAME_H
#define TRAWL_BENCH_SFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SFRAME_BENCH_PCS = 1 << 16 };

enum sframe_search {
    SEARCH_ARRAY,           // sframe_flat_find, one PC after the other
    SEARCH_ARRAY_IN_GROUPS, // sframe_flat_find_many
    SEARCH_ARRAY_AVX512,    // as SEARCH_ARRAY, with the window compared by one instruction
    SEARCH_BINARY,          // branch-free binary search over the starts
    SEARCH_EYTZINGER,       // the same in breadth-first order, prefetched
    SEARCH_B_TREE,          // static, nodes of 16 starts, as the compiler makes it for any machine
    SEARCH_B_TREE_AVX512,   // the same with one comparison a node
    SEARCH_LIBRARY,         // libsframe's sframe_find_fre
    SEARCHES
};

struct sframe_bench;

// Reads the image and makes all forms. `library` is the path of libsframe.so, which makes its own;
// NULL for none. NULL: no such image, or it has no SFrame.
struct sframe_bench *sframe_bench_open(const char *image, const char *library);
void sframe_bench_close(struct sframe_bench *bench);

bool sframe_bench_has(const struct sframe_bench *bench, enum sframe_search search);

// Looks up all PCs. Returns the sum of the starts of the rows found, equal for all forms; 0: the
// form does not exist.
uint64_t sframe_bench_search(struct sframe_bench *bench, enum sframe_search search);

// Makes the array again from the tables in memory. False: it failed.
bool sframe_bench_convert(struct sframe_bench *bench);

uint64_t sframe_bench_section_bytes(const struct sframe_bench *bench);
uint64_t sframe_bench_flat_bytes(const struct sframe_bench *bench);
uint64_t sframe_bench_rows(const struct sframe_bench *bench);

#ifdef __cplusplus
}
#endif

#endif
