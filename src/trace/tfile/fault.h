// Damage of a trace file: what is wrong, where, and how much had to be skipped.
#ifndef TRAWL_TRACE_TFILE_FAULT_H
#define TRAWL_TRACE_TFILE_FAULT_H

#include "trace/damage.h"

enum tfile_fault_kind {
    TFILE_FAULT_HEADER_ENDS,    // the file ends inside the header
    TFILE_FAULT_LINE,           // a line of the header that cannot be read
    TFILE_FAULT_REGISTER_BYTES, // the size of a block of registers is missing
    TFILE_FAULT_DESCRIPTION,    // of the target is damaged; the default of the machine is used
    TFILE_FAULT_NUMBER,         // a frame of a tracepoint that does not exist; value: its number
    TFILE_FAULT_SIZE,           // a frame that does not end in the file; value: its size
    TFILE_FAULT_EARLY_END,      // an end mark followed by frames
    TFILE_FAULT_CUT,            // the file ends inside a frame
    TFILE_FAULT_NO_END,         // no end mark
    TFILE_FAULT_GIVEN_UP,       // the search for frames after a break was given up
    TFILE_FAULT_EMPTY,          // a frame of zeros
    TFILE_FAULT_BLOCK,          // a block of an unknown kind; value: the kind
    TFILE_FAULT_BLOCK_CUT,      // a block that does not end in its frame
};

// The text of the fault, without its place.
void tfile_fault_text(const struct trace_fault *fault, char text[TRACE_FAULT_TEXT_BYTES]);

#endif
