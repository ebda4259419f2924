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

// One of several logs. All of this must exist as long as what is made of them.
struct xray_log_file {
    const char *path;
    const char
        *program; // the name of the program that wrote it; "": that of other logs without one
    const void *bytes;
    uint64_t size_bytes;
    uint64_t first_byte; // where it begins in the text of all
};

// Whether a program of several can be named so: a letter, then letters, digits, '-' and '_', but no
// more than fit into the names of threads.
bool xray_is_program_name(const char *name, size_t length);

// Opens several logs of one machine as one (join.c). STATUS_INPUT also if their clocks cannot be
// the same, STATUS_LIMIT if they have too many threads, processes or objects.
enum status xray_log_join(struct xray_log *log, const struct xray_log_file *files, size_t count,
                          struct error *err);

// Marks the records that are also in `earlier`, and counts the buffers that have such records. When
// a process forks, its child has copies of all buffers so far; both write them, each with what it
// recorded since. So calls that ended in these records are counted twice if both logs are counted.
// They are matched, because a call may have begun in them, but only counted in `earlier`. False: no
// memory.
bool xray_log_share(struct xray_log *log, const struct xray_log *earlier, uint64_t *count);

#endif
