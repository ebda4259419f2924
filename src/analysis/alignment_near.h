// Where two sequences come together again, nearby: the shortest edit script by E. Myers' greedy
// algorithm ("An O(ND) Difference Algorithm and Its Variations", 1986), forward from where they
// diverge, until a run is long enough for the number of edits.
#ifndef TRAWL_ANALYSIS_ALIGNMENT_NEAR_H
#define TRAWL_ANALYSIS_ALIGNMENT_NEAR_H

#include "analysis/alignment_sink.h"
#include "analysis/key_source.h"

// The most edits, and the number of keys examined.
#define NEAR_EDITS 256
#define NEAR_WINDOW 8192

struct near_search {
    uint64_t windows[2][NEAR_WINDOW];
    size_t counts[2];
    bool is_whole[2]; // the window reaches the end of the source
    // How far each number of edits reaches along each diagonal: row `edits` has 2 * edits + 1.
    uint32_t reached[(NEAR_EDITS + 1) * (NEAR_EDITS + 1)];
    // The script, from its end.
    struct near_step {
        bool is_b;     // of the edits
        uint32_t same; // keys after the edit
    } steps[NEAR_EDITS + 1];
};

// Examines up to `limits` keys of each from `at` on, and at most NEAR_WINDOW. *is_found: the result
// went to the sink, and `at` is after it; otherwise nothing has changed.
enum status near_resume(struct near_search *search, const struct key_source sources[2],
                        const struct alignment_sink *sink, uint64_t at[2], const uint64_t limits[2],
                        bool *is_found, struct error *err);

#endif
