// The language of Tarmac traces.
#ifndef TRAWL_TRACE_TARMAC_LANGUAGE_H
#define TRAWL_TRACE_TARMAC_LANGUAGE_H

#include "trace/lines/language.h"

extern const struct line_language tarmac_language;

#endif
