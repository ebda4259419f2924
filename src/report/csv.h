// Comma-separated values, quoted as in RFC 4180, with bare newlines as line ends.
#ifndef TRAWL_REPORT_CSV_H
#define TRAWL_REPORT_CSV_H

#include "report/out.h"

// One field, made inert (base/utf8.h) and quoted if necessary; NULL is an empty one. The caller
// writes commas and line ends.
void csv_field(struct out *out, const char *text);

// The same for lines: their newlines are kept, as a field may contain them.
void csv_lines(struct out *out, const char *lines);

// What is between the quotes of a field.
void csv_quoted(struct out *out, const char *text);

#endif
