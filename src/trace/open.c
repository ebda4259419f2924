#include "trace/open.h"

#include "base/limits.h"
#include "trace/kinds.h"
#include "trace/unknown_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The largest number of first bytes that any kind needs: what other programs write may stand before
// the first line of a log.
enum { HEAD_BYTES = 8192 };

static enum status find_kind(struct source *source, enum reading reading,
                             const struct trace_kind **kind, struct error *err)
{
    char head[HEAD_BYTES];
    size_t have = 0;
    if (reading == READING_TRUE) {
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

// Of the default kind, the last in the table.
static line_stamp_function *line_stamp_of_usual(void)
{
    size_t i = 0;
    while (trace_kinds[i]->is)
        i++;
    return trace_kinds[i]->text ? trace_kinds[i]->text->line_stamp : NULL;
}

static enum status kind_of_file(const char *path, const struct trace_kind **kind, struct error *err)
{
    struct source *source;
    enum status status = source_open(&source, path, SOURCE_DECODED, err);
    if (status != STATUS_OK)
        return status;
    status = find_kind(source, READING_TRUE, kind, err);
    source_close(source);
    return status;
}

const struct trace_kind *trace_joining_kind(const char *path)
{
    const struct trace_kind *kind;
    struct error err;
    return kind_of_file(path, &kind, &err) == STATUS_OK && kind->joins ? kind : NULL;
}

// How lines of files that are to be merged show their order, according to the kind of the first.
// NULL: they are logs to be joined.
static enum status find_stamp(const struct open_files *files, line_stamp_function **stamp,
                              struct error *err)
{
    const struct trace_kind *kind;
    const char *path = files->paths[0];
    enum status status = kind_of_file(path, &kind, err);
    *stamp = NULL;
    if (status != STATUS_OK || kind->joins)
        return status;
    *stamp = kind->text ? kind->text->line_stamp : NULL;
    if (!*stamp)
        return error_set(err, STATUS_INPUT, "%s: is %s, and files of that kind cannot be merged",
                         path, kind->words.a);
    for (size_t i = 0; i < files->count && kind->text->takes_core; i++) {
        if (!kind->text->takes_core(files->cores[i]))
            return error_set(err, STATUS_INPUT, "%s: '%s' is no name of a %s, as hart0 is",
                             files->paths[i], files->cores[i], kind->words.lane);
    }
    return STATUS_OK;
}

bool trace_takes_core(const char *name)
{
    char line[LIMIT_LANE_NAME_BYTES + 64];
    size_t length = strlen(name);
    if (!length || length >= LIMIT_LANE_NAME_BYTES)
        return false;
    snprintf(line, sizeof line, "1 clk %s IT (1) 00000000 e1a00000 A svc : NOP", name);
    const struct line_stamp stamp = line_stamp_of_usual()(line, line + strlen(line), NULL);
    return stamp.has_time && stamp.name_length == length;
}

bool trace_is_directory(const char *path, char stream[PATH_MAX])
{
    int length = snprintf(stream, PATH_MAX, "%s/datastream", path);
    return length > 0 && length < PATH_MAX && access(stream, F_OK) == 0;
}

enum status trace_open_files(struct trace **out, const struct open_files *files,
                             enum reading reading, struct error *err)
{
    struct source *source;
    const struct trace_kind *kind;
    const char *path = files->paths[0];
    for (size_t i = 0; i < files->count && reading == READING_TRUE; i++) {
        if (!*files->paths[i])
            return error_set(err, STATUS_INPUT, "no file named: the name of a trace is empty");
    }
    struct source_files_options joined = {files->cores, line_stamp_of_usual(), files->prefix,
                                          files->follows};
    enum source_decoding decoding = reading == READING_TRUE ? SOURCE_DECODED : SOURCE_RAW;
    char stream[PATH_MAX];
    bool is_directory =
        reading == READING_TRUE && files->count == 1 && trace_is_directory(path, stream);
    bool is_several = files->count > 1 || files->cores || files->is_several;
    if (files->cores && reading == READING_TRUE) {
        enum status found = find_stamp(files, &joined.stamp, err);
        if (found != STATUS_OK)
            return found;
    }
    enum status status = is_several
                             ? source_open_files(&source, files->paths, files->count, &joined, err)
                             : source_open(&source, is_directory ? stream : path, decoding, err);
    if (status != STATUS_OK) {
        const char *other = reading == READING_TRUE ? unknown_format_of_directory(path) : NULL;
        return other ? error_set(err, status, "%s: %s", path, other) : status;
    }
    status = find_kind(source, reading, &kind, err);
    if (status == STATUS_OK && reading == READING_TRUE && (kind->abilities & TRACE_LINES))
        source_end_at_line(source);
    source_keep_fingerprint(source);
    struct trace *trace = status == STATUS_OK ? calloc(1, kind->size_bytes) : NULL;
    if (!trace) {
        source_close(source);
        return status != STATUS_OK ? status : error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    *trace = (struct trace){.kind = kind,
                            .path = path,
                            .source = source,
                            .is_merged = files->cores && joined.stamp,
                            .is_joined = files->cores && !joined.stamp};
    trace->options.reading = reading;
    *out = trace;
    return STATUS_OK;
}

enum status trace_open(struct trace **trace, const char *path, enum reading reading,
                       struct error *err)
{
    const struct open_files files = {.paths = &path, .count = 1};
    return trace_open_files(trace, &files, reading, err);
}
