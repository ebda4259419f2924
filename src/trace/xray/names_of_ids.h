// The names of the functions of logs, from images or instrumentation maps in YAML.
#ifndef TRAWL_TRACE_XRAY_NAMES_OF_IDS_H
#define TRAWL_TRACE_XRAY_NAMES_OF_IDS_H

#include "flow/function_id.h"
#include "trace/xray/log.h"

// Numbers the objects that add() of xray_function_ids read into `self`, using the ids of the log.
enum status xray_number_objects(void *self, const struct xray_log *log, struct error *err);

extern const struct function_ids xray_function_ids;

#endif
