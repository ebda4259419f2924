// Counts the address spaces of a trace from its segments (idx/places.h says what a space is), for
// reports that make no index.
#ifndef TRAWL_SESSION_SPACE_COUNT_H
#define TRAWL_SESSION_SPACE_COUNT_H

#include "flow/segment.h"
#include "idx/spaces.h"

#include <stdatomic.h>

// The cells of registers that tell address spaces apart; 0: not found yet. Found while segments are
// built by other threads, but before those in which they occur.
struct space_cells {
    _Atomic uint16_t cells[SPACE_REGISTER_ROOM];
};

void space_cells_take(struct space_cells *cells, uint32_t number, const char *name);
void space_cells_list(const struct space_cells *cells, uint16_t list[SPACE_REGISTER_ROOM]);
void space_cells_forget(struct space_cells *cells);

struct lane_registers {
    bool is_known[SPACE_REGISTER_ROOM];
    uint64_t values[SPACE_REGISTER_ROOM];
};

struct counted_space {
    struct index_space space;
    uint64_t accesses;
};

// All zero: nothing yet.
struct space_count {
    struct space_cells cells;
    VEC(, struct lane_registers) lanes;
    VEC(, struct counted_space) spaces; // in the order of their first accesses
    bool has_places;                    // other than addresses
};

// Takes the next segment, in order. False: no memory.
bool space_count_take(struct space_count *count, const struct segment *segment, bool has_places);
void space_count_free(struct space_count *count);

#endif
