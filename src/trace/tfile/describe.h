// What there is to say of a trace file.
#ifndef TRAWL_TRACE_TFILE_DESCRIBE_H
#define TRAWL_TRACE_TFILE_DESCRIBE_H

#include "trace/description.h"

extern const struct trace_description tfile_description;

#endif
