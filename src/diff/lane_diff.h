// The differences between a lane of one trace and a lane of another: regions whose instructions are
// in only one of them, or are equal but had different effects.
#ifndef TRAWL_DIFF_LANE_DIFF_H
#define TRAWL_DIFF_LANE_DIFF_H

#include "diff/alignment.h"
#include "diff/event_effects.h"
#include "diff/lane_keys.h"

// Regions with fewer equal instructions between them are joined.
#define LANE_DIFF_GAP 8

struct lane_region {
    uint64_t starts[2]; // numbers of instructions in the lanes, from 0
    uint64_t events[2]; // the events of these; TRAWL_NONE: the lane has ended
    uint64_t counts[2]; // lengths in instructions
    uint64_t only[2];   // of these, the instructions that the other lane does not have
    uint64_t changed;   // instructions of both with different effects
    bool is_rough;      // not compared in detail: parts may be equal
};

#define LANE_DIFF_BLOCK 1024

// The effects of a block of instructions on one side, if they are compared.
struct lane_effects {
    struct event_effects effects;
    uint64_t events[LANE_DIFF_BLOCK], times[LANE_DIFF_BLOCK], hashes[LANE_DIFF_BLOCK];
};

struct lane_diff {
    // What is compared besides the instructions.
    unsigned effects; // enum event_effect
    bool times;       // the time since the previous instruction, if that is equal, too
    // The rows of all lanes of a side; NULL: its lane is read from the index.
    const struct lane_rows *rows[2];

    // The receiver of regions, which come in order.
    void *self;
    enum status (*region)(void *self, const struct lane_region *region, struct error *err);

    // What was found.
    uint64_t counts[2]; // instructions
    struct effect_names left_out;
    uint64_t same, changed, only[2], regions;

    // Private.
    struct lane_keys lanes[2];
    struct lane_effects *sides; // two; NULL: only instructions are compared
    struct lane_region open;
    uint64_t same_since; // the open region; LANE_DIFF_GAP: none is open
};

// Compares a lane of each view. The caller has set what to compare, `self` and `region`. On
// failure, *failed is the side that caused it.
enum status lane_diff_run(struct lane_diff *diff, const struct index_view *const views[2],
                          const uint64_t lanes[2], int *failed, struct error *err);

#endif
