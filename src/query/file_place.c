#include "query/file_place.h"

#include <inttypes.h>
#include <stdio.h>

static bool has_files(const struct trace *trace)
{
    return trace && source_has_files(trace->source);
}

const char *file_place_of_line(const struct trace *trace, uint64_t line,
                               char text[FILE_PLACE_BYTES])
{
    struct error err;
    uint64_t line_in_file;
    if (!has_files(trace) || source_find_files(trace->source, &err) != STATUS_OK)
        return NULL;
    size_t number = source_file_of_line(trace->source, line, &line_in_file);
    if (!line_in_file)
        return NULL;
    const char *path = source_file(trace->source, number).path;
    size_t length = strlen(path), most = FILE_PLACE_BYTES - 32;
    snprintf(text, FILE_PLACE_BYTES, "%s%s:%" PRIu64, length > most ? "..." : "",
             path + (length > most ? length - most : 0), line_in_file);
    return text;
}

struct file_line file_line_of(const struct trace *trace, uint64_t line, uint64_t offset)
{
    struct source *source = trace->source;
    struct file_line at = {trace->path, line, offset};
    struct error err;
    // If an index is used, nothing else reads the files.
    if (!has_files(trace) || (trace->index && source_find_files(source, &err) != STATUS_OK))
        return at;
    uint64_t line_in_file;
    const struct source_file file =
        source_file(source, source_file_of_line(source, line, &line_in_file));
    if (!line_in_file)
        return at;
    return (struct file_line){file.path, line_in_file,
                              file.core ? ERROR_NO_OFFSET : offset - file.first_byte};
}

static bool is_called(const char *path, const char *typed, size_t length)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    return (strlen(path) == length && memcmp(path, typed, length) == 0) ||
           (strlen(last) == length && memcmp(last, typed, length) == 0);
}

enum status file_position_parse(struct position *position, const char *text,
                                const struct expression_names *names, const struct trace *trace,
                                struct error *err)
{
    size_t length;
    uint64_t line;
    enum status status = position_parse(position, text, names, err);
    if (status == STATUS_OK && position->is_fraction && trace) {
        enum time_points points = trace_time_points(trace);
        size_t at = strlen("time:");
        if (points == TIME_POINTS_NONE)
            return error_set_at(
                err, STATUS_INPUT, at,
                "times of this trace are whole %s, without a point, a plus or a unit",
                trace_tick_unit(trace));
        if (points == TIME_POINTS_SECONDS)
            return position->ns == UINT64_MAX
                       ? error_set_at(err, STATUS_INPUT, at,
                                      "expected seconds with up to nine digits after the point")
                       : STATUS_OK;
        return position->value == UINT64_MAX
                   ? error_set_at(err, STATUS_INPUT, at,
                                  "expected a time with up to six digits after the point")
                   : STATUS_OK;
    }
    if (status == STATUS_OK || !has_files(trace))
        return status;
    // A number of a few digits after the last colon.
    const char *colon = strrchr(text, ':');
    line = 0;
    if (!colon || !colon[1] || strlen(colon + 1) > 18)
        return status;
    length = (size_t)(colon - text);
    for (const char *at = colon + 1; *at; at++) {
        if (*at < '0' || *at > '9')
            return status;
        line = 10 * line + (uint64_t)(*at - '0');
    }
    for (size_t i = 0; i < source_file_count(trace->source); i++) {
        if (!is_called(source_file(trace->source, i).path, text, length))
            continue;
        status = source_find_files(trace->source, err);
        if (status != STATUS_OK)
            return status;
        *position = (struct position){.kind = POSITION_LINE,
                                      .value = source_line_of_file(trace->source, i, line)};
        return position->value
                   ? STATUS_OK
                   : error_set(err, STATUS_NOT_FOUND, "the file has no line %" PRIu64, line);
    }
    return status;
}
