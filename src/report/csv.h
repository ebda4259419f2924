// Comma-separated values, quoted as in RFC 4180, with bare newlines as line ends.
#ifndef TRAWL_REPORT_CSV_H
#define TRAWL_REPORT_CSV_H

#include "report/out.h"

// Writes one field, made inert (base/utf8.h) and quoted if necessary; NULL: an empty one. The
// caller writes commas and line ends.
void csv_field(struct out *out, const char *text);

// The same for several lines: newlines are kept, because a field may contain them.
void csv_lines(struct out *out, const char *lines);

// Writes the part of a field between its quotes.
void csv_quoted(struct out *out, const char *text);

#endif
