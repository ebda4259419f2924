// A register or memory in a request (`of`), and what wrote it.
#ifndef TRAWL_SERVE_PLACE_H
#define TRAWL_SERVE_PLACE_H

#include "serve/answer.h"

struct place {
    bool is_register;
    uint64_t lane, start, size_bytes;
    bool is_big_endian; // its first byte is the most significant one
};

// Reads the parameter `of`: a register, ADDR or ADDR:SIZE, with registers in ADDR as after the
// event.
enum status place_find(struct asking *asking, uint64_t event, struct place *place,
                       struct error *err);

// Reads its bytes after an event, at most LIMIT_SERVE_REGISTER_BYTES. Returns how many.
size_t place_read(struct desk *desk, const struct place *place, uint64_t event, uint8_t *values,
                  uint8_t *known);

// Finds events that wrote it, the nearest first.
enum status place_writes(struct desk *desk, const struct place *place, uint64_t event,
                         enum trawl_direction way, uint64_t *events, size_t capacity, size_t *count,
                         struct error *err);

// Writes its value after an event: a register as the digits of a number, memory byte by byte.
void place_put(struct asking *asking, const struct place *place, uint64_t event);

#endif
