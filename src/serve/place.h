// A register or memory as questions name it (`of`), and what wrote it.
#ifndef TRAWL_SERVE_PLACE_H
#define TRAWL_SERVE_PLACE_H

#include "serve/answer.h"

struct place {
    bool is_register;
    uint64_t lane, start, size_bytes;
    bool is_big_endian; // its first byte is the one that people write first
};

// Of the parameter `of`: a register, ADDR or ADDR:SIZE, where registers in ADDR are those after the
// event.
enum status place_find(struct asking *asking, uint64_t event, struct place *place,
                       struct error *err);

// Its bytes after an event, of which there are up to LIMIT_SERVE_REGISTER_BYTES. Returns how many.
size_t place_read(struct desk *desk, const struct place *place, uint64_t event, uint8_t *values,
                  uint8_t *known);

// Events that wrote it, the nearest first.
enum status place_writes(struct desk *desk, const struct place *place, uint64_t event,
                         enum trawl_direction way, uint64_t *events, size_t capacity, size_t *count,
                         struct error *err);

// What it holds after an event: digits of a register as a number, of memory byte by byte.
void place_put(struct asking *asking, const struct place *place, uint64_t event);

#endif
