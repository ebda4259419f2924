// Information about an event that is only in the text of the trace, not in an index.
#ifndef TRAWL_TRACE_TARMAC_EVENT_TEXT_H
#define TRAWL_TRACE_TARMAC_EVENT_TEXT_H

#include "flow/line_fault.h"
#include "flow/reading.h"
#include "trace/trace.h"

// Finds the disassembly of the instruction at an address (without Thumb bit), in text that begins
// with its event. False: not found.
bool tarmac_instruction_text(const char *text, size_t size_bytes, const struct reading_options *how,
                             uint64_t address, struct text_span *found);

// Finds the name of the first exception of a lane ("" or NULL: of any lane): "CoreEvent_IRQ",
// "Reset". Of several lines with the same time the last counts, because models first write the
// change of mode. False: not found, or its lines have no name.
bool tarmac_exception_text(const char *text, size_t size_bytes, const struct reading_options *how,
                           const char *lane, struct text_span *found);

// Reads an instruction and the accesses of its event (struct trace_dataflow).
void tarmac_step_text(const char *text, size_t size_bytes, const struct reading_options *how,
                      bool with_accesses, struct trace_step *step);

#endif
