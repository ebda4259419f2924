// Where two long sequences of keys are equal, and where they differ: both are read in step, and
// where they diverge, it searches for the place where they come together again.
//
// First nearby: the shortest edit script (Myers, 1986) with a limited number of edits, until enough
// keys in a row are equal. Then further away: runs of keys that both contain are found by hashes of
// sixteen keys, in windows that grow fourfold, and the alignment follows the heaviest chain of such
// runs. So the work grows with the distance between the two: time is n log n and memory bounded for
// any keys. If no run is found in all that is left, the rest of both is reported as different.
//
// The result depends only on the keys. It is neither the shortest script of the whole nor the only
// correct one: if a loop ran three more times, any three rounds may be reported.
#ifndef TRAWL_DIFF_ALIGNMENT_H
#define TRAWL_DIFF_ALIGNMENT_H

#include "base/error.h"
#include "diff/key_source.h"

// What an alignment finds, in order and without gaps.
struct alignment_sink {
    void *self;
    // `count` keys that are the same, from at[0] and at[1] on.
    enum status (*same)(void *self, const uint64_t at[2], uint64_t count, struct error *err);
    // Keys that only one of the two has. `is_rough`: there were too many to be compared in detail,
    // so keys that both have are among them.
    enum status (*apart)(void *self, const uint64_t at[2], const uint64_t counts[2], bool is_rough,
                         struct error *err);
};

enum status alignment_run(const struct key_source sources[2], const struct alignment_sink *sink,
                          struct error *err);

#endif
