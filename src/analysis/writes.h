// Who wrote a register or memory, one write after the other, and what of it.
#ifndef TRAWL_ANALYSIS_WRITES_H
#define TRAWL_ANALYSIS_WRITES_H

#include "analysis/session.h"

enum write_kind { WRITE_REGISTER, WRITE_STORE, WRITE_STORE_UNKNOWN, WRITE_HOST };

// What is asked for: bytes of the register space, or of memory.
struct write_target {
    bool is_register;
    uint64_t lane; // whose registers, or who wrote memory; TRAWL_ANY_LANE
    uint64_t start, size_bytes;
};

struct write_found {
    uint64_t event;
    uint64_t lane; // of the registers; of memory the event tells it
    enum write_kind kind;
};

// The last write up to and including `event`, or the first behind it, of one lane's registers or of
// memory. STATUS_NOT_FOUND: there is none.
enum status writes_previous(const struct session *session, const struct write_target *target,
                            uint64_t event, struct write_found *found, struct error *err);
enum status writes_next(const struct session *session, const struct write_target *target,
                        uint64_t event, struct write_found *found, struct error *err);

// The bytes from the first to the last that the event wrote of memory [*start, *start + *size).
enum status writes_extent(const struct session *session, uint64_t event, uint64_t *start,
                          uint64_t *size_bytes, struct error *err);

#endif
