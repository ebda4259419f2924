#include "trace/open.h"

#include "trace/kinds.h"

#include <stdlib.h>

// As many first bytes as any kind asks for.
enum { HEAD_BYTES = 64 };

static enum status find_kind(struct source *source, enum reading reading,
                             const struct trace_kind **kind, struct error *err)
{
    char head[HEAD_BYTES];
    size_t have = 0;
    if (reading == READING_RIGHT) {
        enum status status = source_peek(source, head, sizeof head, &have, err);
        if (status != STATUS_OK)
            return status;
    }
    for (size_t i = 0;; i++) {
        *kind = trace_kinds[i];
        if (!(*kind)->is || (have && (*kind)->is(head, have)))
            return STATUS_OK;
    }
}

enum status trace_open_files(struct trace **out, const char *const *paths, size_t count,
                             enum reading reading, struct error *err)
{
    struct source *source;
    const struct trace_kind *kind;
    const char *path = paths[0];
    enum source_manner manner = reading == READING_RIGHT ? SOURCE_AS_MEANT : SOURCE_AS_IT_IS;
    enum status status = count > 1 ? source_open_files(&source, paths, count, err)
                                   : source_open(&source, path, manner, err);
    if (status != STATUS_OK)
        return status;
    status = find_kind(source, reading, &kind, err);
    if (status == STATUS_OK && reading == READING_RIGHT && (kind->abilities & TRACE_LINES))
        source_end_at_line(source);
    source_keep_fingerprint(source);
    struct trace *trace = status == STATUS_OK ? calloc(1, kind->size_bytes) : NULL;
    if (!trace) {
        source_close(source);
        return status != STATUS_OK ? status : error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    *trace = (struct trace){.kind = kind, .path = path, .source = source};
    trace->options.reading = reading;
    *out = trace;
    return STATUS_OK;
}

enum status trace_open(struct trace **trace, const char *path, enum reading reading,
                       struct error *err)
{
    return trace_open_files(trace, &path, 1, reading, err);
}
