// What the functions of logs are called, by images or instrumentation maps in YAML.
#ifndef TRAWL_TRACE_XRAY_NAMES_OF_IDS_H
#define TRAWL_TRACE_XRAY_NAMES_OF_IDS_H

#include "flow/function_id.h"

extern const struct function_ids xray_function_ids;

#endif
