// Opens an XRay log of any form.
#ifndef TRAWL_TRACE_XRAY_LOG_OPEN_H
#define TRAWL_TRACE_XRAY_LOG_OPEN_H

#include "trace/xray/log.h"

// Whether a file with this beginning is an XRay log, of a known version or not, or one as YAML
// (yaml.c).
bool xray_log_is(const void *data, uint64_t size_bytes);

// Opens the log in `data`, which must exist as long as `log`. Damage does not make it fail, but is
// recorded in log->damage. STATUS_INPUT: the header is truncated or of an unknown version, or the
// YAML is not a log; STATUS_LIMIT: YAML in a build without it. Close with xray_log_close in any
// case.
enum status xray_log_open(struct xray_log *log, const void *data, uint64_t size_bytes,
                          struct error *err);

// Marks the records that are also in `earlier`, and counts the buffers that have such records. When
// a process forks, its child has copies of all buffers so far; both write them, each with what it
// recorded since. So calls that ended in these records are counted twice if both logs are counted.
// They are matched, because a call may have begun in them, but only counted in `earlier`. False: no
// memory.
bool xray_log_share(struct xray_log *log, const struct xray_log *earlier, uint64_t *count);

#endif
