// Damage of an XRay log: what is wrong, where, and how much had to be skipped.
#ifndef TRAWL_TRACE_XRAY_FAULT_H
#define TRAWL_TRACE_XRAY_FAULT_H

#include "trace/damage.h"

enum xray_fault_kind {
    XRAY_FAULT_NO_BUFFER,   // bytes that do not begin a buffer
    XRAY_FAULT_EXTENTS,     // the extents reach into the next buffer
    XRAY_FAULT_LOG_ENDS,    // the log ends before the end of the buffer or of its last record
    XRAY_FAULT_CUT,         // the buffer ends inside a record
    XRAY_FAULT_PREAMBLE,    // the buffer ends inside its preamble
    XRAY_FAULT_ORDER,       // a record of a kind that is not allowed here; value: its kind
    XRAY_FAULT_KIND,        // metadata of an unknown kind; value: its number
    XRAY_FAULT_ACTION,      // a function record of an unknown action; value: its number
    XRAY_FAULT_EVENT_SIZE,  // an event with a negative size; value: its lower 32 bits
    XRAY_FAULT_THREAD,      // a buffer of another thread inside a buffer; value: that thread
    XRAY_FAULT_NO_TIME,     // ticks relative to an unknown time
    XRAY_FAULT_THREADS,     // a thread beyond LIMIT_XRAY_THREADS; value: the thread
    XRAY_FAULT_RECORD_TYPE, // basic log: a record of an unknown type; value: its number
    XRAY_FAULT_ARGUMENT,    // basic log: an argument that does not belong to the call before it
    XRAY_FAULT_KINDS,
};

// The text of the fault, without its place.
void xray_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

// The message about calls that were ended by the exit of an outer call.
void xray_unwound_text(uint64_t count, char *text, size_t size);

#endif
