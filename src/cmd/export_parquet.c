#include "cmd/export_parquet.h"

#include "base/fingerprint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RUN_BYTES 64

// The identity of a run, independent of the place of its trace, and the time of the trace. Both are
// unknown for a pipe.
static enum status identify(const struct trace_command *command, struct parquet_options *options,
                            char run[RUN_BYTES], struct error *err)
{
    struct fingerprint fingerprint;
    const struct trace *trace = command->session.trace;
    if (!trace || source_fd(trace->source) < 0)
        return STATUS_OK;
    enum status status = source_fingerprint(trace->source, &fingerprint, err);
    if (status != STATUS_OK)
        return status;
    snprintf(run, RUN_BYTES, "%" PRIx64 "-%016" PRIx64 "%016" PRIx64, fingerprint.size_bytes,
             fingerprint.sample.high, fingerprint.sample.low);
    options->run = run;
    options->has_time = true;
    options->time_us = fingerprint.mtime_ns / 1000;
    return STATUS_OK;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

enum status export_parquet_open(struct trace_command *command, const char *table,
                                const struct export_parquet_options *wanted, struct error *err)
{
    const char *path = command->session.path;
    char run[RUN_BYTES];
    bool is_pipe = strcmp(path, "-") == 0;
    char *whole = is_pipe || wanted->partition ? NULL : realpath(path, NULL);
    if (!whole && !is_pipe && !wanted->partition && errno == ENOMEM)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    struct parquet_options options = {
        .directory = command->output,
        .name = wanted->partition ? wanted->partition
                : is_pipe         ? "stdin"
                                  : file_name(path),
        .table = table,
        .owner = whole ? whole : "",
        .codec = wanted->is_plain || !zstd_pack_is_there() ? PARQUET_PLAIN_PAGES : PARQUET_ZSTD,
        .threads = command->session.threads,
        .memory_bytes = command->diag.memory_bytes,
    };
    enum status status = identify(command, &options, run, err);
    if (status == STATUS_OK && !(command->parquet = parquet_new(&options, err)))
        status = err->status;
    free(whole);
    return status;
}
