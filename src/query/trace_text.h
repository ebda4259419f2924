// The text of an event in the trace, if the trace is available: an index has no text.
#ifndef TRAWL_QUERY_TRACE_TEXT_H
#define TRAWL_QUERY_TRACE_TEXT_H

#include "base/limits.h"
#include "flow/line_fault.h"
#include "trace/index_view.h"
#include "trace/trace.h"

enum trace_text {
    TRACE_TEXT_FOUND,
    TRACE_TEXT_NONE, // the event has no such text, or there is only an index
    TRACE_TEXT_LOST, // the trace cannot be read any more, or has changed
};

// How lines are read, as the index was made. `trace` may be NULL.
struct reading_options trace_text_reading(const struct index_view *view, const struct trace *trace);

// The disassembly in the line of the event's instruction, in `text`; none if `trace` is NULL,
// because it could not be opened. Bytes that would disturb a terminal become dots.
enum trace_text trace_text_instruction(const struct index_view *view, const struct trace *trace,
                                       const struct trawl_event *about,
                                       char text[LIMIT_TRACE_TEXT_BYTES]);

// An event with an exception, in a trace of `trace_bytes`.
struct exception_place {
    uint64_t position, trace_bytes;
    struct reading_options how;
    const char *lane; // NULL or "": the trace names none
};

// Copies text of a trace, with a NUL after it; bytes that would disturb a terminal become dots.
void trace_text_copy(char text[LIMIT_TRACE_TEXT_BYTES], struct text_span span);

// What the trace calls an exception: "CoreEvent_IRQ".
enum trace_text trace_text_exception(const struct trace *trace, const struct exception_place *place,
                                     char text[LIMIT_TRACE_TEXT_BYTES]);

// The same for an event of an index.
enum trace_text trace_text_exception_at(const struct index_view *view, const struct trace *trace,
                                        const struct trawl_event *about,
                                        char text[LIMIT_TRACE_TEXT_BYTES]);

#endif
