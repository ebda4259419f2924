// Where two sequences come together again, further away: runs of keys that both contain, and the
// heaviest chain of such runs.
#ifndef TRAWL_ANALYSIS_ALIGNMENT_FAR_H
#define TRAWL_ANALYSIS_ALIGNMENT_FAR_H

#include "analysis/key_source.h"

// The most runs that are considered, and how much of each counts in either direction.
#define FAR_RUNS 1024
#define FAR_RUN_KEYS 4096

struct far_run {
    uint64_t at[2];
    uint64_t count; // examined so far; the run may be longer
};

struct far_table;

struct far_search {
    struct far_table *tables[2];
    struct far_run runs[FAR_RUNS]; // the chain: rising on both sides, without overlap
    size_t run_count;
};

enum status far_open(struct far_search *search, struct error *err);
void far_close(struct far_search *search);

// Finds the chain from two places on. No runs: the rest of the sources has none.
enum status far_find(struct far_search *search, const struct key_source sources[2],
                     const uint64_t at[2], struct error *err);

#endif
