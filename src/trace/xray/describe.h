// What there is to say of an XRay log.
#ifndef TRAWL_TRACE_XRAY_DESCRIBE_H
#define TRAWL_TRACE_XRAY_DESCRIBE_H

#include "trace/description.h"

extern const struct trace_description xray_description;

#endif
