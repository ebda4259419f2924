// Vectors where an encoding does not say how long they are: what the text of an event shows of
// those of its instruction, by which effects are decoded (effects.h).
#ifndef TRAWL_FLOW_EFFECT_VECTORS_H
#define TRAWL_FLOW_EFFECT_VECTORS_H

#include "base/base.h"

struct effect_vectors {
    uint32_t written;      // registers: bit n, of number n
    uint32_t elements;     // how many are computed, with element_bytes
    uint32_t accessed;     // bytes of memory
    uint16_t bytes;        // of a register; 0: unknown
    uint8_t element_bytes; // 0: unknown
    uint8_t group;         // registers of a group; 0: unknown
    bool is_adjacent;      // what is accessed has no gaps
};

#endif
