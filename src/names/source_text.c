#include "names/source_text.h"

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
static bool read_file(struct source_text *source, const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_read = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                   read_beginning(source, fd, (uint64_t)about.st_size);
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
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

void source_search_free(struct source_search *search)
{
    free(search->directories.items);
    free(search->maps.items);
    *search = (struct source_search){0};
}

// Whether a path begins with all of `from`, at a directory. *rest is what follows.
static bool begins_with(const char *path, const char *from, size_t length, const char **rest)
{
    while (length > 1 && from[length - 1] == '/')
        length--;
    *rest = path + length;
    return length && strncmp(path, from, length) == 0 &&
           (**rest == '/' || !**rest || from[length - 1] == '/');
}

// Copies the path of a file that can be read.
static bool take(char found[PATH_MAX], const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || access(path, R_OK) != 0)
        return false;
    memcpy(found, path, strlen(path) + 1);
    return true;
}

// If there is none, `found` is where the first map that fits says that it is.
static bool find_mapped(char found[PATH_MAX], const struct source_search *search, const char *path)
{
    char mapped[PATH_MAX];
    const char *rest;
    for (size_t i = 0; i < search->maps.count; i++) {
        const char *from = search->maps.items[i], *equals = strchr(from, '=');
        if (!begins_with(path, from, (size_t)(equals - from), &rest))
            continue;
        rest += *rest == '/';
        const char *to = *rest && strcmp(equals + 1, ".") == 0 ? "" : equals + 1;
        bool has_slash = !*to || to[strlen(to) - 1] == '/';
        int length =
            snprintf(mapped, sizeof mapped, "%s%s%s", to, has_slash || !*rest ? "" : "/", rest);
        if (length <= 0 || (size_t)length >= sizeof mapped)
            continue;
        if (take(found, mapped))
            return true;
        if (!*found)
            memcpy(found, mapped, (size_t)length + 1);
    }
    return false;
}

// A file that may be the one.
struct candidate {
    char path[PATH_MAX];
    size_t same; // components at the ends that are the same; 0: none was found
    struct stat about;
    bool has_rival; // another file with as many
};

// How many components at the ends of two paths are the same.
static size_t count_same(const char *a, const char *b)
{
    const char *a_end = a + strlen(a), *b_end = b + strlen(b);
    size_t same = 0;
    while (a_end > a && b_end > b) {
        const char *a_start = a_end, *b_start = b_end;
        while (a_start > a && a_start[-1] != '/')
            a_start--;
        while (b_start > b && b_start[-1] != '/')
            b_start--;
        if (a_end - a_start != b_end - b_start || a_end == a_start ||
            memcmp(a_start, b_start, (size_t)(a_end - a_start)) != 0)
            return same;
        same++;
        a_end = a_start - (a_start > a);
        b_end = b_start - (b_start > b);
    }
    return same;
}

// Looks in a directory for the longest end of a path.
static void look_in(struct candidate *best, const char *directory, const char *path)
{
    char joined[PATH_MAX], real[PATH_MAX];
    struct stat about;
    const char *end = *path == '/' ? path + 1 : path;
    for (unsigned i = 0; end && i < LIMIT_SOURCE_COMPONENTS; i++) {
        int length = snprintf(joined, sizeof joined, "%s/%s", directory, end);
        bool is_there = length > 0 && (size_t)length < sizeof joined && stat(joined, &about) == 0 &&
                        S_ISREG(about.st_mode);
        end = strchr(end, '/') ? strchr(end, '/') + 1 : NULL;
        if (!is_there)
            continue;
        size_t same = count_same(realpath(joined, real) ? real : joined, path);
        same = same ? same : 1; // a link to a file of another name
        if (same == best->same)
            best->has_rival |=
                about.st_dev != best->about.st_dev || about.st_ino != best->about.st_ino;
        if (same <= best->same)
            return;
        *best = (struct candidate){.same = same, .about = about};
        memcpy(best->path, joined, (size_t)length + 1);
        return;
    }
}

bool source_text_find(char found[PATH_MAX], const struct source_search *search,
                      const struct source_location *place, struct source_lines *lines,
                      const struct names *names)
{
    char path[PATH_MAX], named[PATH_MAX];
    struct candidate best = {.same = 0};
    found[0] = '\0';
    if (!source_path_join(place->directory, place->path, path) ||
        !source_path_join(NULL, place->path, named))
        return false;
    if (find_mapped(found, search, path) || find_mapped(found, search, named) ||
        take(found, path) || take(found, named))
        return true;
    for (size_t i = 0; i <= search->directories.count; i++)
        look_in(&best, i < search->directories.count ? search->directories.items[i] : ".", path);
    bool is_sure = best.same > 1 || (best.same && !best.has_rival &&
                                     !source_lines_has_namesake(lines, names, place));
    return is_sure && take(found, best.path);
}

bool source_text_open(struct source_text *source, const struct source_search *search,
                      const struct source_location *place, struct source_lines *lines,
                      struct names *names)
{
    char path[PATH_MAX];
    *source = (struct source_text){0};
    errno = 0;
    bool is_found = source_text_find(path, search, place, lines, names);
    if (is_found && read_file(source, path) && find_starts(source))
        return true;
    int error = errno;
    names->lacks_memory |= error == ENOMEM;
    source_text_close(source);
    source->error = is_found && error != ENOENT && error != ENOMEM ? error : 0;
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
