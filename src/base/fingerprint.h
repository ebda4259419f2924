// Which file this is, and whether it is still the same: its size, its time, and a hash (XXH3, 128
// bits) of pages sampled all over it, which costs the same for a file of any size. And, for those
// who read all of it, hashes of its pieces, which tell of a change anywhere where it is.
#ifndef TRAWL_BASE_FINGERPRINT_H
#define TRAWL_BASE_FINGERPRINT_H

#include "base/error.h"

// What is sampled: this many pages of this size, spread evenly from the first bytes to the last. Of
// a file that is not larger than all of them together, everything.
#define FINGERPRINT_PAGES 64
#define FINGERPRINT_PAGE_BYTES 4096

// Small enough to be found in a cache after its copy, and to be of use to who looks for a change.
#define FINGERPRINT_PIECE_BYTES (UINT64_C(1) << 20)

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
    FINGERPRINT_TOUCHED, // all but the time: a copy, or a change where no sample was taken
    FINGERPRINT_OTHER,
};

// Takes the fingerprint of the regular file behind `fd`, whose place in the file it leaves. `path`
// is for messages. STATUS_INPUT when the file changed meanwhile.
enum status fingerprint_take(struct fingerprint *fingerprint, int fd, const char *path,
                             struct error *err);

// The sample of what a file that may grow begins with, which it must have. STATUS_INPUT: it has
// not.
enum status fingerprint_sample(struct hash128 *sample, int fd, uint64_t size_bytes,
                               const char *path, struct error *err);

// Compares a fingerprint that was kept with that of a file now.
enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now);

// The fingerprint of several files that are one trace: their sizes added up, the latest of their
// times, and a hash of all that there is of each, in order.
struct fingerprint fingerprint_join(const struct fingerprint *each, size_t count);

// Pieces begin at multiples of their size; only the last one may be shorter.
uint64_t fingerprint_piece_count(uint64_t size_bytes);

// The hash of a piece (XXH3, 64 bits).
uint64_t fingerprint_piece(const void *bytes, size_t size_bytes);

// Takes the hash of a piece; what is not STATUS_OK ends the reading.
typedef enum status fingerprint_piece_function(void *self, uint64_t piece, uint64_t hash,
                                               struct error *err);

// Reads all of the file, a fifth of a second a gigabyte from memory, and hands over the hash of
// each piece, in order. Fails as fingerprint_take does, or as `take` did.
enum status fingerprint_each_piece(int fd, const char *path, fingerprint_piece_function *take,
                                   void *self, struct error *err);

static inline bool hash128_equals(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
