#include "cmd/index.h"

#include "cmd/system.h"
#include "trace/open.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

// The usual names of traces, used without a pattern.
static const char *const usual[] = {
    "*.tarmac",     "*.tarmac.gz", "*.tarmac.zst", "*.tarmac.xz", "*.tarmac.lz4",
    "*.tarmac.bz2", "*.xray",      "xray-log.*",   "*.tf",
};

#define USUAL_TEXT "*.tarmac (.gz, .zst, .xz, .lz4, .bz2), *.xray, xray-log.* or *.tf"

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the list of traces");
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), of_suffix = strlen(suffix);
    return length >= of_suffix && strcmp(name + length - of_suffix, suffix) == 0;
}

static bool is_wanted(const char *name, const char *pattern)
{
    if (ends_in(name, ".index") || ends_in(name, ".trawl"))
        return false;
    if (pattern)
        return fnmatch(pattern, name, 0) == 0;
    for (size_t i = 0; i < ARRAY_COUNT(usual); i++) {
        if (fnmatch(usual[i], name, 0) == 0)
            return true;
    }
    return false;
}

static char *join(const char *directory, const char *name)
{
    size_t length = strlen(directory);
    const char *slash = length && directory[length - 1] == '/' ? "" : "/";
    char *joined = malloc(length + strlen(name) + 2);
    if (joined)
        sprintf(joined, "%s%s%s", directory, slash, name);
    return joined;
}

// Adds an input. Takes ownership of both texts, also on failure.
static enum status add(struct index_inputs *inputs, char *trace, char *below, struct error *err)
{
    if (!trace || !below || !VEC_ROOM(&inputs->items, 1)) {
        free(trace);
        free(below);
        return no_memory(err);
    }
    inputs->items.items[inputs->items.count++] = (struct index_input){trace, below, NULL};
    return STATUS_OK;
}

// --- Directories ---------------------------------------------------------------------------------

struct path_list {
    VEC(, char *) items;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum status list(const char *path, struct path_list *names, struct error *err)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    enum status status = STATUS_OK;
    if (!directory)
        return error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    while (status == STATUS_OK && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *name = strdup(entry->d_name);
        if (!name || !VEC_ROOM(&names->items, 1)) {
            free(name);
            status = no_memory(err);
        } else {
            names->items.items[names->items.count++] = name;
        }
    }
    closedir(directory);
    if (names->items.count)
        qsort(names->items.items, names->items.count, sizeof *names->items.items, compare_names);
    return status;
}

static enum status walk(struct index_inputs *inputs, const char *path, const char *below,
                        const char *pattern, struct error *err);

static enum status visit(struct index_inputs *inputs, const char *path, const char *below,
                         const char *name, const char *pattern, struct error *err)
{
    struct stat info;
    char *inner = join(path, name), *inner_below = *below ? join(below, name) : strdup(name);
    enum status status = inner && inner_below ? STATUS_OK : no_memory(err);
    if (status == STATUS_OK && lstat(inner, &info) == 0) { // if not, it has been removed
        char stream[PATH_MAX];
        if (S_ISDIR(info.st_mode) && trace_is_directory(inner, stream))
            return add(inputs, inner, inner_below, err);
        if (S_ISDIR(info.st_mode))
            status = walk(inputs, inner, inner_below, pattern, err);
        else if (is_wanted(name, pattern) && stat(inner, &info) == 0 && S_ISREG(info.st_mode))
            return add(inputs, inner, inner_below, err);
    }
    free(inner);
    free(inner_below);
    return status;
}

// Recurses no deeper than a path can be long.
static enum status walk(struct index_inputs *inputs, const char *path, const char *below,
                        const char *pattern, struct error *err)
{
    struct path_list names = {0};
    enum status status = list(path, &names, err);
    for (size_t i = 0; i < names.items.count && status == STATUS_OK; i++)
        status = visit(inputs, path, below, names.items.items[i], pattern, err);
    for (size_t i = 0; i < names.items.count; i++)
        free(names.items.items[i]);
    free(names.items.items);
    return status;
}

