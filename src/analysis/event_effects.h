// The effects of events, as a hash for each: two instructions that wrote the same to the same
// registers and memory have the same hash. Registers are identified by names, because those that a
// trace names have different places in another index. The seed of the hashes is shared by both runs
// and cannot be known beforehand: no trace can be made so that its effects look like those of
// another.
#ifndef TRAWL_ANALYSIS_EVENT_EFFECTS_H
#define TRAWL_ANALYSIS_EVENT_EFFECTS_H

#include "analysis/index_view.h"
#include "base/hash_seed.h"

enum event_effect {
    EFFECT_REGISTERS = 1 << 0,
    EFFECT_MEMORY = 1 << 1, // stores
};

#define EFFECT_SEGMENTS 2

struct effect_segment {
    uint64_t number;  // + 1; 0: free
    uint64_t *hashes; // of its events
};

struct event_effects {
    const struct index_view *view;
    uint64_t lane;
    unsigned which; // enum event_effect
    struct hash_seed seed;
    uint64_t event_count; // that a segment has at most
    uint64_t *cells;      // what each cell of registers is called, as a number; 0: does not count
    const char **names;   // a register in each; NULL: none is known
    struct effect_segment segments[EFFECT_SEGMENTS]; // read last
    bool has_failed;
};

enum status event_effects_open(struct event_effects *effects, const struct index_view *view,
                               uint64_t lane, unsigned which, const struct hash_seed *seed,
                               struct error *err);
void event_effects_close(struct event_effects *effects);

// Some of the registers that a comparison leaves out, as only one of two traces ever writes them.
#define EFFECT_NAMES 16

struct effect_names {
    const char *names[EFFECT_NAMES]; // as long as the index
    size_t count;                    // may be more
};

// Leaves those registers out of both that not both write.
enum status event_effects_share(struct event_effects *const effects[2],
                                struct effect_names *left_out, struct error *err);

// The hashes of events of the lane, which rise.
enum status event_effects_read(struct event_effects *effects, const uint64_t *events, size_t count,
                               uint64_t *hashes, struct error *err);

// Whether an index has any write of the kind.
enum status event_effects_has_any(const struct index_view *view, enum event_effect which, bool *has,
                                  struct error *err);

#endif
