// Writes text from outside in lines for humans and in CSV.
#ifndef TRAWL_REPORT_CLEAN_H
#define TRAWL_REPORT_CLEAN_H

#include "base/utf8.h"
#include "report/out.h"

// Writes `text` made inert. Returns the number of bytes that take no column of their own.
size_t out_clean(struct out *out, const char *text);
size_t out_clean_bytes(struct out *out, const char *text, size_t length);

// Makes the name of a frame of a collapsed stack inert, and its semicolons colons, as
// stackcollapse-perf.pl does: a semicolon ends a frame, and names in Rust contain some ("[T; N]").
void clean_frame_name(char *name, size_t length);

#endif
