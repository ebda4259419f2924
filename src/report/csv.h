// Comma-separated values as RFC 4180 quotes them, with bare newlines as line ends.
#ifndef TRAWL_REPORT_CSV_H
#define TRAWL_REPORT_CSV_H

#include "report/out.h"

// One field, made inert (base/utf8.h) and in quotes where it needs them; NULL is an empty one.
// Commas and line ends are the caller's.
void csv_field(struct out *out, const char *text);

// The same of lines, whose newlines stay: a field may hold them.
void csv_lines(struct out *out, const char *lines);

// What is between the quotes of a field.
void csv_quoted(struct out *out, const char *text);

#endif
