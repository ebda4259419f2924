// Opening an XRay log, in any of the forms that there are.
#ifndef TRAWL_TRACE_XRAY_LOG_OPEN_H
#define TRAWL_TRACE_XRAY_LOG_OPEN_H

#include "trace/xray/log.h"

// Whether a file that begins so is an XRay log, of a known version or not, or one as YAML
// (yaml.h).
bool xray_log_is(const void *data, uint64_t size_bytes);

// Opens the log in `data`, which must stay as long as it. Damage does not stop it, and is recorded
// in log->damage. STATUS_INPUT: the header is cut or of a version that is unknown, or YAML says
// something else than a log; STATUS_LIMIT: YAML in a build without it. In any case freed by
// xray_log_close.
enum status xray_log_open(struct xray_log *log, const void *data, uint64_t size_bytes,
                          struct error *err);

#endif
