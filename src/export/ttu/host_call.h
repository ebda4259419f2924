// What a semihosting call may have written, by its operation and its block of parameters, as these
// were at the end of the event before.
#ifndef TRAWL_EXPORT_TTU_HOST_CALL_H
#define TRAWL_EXPORT_TTU_HOST_CALL_H

#include "export/ttu/items.h"
#include "export/ttu/learned.h"

#define TTU_CALL_BYTES 24 // of the block that are looked at

// A byte of the block: known, or of a cell that may learn it before the call.
struct ttu_call_byte {
    bool is_known, has_cell;
    uint8_t value;
    uint32_t cell;
};

struct ttu_host_call {
    bool has_operation; // both registers are known
    unsigned word_bytes;
    bool big_endian;
    uint64_t operation, block;
    struct ttu_call_byte bytes[TTU_CALL_BYTES];
};

// Before anything that the event of the call does.
void ttu_host_call_begin(struct ttu_host_call *call, const struct ttu_items *items, bool aarch64,
                         bool big_endian);

// At the call. False: it wrote nothing that can be told.
bool ttu_host_call_region(const struct ttu_host_call *call, const struct ttu_learned *learned,
                          uint64_t *start, uint64_t *length);

// `size_bytes` (at most 8) from `offset` of the register space on. False: one is not known.
bool ttu_register_value(const struct ttu_items *items, uint64_t offset, unsigned size_bytes,
                        uint64_t *value);

#endif
