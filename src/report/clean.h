// Writes text from outside in lines for humans and in CSV.
#ifndef TRAWL_REPORT_CLEAN_H
#define TRAWL_REPORT_CLEAN_H

#include "base/utf8.h"
#include "report/out.h"

// Writes `text` made inert. Returns the number of bytes that take no column of their own.
size_t out_clean(struct out *out, const char *text);
size_t out_clean_bytes(struct out *out, const char *text, size_t length);

#endif
