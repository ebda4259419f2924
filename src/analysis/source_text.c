#include "analysis/source_text.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// Copies the file, because it may be written to meanwhile; only the first LIMIT_SOURCE_BYTES, for
// any size that it claims.
static bool read_beginning(struct source_text *source, int fd, uint64_t file_bytes)
{
    size_t wanted = (size_t)u64_min(file_bytes, LIMIT_SOURCE_BYTES);
    ssize_t got = 1;
    source->text = malloc(wanted + 1);
    if (!source->text)
        return false;
    while (source->size_bytes < wanted && got) {
        got = pread(fd, source->text + source->size_bytes, wanted - source->size_bytes,
                    (off_t)source->size_bytes);
        if (got < 0 && errno != EINTR)
            return false;
        source->size_bytes += got > 0 ? (size_t)got : 0;
    }
    return true;
}

// False: it does not exist, or is not a regular file.
static bool read_file(struct source_text *source, const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct stat about;
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_read = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                   read_beginning(source, fd, (uint64_t)about.st_size);
    if (fd >= 0)
        close(fd);
    if (!is_read)
        source_text_close(source);
    return is_read;
}

static bool find_starts(struct source_text *source)
{
    size_t count = 1;
    for (size_t i = 0; i < source->size_bytes; i++)
        count += source->text[i] == '\n';
    source->starts = malloc(count * sizeof *source->starts);
    if (!source->starts)
        return false;
    source->starts[source->line_count++] = 0;
    for (size_t i = 0; i + 1 < source->size_bytes; i++) {
        if (source->text[i] == '\n')
            source->starts[source->line_count++] = i + 1;
    }
    return true;
}

bool source_text_open(struct source_text *source, const char *const *directories, size_t count,
                      const char *name)
{
    bool is_found = false;
    *source = (struct source_text){0};
    if (strchr(name, '/') || strlen(name) > NAME_MAX)
        return false;
    for (size_t i = 0; i < count && !is_found; i++)
        is_found = read_file(source, directories[i], name);
    if ((is_found || read_file(source, ".", name)) && find_starts(source))
        return true;
    source_text_close(source);
    return false;
}

size_t source_text_line(const struct source_text *source, uint64_t line, const char **start)
{
    *start = "";
    if (line == 0 || line > source->line_count)
        return 0;
    size_t from = source->starts[line - 1];
    size_t to = line < source->line_count ? source->starts[line] : source->size_bytes;
    while (to > from && (source->text[to - 1] == '\n' || source->text[to - 1] == '\r'))
        to--;
    *start = source->text + from;
    return to - from;
}

void source_text_close(struct source_text *source)
{
    free(source->text);
    free(source->starts);
    *source = (struct source_text){0};
}
