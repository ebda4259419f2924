// Bytes of a register or of memory, as users name them and see them.
#ifndef TRAWL_DATAFLOW_PLACE_H
#define TRAWL_DATAFLOW_PLACE_H

#include "dataflow/dataflow.h"
#include "query/position.h"
#include "report/value.h"

struct data_target {
    uint64_t lane;
    size_t count;
    struct dataflow_bytes cells[LIMIT_DATA_TARGET_BYTES / 8 + 1];
};

// The bytes of a register of a lane, or of memory at what an address is at an event, which a user
// typed as `what`.
enum status data_target_of(struct data_target *target, const struct dataflow *flow,
                           const char *what, const struct location *location, uint64_t lane,
                           uint64_t event, uint64_t address, struct error *err);

// A register, part of one, flags, or memory.
struct data_place {
    uint8_t space; // enum dataflow_space
    uint64_t lane, offset, size_bytes;
    uint64_t to_place; // of memory, whose offset is an address
};

#define DATA_PLACE_BYTES 96

// "x0", "x0[4..7]", "0x8000:8", "flags".
void data_place_text(const struct index_view *view, const struct data_place *place, uint32_t isa,
                     char text[DATA_PLACE_BYTES]);

// Its value after an event. False: it has none to show.
enum status data_place_value(const struct index_view *view, const struct data_place *place,
                             uint64_t event, char text[VALUE_TEXT_MAX], bool *has_value,
                             struct error *err);

#endif
