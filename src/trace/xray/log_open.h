// Opens an XRay log of any form.
#ifndef TRAWL_TRACE_XRAY_LOG_OPEN_H
#define TRAWL_TRACE_XRAY_LOG_OPEN_H

#include "trace/xray/log.h"

// Whether a file with this beginning is an XRay log, of a known version or not, or one as YAML
// (yaml.h).
bool xray_log_is(const void *data, uint64_t size_bytes);

// Opens the log in `data`, which must exist as long as `log`. Damage does not make it fail, but is
// recorded in log->damage. STATUS_INPUT: the header is truncated or of an unknown version, or the
// YAML is not a log; STATUS_LIMIT: YAML in a build without it. Close with xray_log_close in any
// case.
enum status xray_log_open(struct xray_log *log, const void *data, uint64_t size_bytes,
                          struct error *err);

#endif
