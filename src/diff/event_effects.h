// The effects of events, as a hash for each: two instructions that wrote the same to the same
// registers and memory have the same hash. Registers are identified by names, because registers
// named by a trace have different places in another index. Both runs share a seed that cannot be
// known beforehand, so no trace can be made to have the hashes of other effects.
#ifndef TRAWL_DIFF_EVENT_EFFECTS_H
#define TRAWL_DIFF_EVENT_EFFECTS_H

#include "base/hash_seed.h"
#include "trace/index_view.h"

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
    uint64_t event_count; // the most in a segment
    uint64_t *cells;      // the number for the name of each cell of registers; 0: does not count
    const char **names;   // a register in each cell; NULL: unknown
    struct effect_segment segments[EFFECT_SEGMENTS]; // read last
    bool has_failed;
};

enum status event_effects_open(struct event_effects *effects, const struct index_view *view,
                               uint64_t lane, unsigned which, const struct hash_seed *seed,
                               struct error *err);
void event_effects_close(struct event_effects *effects);

// Some of the registers that are not compared, because only one of the two traces writes them.
#define EFFECT_NAMES 16

struct effect_names {
    const char *names[EFFECT_NAMES]; // valid as long as the index
    size_t count;                    // may be more than EFFECT_NAMES
};

// Leaves out of both the registers that only one of them writes.
enum status event_effects_share(struct event_effects *const effects[2],
                                struct effect_names *left_out, struct error *err);

// The hashes of events of the lane, which are in ascending order.
enum status event_effects_read(struct event_effects *effects, const uint64_t *events, size_t count,
                               uint64_t *hashes, struct error *err);

// Whether an index has any writes of this kind.
enum status event_effects_has_any(const struct index_view *view, enum event_effect which, bool *has,
                                  struct error *err);

#endif
