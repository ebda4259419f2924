// The kernels of simd/ by instruction set, for bench/kernels.cpp: C below, C++ above this line.
// Each call processes as many numbers, or lines, as a block of a column has numbers, and returns
// something that depends on all.
#ifndef TRAWL_BENCH_KERNELS_H
#define TRAWL_BENCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_KERNELS_COUNT = 1024 };

struct bench_kernels;

// For the instruction set with this number; NULL: this machine lacks it. Numbers are `width` bits
// wide.
struct bench_kernels *bench_kernels_open(int simd, unsigned width);
void bench_kernels_close(struct bench_kernels *kernels);
const char *bench_kernels_simd_name(int simd); // NULL: no more of them

uint64_t bench_kernels_pack(struct bench_kernels *kernels);
uint64_t bench_kernels_unpack(struct bench_kernels *kernels);
uint64_t bench_kernels_add_up(struct bench_kernels *kernels);
uint64_t bench_kernels_extremes(struct bench_kernels *kernels);
uint64_t bench_kernels_contain(struct bench_kernels *kernels);
uint64_t bench_kernels_hex(struct bench_kernels *kernels);     // sixteen digits of each line
uint64_t bench_kernels_decimal(struct bench_kernels *kernels); // ten digits
uint64_t bench_kernels_fits(struct bench_kernels *kernels);    // 64 columns
uint64_t bench_kernels_newline(struct bench_kernels *kernels); // at the 64th byte

#ifdef __cplusplus
}
#endif

#endif
