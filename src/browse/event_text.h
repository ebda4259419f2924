// The row of an event of a trace that is no text (browse/rows.h): the entry or exit of a function
// with its time and how long the call took, indented by how deep it lies; or a snapshot.
#ifndef TRAWL_BROWSE_EVENT_TEXT_H
#define TRAWL_BROWSE_EVENT_TEXT_H

#include "browse/source.h"

// The text of an event as source->text keeps it until another is asked for, and its parts.
const struct event_text *browse_event_text(struct browse_source *source, uint64_t event);

// What is in a row: line `line`, from 0, of an event, or where it is no text, that.
struct text_span browse_row_text(struct browse_source *source, uint64_t event, uint64_t line);

// A time as it is shown in such rows: seconds since the trace began, or ticks. False: the trace has
// no times.
bool browse_time_text(const struct browse_source *source, uint64_t time, char *text, size_t size);

#endif
