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

#endif
