// Damage of a binary trace: what is wrong, where, and how many bytes had to be skipped. Each format
// defines its kinds of damage and their texts (trace/xray/log.h, trace/tfile/file.h).
#ifndef TRAWL_TRACE_DAMAGE_H
#define TRAWL_TRACE_DAMAGE_H

#include "base/base.h"
#include "base/limits.h"

struct trace_fault {
    unsigned kind;       // enum xray_fault_kind or tfile_fault_kind
    uint64_t value;      // its meaning depends on `kind`
    uint64_t offset;     // of the first wrong byte
    uint64_t size_bytes; // skipped
};

// The longest text of a fault, including its NUL.
#define TRACE_FAULT_TEXT_BYTES 96

// All zero: no damage. Fields are read-only for users.
struct trace_damage {
    uint64_t count, size_bytes;
    struct trace_fault first[LIMIT_DAMAGE_KEPT]; // min(count, LIMIT_DAMAGE_KEPT), by offset
};

// Counts a fault, and keeps it if it is one of the first of the trace by offset. The result does
// not depend on the order in which parts of the trace are read.
void trace_damage_add(struct trace_damage *damage, const struct trace_fault *fault);

// Adds the damage that another reader of the same trace found.
void trace_damage_merge(struct trace_damage *damage, const struct trace_damage *other);

#endif
