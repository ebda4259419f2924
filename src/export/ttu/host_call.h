// The memory that a semihosting call may have written, according to its operation and its block of
// parameters at the end of the previous event.
#ifndef TRAWL_EXPORT_TTU_HOST_CALL_H
#define TRAWL_EXPORT_TTU_HOST_CALL_H

#include "export/ttu/items.h"
#include "export/ttu/learned.h"

#define TTU_CALL_BYTES 24 // of the block that are read

// A byte of the block: known, or in a cell that may learn it before the call.
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

// Call it before any effect of the call's event.
void ttu_host_call_begin(struct ttu_host_call *call, const struct ttu_items *items, bool aarch64,
                         bool big_endian);

// Call it at the call. False: it wrote nothing, or what it wrote is unknown.
bool ttu_host_call_region(const struct ttu_host_call *call, const struct ttu_learned *learned,
                          uint64_t *start, uint64_t *length);

// The value of `size_bytes` (at most 8) at `offset` of the register space. False: some are unknown.
bool ttu_register_value(const struct ttu_items *items, uint64_t offset, unsigned size_bytes,
                        uint64_t *value);

#endif
