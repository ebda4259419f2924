// Damage of an XRay log: what is wrong, where, and how much had to be skipped.
#ifndef TRAWL_TRACE_XRAY_FAULT_H
#define TRAWL_TRACE_XRAY_FAULT_H

#include "trace/damage.h"

enum xray_fault_kind {
    XRAY_FAULT_NO_BUFFER,   // bytes that begin no buffer
    XRAY_FAULT_EXTENTS,     // the extents reach into the buffer after
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

// What it is in words, without the place.
void xray_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// What is said of calls that were ended by the exit of one further out.
void xray_unwound_text(uint64_t count, char *text, size_t size);

#endif
