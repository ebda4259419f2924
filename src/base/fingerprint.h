// Identifies a file and its contents: its size, its time, and a hash (XXH3, 128 bits) of pages
// sampled throughout, which takes the same time for files of any size. For readers of the whole
// file there are also hashes of its blocks, which reveal any change and its place.
#ifndef TRAWL_BASE_FINGERPRINT_H
#define TRAWL_BASE_FINGERPRINT_H

#include "base/error.h"

// The sample has this many pages of this size, spread evenly from the first to the last byte; the
// whole file if it is not larger than them.
#define FINGERPRINT_PAGES 64
#define FINGERPRINT_PAGE_BYTES 4096

// Small enough to stay in a cache after it was copied, and to locate a change.
#define FINGERPRINT_BLOCK_BYTES (UINT64_C(1) << 20)

struct hash128 {
    uint64_t low, high;
};

struct fingerprint {
    uint64_t size_bytes;
    uint64_t mtime_ns; // since 1970
    struct hash128 sample;
};

enum fingerprint_match {
    FINGERPRINT_SAME,
    FINGERPRINT_TOUCHED, // only the time differs: a copy, or a change outside the sample
    FINGERPRINT_OTHER,
};

// Takes the fingerprint of the regular file of `fd`, whose position it keeps. `path` is for
// messages. STATUS_INPUT if the file changed meanwhile.
enum status fingerprint_take(struct fingerprint *fingerprint, int fd, const char *path,
                             struct error *err);

// The sample of the first `size_bytes` bytes of a file that may be growing. STATUS_INPUT: the file
// is shorter.
enum status fingerprint_sample(struct hash128 *sample, int fd, uint64_t size_bytes,
                               const char *path, struct error *err);

// Whether the first `size_bytes` of a file have this sample; false also if they cannot be read.
// STATUS_MEMORY: unknown.
enum status fingerprint_check_sample(const struct hash128 *sample, int fd, uint64_t size_bytes,
                                     const char *path, bool *is_same, struct error *err);

// Compares a stored fingerprint with that of a file now.
enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now);

// The fingerprint of several files that form one trace: the sum of their sizes, the latest of their
// times, and a hash of everything in each, in order.
struct fingerprint fingerprint_join(const struct fingerprint *each, size_t count);

// Blocks begin at multiples of their size; only the last one may be shorter.
uint64_t fingerprint_block_count(uint64_t size_bytes);

// The hash of a block (XXH3, 64 bits).
uint64_t fingerprint_block(const void *bytes, size_t size_bytes);

// Receives the hash of a block; any result other than STATUS_OK ends the reading.
typedef enum status fingerprint_block_function(void *self, uint64_t block, uint64_t hash,
                                               struct error *err);

// Reads the whole file (a fifth of a second per gigabyte from memory) and passes on the hash of
// each block, in order. Fails as fingerprint_take does, or with the result of `take`.
enum status fingerprint_each_block(int fd, const char *path, fingerprint_block_function *take,
                                   void *self, struct error *err);

static inline bool hash128_equals(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
