#include "base/error.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define GAP "..."
#define HEAD_BYTES ((size_t)120) // kept from the start of a text that is cut

// Cuts a text in the middle, because it begins with a name of any length, and ends with what is
// wrong.
static void cut_middle(char *text, size_t size, const char *whole, size_t length)
{
    size_t head = HEAD_BYTES, tail = length - (size - 1 - HEAD_BYTES - (sizeof GAP - 1));
    while (head && utf8_is_tail((unsigned char)whole[head]))
        head--;
    while (tail < length && utf8_is_tail((unsigned char)whole[tail]))
        tail++;
    snprintf(text, size, "%.*s" GAP "%s", (int)head, whole, whole + tail);
}

static void error_fill(struct error *err, enum status status, uint64_t offset, const char *format,
                       va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->line = 0;
    err->offset = offset;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    char *whole = NULL;
    if (length >= (int)sizeof err->text && vasprintf(&whole, format, again) == length) {
        cut_middle(err->text, sizeof err->text, whole, (size_t)length);
        free(whole);
    }
    va_end(again);
}

void error_set_list(struct error *err, enum status status, const char *format, va_list args)
{
    error_fill(err, status, ERROR_NO_OFFSET, format, args);
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
