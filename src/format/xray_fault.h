// What is wrong with an XRay log, where, and how much of it had to be left out.
#ifndef TRAWL_FORMAT_XRAY_FAULT_H
#define TRAWL_FORMAT_XRAY_FAULT_H

#include "base/base.h"
#include "base/limits.h"

enum xray_fault_kind {
    XRAY_FAULT_NO_BUFFER,   // bytes that begin no buffer
    XRAY_FAULT_EXTENTS,     // the extents reach into the buffer behind
    XRAY_FAULT_LOG_ENDS,    // the log ends before the buffer, or its last record, does
    XRAY_FAULT_CUT,         // the buffer ends inside a record
    XRAY_FAULT_PREAMBLE,    // the buffer ends before its preamble does
    XRAY_FAULT_ORDER,       // a record of a kind that must not stand here; value: its kind
    XRAY_FAULT_KIND,        // metadata of an unknown kind; value: its number
    XRAY_FAULT_ACTION,      // a function record of an unknown action; value: its number
    XRAY_FAULT_EVENT_SIZE,  // an event of a negative size; value: its lower 32 bits
    XRAY_FAULT_THREAD,      // a buffer inside another thread's; value: the thread
    XRAY_FAULT_NO_TIME,     // ticks since a time that the log does not tell
    XRAY_FAULT_THREADS,     // of a thread beyond LIMIT_XRAY_THREADS; value: the thread
    XRAY_FAULT_RECORD_TYPE, // basic log: a record of an unknown type; value: its number
    XRAY_FAULT_ARGUMENT,    // basic log: an argument that is not of the call before it
    XRAY_FAULT_KINDS,
};

struct xray_fault {
    enum xray_fault_kind kind;
    uint64_t value;      // see there
    uint64_t offset;     // of the first byte that is wrong
    uint64_t size_bytes; // left out
};

// The longest text of a fault, with its NUL.
#define XRAY_FAULT_TEXT_BYTES 96

// What it is in words, without the place.
void xray_fault_text(const struct xray_fault *fault, char text[XRAY_FAULT_TEXT_BYTES]);

// All zero is no damage. Fields are for reading.
struct xray_damage {
    uint64_t count, size_bytes;
    struct xray_fault
        first[LIMIT_DAMAGE_KEPT]; // min(count, LIMIT_DAMAGE_KEPT), lowest offset first
};

// Counts a fault, and keeps it if it is one of the first in the log: so the outcome does not depend
// on the order in which threads are read.
void xray_damage_add(struct xray_damage *damage, const struct xray_fault *fault);

// Adds what another reader of the same log found.
void xray_damage_merge(struct xray_damage *damage, const struct xray_damage *other);

#endif
