// Damage of a binary trace: what is wrong, where, and how much had to be skipped. Each format
// defines its kinds of damage and their texts (trace/xray/fault.h, trace/tfile/fault.h).
#ifndef TRAWL_TRACE_DAMAGE_H
#define TRAWL_TRACE_DAMAGE_H

#include "base/base.h"
#include "base/limits.h"

struct trace_fault {
    unsigned kind;       // enum xray_fault_kind or tfile_fault_kind
    uint64_t value;      // see there
    uint64_t offset;     // of the first byte that is wrong
    uint64_t size_bytes; // left out
};

// The longest text of a fault, with its NUL.
#define TRACE_FAULT_TEXT_BYTES 96

// All zero is no damage. Fields are for reading.
struct trace_damage {
    uint64_t count, size_bytes;
    struct trace_fault first[LIMIT_DAMAGE_KEPT]; // min(count, LIMIT_DAMAGE_KEPT), by offset
};

// Counts a fault, and keeps it if it is one of the first in the trace: so the outcome does not
// depend on the order in which parts of it are read.
void trace_damage_add(struct trace_damage *damage, const struct trace_fault *fault);

// Adds what another reader of the same trace found.
void trace_damage_merge(struct trace_damage *damage, const struct trace_damage *other);

#endif