enum status index_inputs_add(struct index_inputs *inputs, const char *word, const char *pattern,
                             struct error *err)
{
    struct stat info;
    size_t before = inputs->items.count;
    char stream[PATH_MAX];
    if (stat(word, &info) != 0 || !S_ISDIR(info.st_mode) ||
        trace_is_directory(word, stream)) { // other errors are reported when the file is read
        const char *slash = strrchr(word, '/');
        return add(inputs, strdup(word), strdup(slash ? slash + 1 : word), err);
    }
    enum status status = walk(inputs, word, "", pattern, err);
    if (status != STATUS_OK || inputs->items.count > before)
        return status;
    if (pattern)
        return error_set(err, STATUS_NOT_FOUND, "%s: has no file that matches '%s'", word, pattern);
    return error_set(err, STATUS_NOT_FOUND,
                     "%s: has no file named as traces are: %s; try --pattern", word, USUAL_TEXT);
}

// --- Places of indexes ---------------------------------------------------------------------------

static void drop(struct index_input *input)
{
    free(input->trace);
    free(input->below);
    free(input->index);
    *input = (struct index_input){0};
}

enum status index_inputs_leave_out_same(struct index_inputs *inputs, struct error *err)
{
    struct index_input *items = inputs->items.items;
    size_t count = inputs->items.count, kept = 0;
    const char **paths = calloc(count + 1, sizeof *paths);
    size_t *first = calloc(count + 1, sizeof *first);
    for (size_t i = 0; i < count && paths; i++)
        paths[i] = items[i].trace;
    bool is_found = paths && first && find_same_files(paths, count, first);
    for (size_t i = 0; i < count && is_found; i++) {
        if (first[i] != i)
            drop(&items[i]);
        else
            items[kept++] = items[i];
    }
    if (is_found)
        inputs->items.count = kept;
    free(paths);
    free(first);
    return is_found ? STATUS_OK : no_memory(err);
}

static int compare_below(const void *a, const void *b)
{
    const struct index_input *first = *(struct index_input *const *)a;
    const struct index_input *second = *(struct index_input *const *)b;
    return strcmp(first->below, second->below);
}

static char *index_path(const char *directory, const struct index_input *input, bool has_clash)
{
    char real[PATH_MAX], hash[16] = "";
    size_t length = strlen(directory) + strlen(input->below) + sizeof hash + sizeof "/.index";
    char *path = malloc(length);
    if (has_clash) {
        const char *name = realpath(input->trace, real) ? real : input->trace;
        snprintf(hash, sizeof hash, "-%08x", (unsigned)XXH3_64bits(name, strlen(name)));
    }
    if (path)
        snprintf(path, length, "%s/%s%s.index", directory, input->below, hash);
    return path;
}

static enum status name_indexes(struct index_inputs *inputs, const char *directory,
                                struct error *err)
{
    size_t count = inputs->items.count;
    struct index_input **sorted = calloc(count + 1, sizeof(struct index_input *));
    enum status status = sorted ? STATUS_OK : no_memory(err);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = &inputs->items.items[i];
    if (sorted && count)
        qsort(sorted, count, sizeof *sorted, compare_below);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        bool has_clash = (i && compare_below(&sorted[i - 1], &sorted[i]) == 0) ||
                         (i + 1 < count && compare_below(&sorted[i], &sorted[i + 1]) == 0);
        if (!(sorted[i]->index = index_path(directory, sorted[i], has_clash)))
            status = no_memory(err);
    }
    free(sorted);
    return status;
}

// Makes the parent directories of a file.
static enum status make_directories(char *path, struct error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        struct stat info;
        if (result && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            result = 0; // an existing directory that we may not be allowed to make
        if (result)
            error_set(err, STATUS_IO, "%s: %s", path, strerror(result));
        *slash = '/';
        if (result)
            return STATUS_IO;
    }
    return STATUS_OK;
}

enum status index_inputs_place(struct index_inputs *inputs, const char *directory, bool makes,
                               struct error *err)
{
    enum status status = index_inputs_leave_out_same(inputs, err);
    if (status == STATUS_OK)
        status = name_indexes(inputs, directory, err);
    for (size_t i = 0; makes && i < inputs->items.count && status == STATUS_OK; i++)
        status = make_directories(inputs->items.items[i].index, err);
    return status;
}

void index_inputs_free(struct index_inputs *inputs)
{
    for (size_t i = 0; i < inputs->items.count; i++)
        drop(&inputs->items.items[i]);
    free(inputs->items.items);
    *inputs = (struct index_inputs){0};
}
