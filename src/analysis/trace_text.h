// What the trace itself says of an event, where it is at hand: an index has no text.
#ifndef TRAWL_ANALYSIS_TRACE_TEXT_H
#define TRAWL_ANALYSIS_TRACE_TEXT_H

#include "analysis/index_view.h"
#include "base/limits.h"
#include "trace/trace.h"

// The disassembly in the line of the event's instruction, in `text`. False when there is none to be
// had: the event has no instruction, its line no text, or `trace` (NULL: it cannot be opened) is
// not that of the index any more. Bytes that would disturb a terminal become dots.
bool trace_text_instruction(const struct index_view *view, const struct trace *trace,
                            const struct trawl_event *about, char text[LIMIT_TRACE_TEXT_BYTES]);

// An event with an exception, in a trace of `trace_bytes`.
struct exception_place {
    uint64_t position, trace_bytes;
    struct reading_options how;
    const char *lane; // NULL or "": the trace names none
};

// What the trace calls an exception: "CoreEvent_IRQ". False as above.
bool trace_text_exception(const struct trace *trace, const struct exception_place *place,
                          char text[LIMIT_TRACE_TEXT_BYTES]);

// The same of an event of an index.
bool trace_text_exception_at(const struct index_view *view, const struct trace *trace,
                             const struct trawl_event *about, char text[LIMIT_TRACE_TEXT_BYTES]);

#endif
