#include "analysis/source_text.h"

#include "base/limits.h"
#include "base/map.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// False: it is not there, or no file.
static bool read_file(struct source_text *source, const char *directory, const char *name)
{
    char path[PATH_MAX];
    struct map map;
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || map_open_copy(&map, fd, path, NULL) != STATUS_OK)
        return false;
    source->size_bytes = (size_t)u64_min(map.size_bytes, LIMIT_SOURCE_BYTES);
    source->text = malloc(source->size_bytes + 1);
    if (source->text && source->size_bytes)
        memcpy(source->text, map.data, source->size_bytes);
    map_close(&map);
    return source->text != NULL;
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
