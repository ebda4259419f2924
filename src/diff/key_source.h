// A sequence of 64-bit keys that is read in pieces: the input of an alignment.
#ifndef TRAWL_DIFF_KEY_SOURCE_H
#define TRAWL_DIFF_KEY_SOURCE_H

#include "base/error.h"

struct key_source {
    void *self;
    // The keys from number `at` on that are consecutive in memory: *count of them, 0 if there are
    // no more keys. They are valid until the next call. Places near the last one are to be cheap;
    // before a place is requested for the first time, all places before it have been or will be
    // read.
    enum status (*read)(void *self, uint64_t at, const uint64_t **keys, size_t *count,
                        struct error *err);
};

// How many keys are equal from two places on, at most `most`.
enum status key_sources_same(const struct key_source sources[2], const uint64_t at[2],
                             uint64_t most, uint64_t *same, struct error *err);

// How many keys are equal before two places, at most `most`, which is not above either place.
enum status key_sources_same_before(const struct key_source sources[2], const uint64_t at[2],
                                    uint64_t most, uint64_t *same, struct error *err);

// Copies up to `count` keys; *copied is less at the end of the source.
enum status key_source_copy(const struct key_source *source, uint64_t at, uint64_t *keys,
                            size_t count, size_t *copied, struct error *err);

// How many keys there are in total, at least `from`.
enum status key_source_count(const struct key_source *source, uint64_t from, uint64_t *count,
                             struct error *err);

#endif
