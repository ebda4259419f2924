// Which file this is, and whether it is still the same: its size, its time, and a hash (XXH3, 128
// bits) of pages sampled all over it, which costs the same for a file of any size.
#ifndef TRAWL_BASE_FINGERPRINT_H
#define TRAWL_BASE_FINGERPRINT_H

#include "base/error.h"

// What is sampled: this many pages of this size, spread evenly from the first bytes to the last. Of
// a file that is not larger than all of them together, everything.
#define FINGERPRINT_PAGES 64
#define FINGERPRINT_PAGE_BYTES 4096

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

// Compares a fingerprint that was kept with that of a file now.
enum fingerprint_match fingerprint_compare(const struct fingerprint *kept,
                                           const struct fingerprint *now);

// Hashes all of the file: seconds for gigabytes. Fails as fingerprint_take does.
enum status fingerprint_hash_all(struct hash128 *hash, int fd, const char *path, struct error *err);

static inline bool hash128_equals(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
