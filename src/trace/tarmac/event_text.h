// Information about an event that is only in the text of the trace, not in an index.
#ifndef TRAWL_TRACE_TARMAC_EVENT_TEXT_H
#define TRAWL_TRACE_TARMAC_EVENT_TEXT_H

#include "flow/line_fault.h"
#include "flow/reading.h"

// The disassembly of the instruction at an address (without Thumb bit), in text that begins with
// its event. False: it is not there.
bool tarmac_instruction_text(const char *text, size_t size_bytes, const struct reading_options *how,
                             uint64_t address, struct text_span *found);

// What the first exception of a lane ("" or NULL: of any) is called: "CoreEvent_IRQ", "Reset". Of
// several lines of one time the last counts, as models tell of a change of mode first. False: it is
// not there, or its lines do not say.
bool tarmac_exception_text(const char *text, size_t size_bytes, const struct reading_options *how,
                           const char *lane, struct text_span *found);

#endif
