// diff: what was found. diff.c finds it, diff_write.c writes it.
#ifndef TRAWL_CMD_DIFF_H
#define TRAWL_CMD_DIFF_H

#include "cmd/query.h"
#include "diff/lane_diff.h"

// A lane of each trace; TRAWL_NONE: only the other trace has it.
struct diff_pair {
    uint64_t lanes[2];
    uint64_t counts[2];
    uint64_t same, changed, only[2], regions;
};

// A region with the details of both sides.
struct diff_region {
    struct lane_region found;
    size_t pair;
};

// The unit in which traces are compared.
struct diff_unit {
    const char *one, *many;
};

struct diff {
    struct command common;   // of A, with the options
    struct command other;    // of B, a copy that has its own trace
    struct command pristine; // copied for B
    uint64_t regions_max;
    bool wants_registers, wants_memory, times;
    bool are_builds;       // of one program (--other-image)
    struct hash_seed seed; // of their keys
    struct build_keys builds[2];
    struct key_map maps[2];
    uint64_t window, late;        // instructions by which writes may be late, and that were
    VEC(, const char *) ignored;  // names of registers
    unsigned effects;             // requested effects that both have
    struct effect_names left_out; // of registers
    VEC(, struct diff_pair) pairs;
    struct lane_rows rows[2];           // of all lanes, if there are many
    const struct lane_rows *rows_of[2]; // NULL: there are few
    VEC(, struct diff_region) regions;  // at most regions_max
    uint64_t region_count, same, changed, only[2];
    size_t first; // the region that comes first in A; count: there are no regions
    size_t pair;  // the current one
    const struct diff_unit *unit;
    int failed; // the side whose index turned out to be damaged while writing
};

static inline struct command *diff_side(struct diff *diff, int side)
{
    return side ? &diff->other : &diff->common;
}

// The names of what is compared, with NULL after the last.
#define DIFF_COMPARED 4
void diff_compared(const struct diff *diff, const char *names[DIFF_COMPARED + 1]);

bool diff_is_equal(const struct diff *diff);

// Writes the outcome, in the format of the command.
enum status diff_write(struct diff *diff, struct error *err);

#endif
