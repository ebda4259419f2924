#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool out_open(out_t *out, const char *path, uint64_t bytes_max, bool count_lines)
{
    memset(out, 0, sizeof *out);
    bool is_stdout = strcmp(path, "-") == 0;
    out->fd = is_stdout ? STDOUT_FILENO : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    out->buffer = malloc(OUT_BUFFER_BYTES);
    out->end = out->buffer;
    out->bytes_max = bytes_max;
    out->count_lines = count_lines;
    return out->fd >= 0 && out->buffer != NULL;
}

static bool flush(out_t *out)
{
    const char *p = out->buffer;
    while (p < out->end) {
        ssize_t n = write(out->fd, p, (size_t)(out->end - p));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            out->failed = true;
            return false;
        }
        p += n;
        out->flushed_bytes += (uint64_t)n;
    }
    out->end = out->buffer;
    return true;
}

bool out_commit(out_t *out, char *end)
{
    uint64_t size = out->flushed_bytes + (uint64_t)(end - out->buffer);
    if (out->bytes_max != 0 && size > out->bytes_max) {
        return false;
    }
    if (out->count_lines) {
        for (const char *p = out->end; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) {
            out->line_count++;
        }
    }
    out->end = end;
    // A step must always find room for OUT_STEP_BYTES_MAX.
    if (out->end - out->buffer > OUT_BUFFER_BYTES - 2 * OUT_STEP_BYTES_MAX) {
        return flush(out);
    }
    return true;
}

bool out_close(out_t *out, uint64_t cut_bytes)
{
    // Normally the whole last line is still in the buffer. After a flush at the very last step,
    // nothing is left to cut, and the file ends with a whole line.
    uint64_t buffered_bytes = (uint64_t)(out->end - out->buffer);
    out->end -= cut_bytes < buffered_bytes ? cut_bytes : 0;
    bool good = !out->failed && flush(out);
    if (out->fd != STDOUT_FILENO && close(out->fd) != 0) {
        good = false;
    }
    free(out->buffer);
    return good;
}
