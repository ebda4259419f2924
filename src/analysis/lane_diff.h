// The differences between a lane of one trace and a lane of another: regions in which instructions
// are only in one of them, or are the same and had different effects.
#ifndef TRAWL_ANALYSIS_LANE_DIFF_H
#define TRAWL_ANALYSIS_LANE_DIFF_H

#include "analysis/alignment.h"
#include "analysis/event_effects.h"
#include "analysis/lane_keys.h"

// Regions with fewer instructions between them that are the same are one.
#define LANE_DIFF_GAP 8

struct lane_region {
    uint64_t starts[2]; // numbers of instructions in the lanes, from 0
    uint64_t events[2]; // of these; TRAWL_NONE: the lane has ended
    uint64_t counts[2]; // how many it reaches over
    uint64_t only[2];   // of them, those that the other lane does not have
    uint64_t changed;   // those that both have, and that did something else
    bool is_rough;      // what the two have in common was not looked for in detail
};

#define LANE_DIFF_BLOCK 1024

// What of one side a block of instructions did, where that is compared.
struct lane_effects {
    struct event_effects effects;
    uint64_t events[LANE_DIFF_BLOCK], times[LANE_DIFF_BLOCK], hashes[LANE_DIFF_BLOCK];
};

struct lane_diff {
    // What counts next to the instructions.
    unsigned effects; // enum event_effect
    bool times;       // the time since the instruction before, where that is the same, too
    // What was read of all lanes of a side; NULL: its lane is read from the index.
    const struct lane_rows *rows[2];

    // The receiver of regions, which come in order.
    void *self;
    enum status (*region)(void *self, const struct lane_region *region, struct error *err);

    // What was found.
    uint64_t counts[2]; // instructions
    struct effect_names left_out;
    uint64_t same, changed, only[2], regions;

    // On the way.
    struct lane_keys lanes[2];
    struct lane_effects *sides; // two; NULL: nothing else counts
    struct lane_region open;
    uint64_t same_since; // the open region; LANE_DIFF_GAP: none is open
};

// Compares a lane of each view; what is wanted, `self` and `region` are set. *failed, if it fails:
// the side that it is about.
enum status lane_diff_run(struct lane_diff *diff, const struct index_view *const views[2],
                          const uint64_t lanes[2], int *failed, struct error *err);

#endif
