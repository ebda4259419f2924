// A line of a trace as it is shown: where images name the target of a direct branch, with that name
// in place of the operand. What is shown is also what is searched.
#ifndef TRAWL_BROWSE_SHOWN_LINE_H
#define TRAWL_BROWSE_SHOWN_LINE_H

#include "browse/source.h"

// A line that would be longer is shown as it is written.
#define SHOWN_LINE_BYTES ((size_t)4096)

// Writes the line into `room` with the name, and moves *line and the parts of its look there.
// False: it is shown as it is written, and nothing is changed.
bool shown_line_name(struct browse_source *source, struct line_look *look, struct text_span *line,
                     char room[SHOWN_LINE_BYTES]);

// --- For searches --------------------------------------------------------------------------------

// Several threads search while others show, but names serve one thread at a time. So there is a
// session for the names of searches alone, which takes the memory of one more reader of the images.

struct shown_lines;

// Whether any line is shown otherwise than it is written.
bool shown_lines_differ(const struct browse_source *source);

// Of a trace that has a view of its index.
enum status shown_lines_open(struct shown_lines **out, const struct session *session,
                             struct error *err);
void shown_lines_close(struct shown_lines *shown); // also NULL

// The line as it is shown, in `room`. False: as it is written. Called by several threads at once.
bool shown_lines_name(struct shown_lines *shown, struct text_span *line,
                      char room[SHOWN_LINE_BYTES]);

#endif
