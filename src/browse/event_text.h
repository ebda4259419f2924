// The row of an event in a trace that is not text (ROWS_CALLS, ROWS_SNAPSHOTS): the entry or exit
// of a function with its time and the duration of the call, indented by depth; or a snapshot.
#ifndef TRAWL_BROWSE_EVENT_TEXT_H
#define TRAWL_BROWSE_EVENT_TEXT_H

#include "browse/source.h"

// The text of an event and its parts, in source->text until the next call.
const struct event_text *browse_event_text(struct browse_source *source, uint64_t event);

// The text of a row: line `line`, from 0, of an event; if the trace is not text, the text above.
struct text_span browse_row_text(struct browse_source *source, uint64_t event, uint64_t line);

// A time as it is shown in such rows: seconds since the trace began, or ticks. False: the trace has
// no times.
bool browse_time_text(const struct browse_source *source, uint64_t time, char *text, size_t size);

// Durations as text for people.
enum { DURATION_BYTES = 40 };

// "312 ns", "1.204 us", "3.5 s"; where it is unknown how long a tick lasts (`hz` is 0), that many
// of `unit`.
void duration_text(uint64_t ticks, uint64_t hz, const char *unit, char text[DURATION_BYTES]);

#endif
