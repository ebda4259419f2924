// Reading a trace file of GDB, and a plain walk over the same bytes, for bench/tfile.cpp: C below,
// C++ above this line.
#ifndef TRAWL_BENCH_TFILE_H
#define TRAWL_BENCH_TFILE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tfile_read {
    READ_HEADS,     // plain: the sizes of frames
    READ_BYTES,     // plain: the same, and all bytes of the frames, as words of 8
    READ_FRAMES,    // tfile_open: header and frames
    READ_CHECKED,   // the same, and all blocks checked
    READ_REGISTERS, // tfile_open, and each register of each frame as a number
};

struct tfile_bench;

// Maps a trace file. NULL: there is none.
struct tfile_bench *tfile_bench_open(const char *path);
void tfile_bench_close(struct tfile_bench *bench);
uint64_t tfile_bench_bytes(const struct tfile_bench *bench);

// Reads all of it, with this many threads if possible; returns a sum over what was read.
uint64_t tfile_bench_read(struct tfile_bench *bench, enum tfile_read read, unsigned threads);

#ifdef __cplusplus
}
#endif

#endif
