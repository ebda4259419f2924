#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void error_fill(struct error *err, enum status status, uint64_t offset, const char *format,
                       va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->line = 0;
    err->offset = offset;
    vsnprintf(err->text, sizeof err->text, format, args);
}

enum status error_set(struct error *err, enum status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error_fill(err, status, ERROR_NO_OFFSET, format, args);
    va_end(args);
    return status;
}

enum status error_set_at(struct error *err, enum status status, uint64_t offset, const char *format,
                         ...)
{
    va_list args;
    va_start(args, format);
    error_fill(err, status, offset, format, args);
    va_end(args);
    return status;
}

enum status error_set_errno(struct error *err, const char *path, const char *action)
{
    return error_set(err, STATUS_IO, "%s: %s: %s", path, action, strerror(errno));
}
