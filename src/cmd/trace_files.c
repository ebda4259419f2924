#include "cmd/trace_files.h"

#include "base/file_stamp.h"
#include "base/limits.h"
#include "cmd/system.h"
#include "idx/index_format.h"
#include "trace/open.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool trace_files_take(struct session_files *files, const char *typed)
{
    return text_list_add(&files->paths, typed);
}

// --- Patterns ------------------------------------------------------------------------------------

// State of resolving what was typed. Typed names stay before the files that they stand for until
// all are resolved.
struct settling {
    struct session_files *files;
    const char *trace; // its first file
    bool merges;
    const struct trace_kind *joins; // the files are whole logs, whose NAME= is that of a program
    char *why;
    VEC(, bool) is_match; // of each file that replaces what was typed: whether of a pattern
};

// trace.2 comes before trace.10.
static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

// Adds a file; `core` "": no name of a core was typed.
static bool add(struct settling *settling, const char *path, const char *core, bool is_match)
{
    if (!VEC_ROOM(&settling->is_match, 1))
        return false;
    settling->is_match.items[settling->is_match.count++] = is_match;
    return text_list_add(&settling->files->paths, path) &&
           (!settling->merges || text_list_add(&settling->files->cores, core));
}

static bool is_trace_itself(const struct settling *settling, const char *path)
{
    return strcmp(path, settling->trace) == 0 || is_same_file(path, settling->trace);
}

static bool take_matches(struct settling *settling, char **names, size_t count)
{
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        bool is_trace = is_trace_itself(settling, names[i]);
        bool is_index = file_starts_with(names[i], INDEX_MAGIC, sizeof INDEX_MAGIC - 1);
        if (!is_trace && !is_index && !add(settling, names[i], "", true))
            return false;
    }
    return true;
}

static int stop_without_memory(const char *path, int error)
{
    (void)path;
    return error == ENOMEM;
}

int trace_files_match(const char *pattern, glob_t *found)
{
    *found = (glob_t){0};
    int result = glob(pattern, GLOB_NOSORT, stop_without_memory, found);
    return result == GLOB_ABORTED ? GLOB_NOSPACE : result;
}

// --- Cores ---------------------------------------------------------------------------------------

static bool take_typed(struct settling *settling, const char *typed)
{
    const char *equals = settling->merges ? strchr(typed, '=') : NULL;
    if (equals && access(typed, F_OK) != 0) {
        // Sets the core of a file that was typed with one; the file may be the trace itself.
        struct session_files *files = settling->files;
        char name[LIMIT_LANE_NAME_BYTES + 1] = "";
        size_t length = (size_t)(equals - typed);
        if (length < sizeof name)
            memcpy(name, typed, length);
        if (settling->joins && !settling->joins->joins(name)) {
            snprintf(settling->why, TRACE_FILES_WHY_BYTES,
                     "'%.200s': a program's name is a letter, and up to 11 letters, digits, - or _",
                     typed);
            return true;
        }
        if (!settling->joins && !trace_takes_core(name)) {
            snprintf(settling->why, TRACE_FILES_WHY_BYTES,
                     "'%.200s': lines cannot name a core so, as in cpu0, cpu-big or core1", typed);
            return true;
        }
        if (!is_trace_itself(settling, equals + 1))
            return add(settling, equals + 1, name, false);
        free(files->cores.items[0]);
        return (files->cores.items[0] = strdup(name)) != NULL;
    }
    bool is_pattern = strpbrk(typed, "*?[") && access(typed, F_OK) != 0;
    if (!is_pattern)
        return add(settling, typed, "", false);
    glob_t found;
    int result = trace_files_match(typed, &found);
    size_t before = settling->files->paths.count;
    bool is_done = result != GLOB_NOSPACE;
    if (result == 0)
        is_done = take_matches(settling, found.gl_pathv, found.gl_pathc);
    // A rotated trace may have only one piece so far.
    bool is_trace = result == 0 && fnmatch(typed, settling->trace, 0) == 0;
    if (is_done && settling->files->paths.count == before && (!is_trace || settling->merges))
        snprintf(settling->why, TRACE_FILES_WHY_BYTES, "'%.300s': no file matches", typed);
    globfree(&found);
    return is_done;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool find_cores(struct settling *settling)
{
    struct session_files *files = settling->files;
    char name[LIMIT_LANE_NAME_BYTES + 1];
    for (size_t i = 0; i < files->cores.count; i++) {
        if (*files->cores.items[i])
            continue;
        // The file's name up to the first dot, if it is a valid name of a core, otherwise cpu and
        // a number.
        const char *path = i ? files->paths.items[i - 1] : settling->trace;
        const char *slash = strrchr(path, '/');
        const char *last = slash ? slash + 1 : path;
        snprintf(name, LIMIT_LANE_NAME_BYTES + 1, "%.*s", (int)strcspn(last, "."), last);
        if (!trace_takes_core(name))
            snprintf(name, LIMIT_LANE_NAME_BYTES + 1, "cpu%zu", i);
        free(files->cores.items[i]);
        if (!(files->cores.items[i] = strdup(name)))
            return false;
    }
    // Two files of one core would become one lane.
    size_t count = settling->files->cores.count;
    char **sorted = calloc(count, sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, settling->files->cores.items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_texts);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            snprintf(settling->why, TRACE_FILES_WHY_BYTES,
                     "two files are of core '%s' (NAME=FILE tells them apart)", sorted[i]);
    }
    free(sorted);
    return true;
}

// --- Files that are named twice ------------------------------------------------------------------

// A file that is typed twice is a mistake, and which of its places is meant is unknown; patterns
// overlap on purpose, and match the trace's first file.
static bool settle_same(struct settling *settling)
{
    struct session_files *files = settling->files;
    size_t count = files->paths.count, kept = 0;
    const char **paths = calloc(count + 1, sizeof *paths);
    size_t *first = calloc(count + 1, sizeof *first);
    if (paths)
        paths[0] = settling->trace;
    for (size_t i = 0; i < count && paths; i++)
        paths[i + 1] = files->paths.items[i];
    bool is_found = paths && first && find_same_files(paths, count + 1, first);
    for (size_t i = 0; i < count && is_found; i++) {
        char **core = settling->merges ? &files->cores.items[i + 1] : NULL;
        if (first[i + 1] == i + 1) {
            files->paths.items[kept++] = files->paths.items[i];
            if (core)
                files->cores.items[kept] = *core;
            continue;
        }
        if (!settling->is_match.items[i])
            snprintf(settling->why, TRACE_FILES_WHY_BYTES,
                     "'%.180s' is the same file as '%.180s', which comes before it", paths[i + 1],
                     paths[first[i + 1]]);
        free(files->paths.items[i]);
        if (core)
            free(*core);
    }
    if (is_found)
        files->paths.count = kept;
    if (is_found && settling->merges)
        files->cores.count = kept + 1;
    free(paths);
    free(first);
    return is_found;
}

// --- The whole -----------------------------------------------------------------------------------

static bool settle(struct settling *settling)
{
    struct session_files *files = settling->files;
    size_t typed = files->paths.count;
    if (settling->merges && !text_list_add(&files->cores, ""))
        return false;
    for (size_t i = 0; i < typed && !*settling->why; i++) {
        if (!take_typed(settling, files->paths.items[i]))
            return false;
    }
    if (*settling->why)
        return true;
    if (!VEC_ROOM(&files->typed, typed))
        return false;
    for (size_t i = 0; i < typed; i++)
        files->typed.items[files->typed.count++] = files->paths.items[i];
    files->paths.count -= typed;
    memmove(files->paths.items, files->paths.items + typed,
            files->paths.count * sizeof *files->paths.items);
    return settle_same(settling) &&
           (*settling->why || !settling->merges || settling->joins || find_cores(settling));
}

bool trace_files_settle(struct session_files *files, const char *trace, bool merges,
                        char why[TRACE_FILES_WHY_BYTES])
{
    struct settling settling = {.files = files, .trace = trace, .merges = merges, .why = why};
    settling.joins = merges ? trace_joining_kind(trace) : NULL;
    bool has_memory = settle(&settling);
    free(settling.is_match.items);
    return has_memory;
}

bool trace_files_settle_again(struct session_files *found, const struct session_files *files,
                              const char *trace, char why[TRACE_FILES_WHY_BYTES])
{
    *found = (struct session_files){0};
    for (size_t i = 0; i < files->typed.count; i++) {
        if (!text_list_add(&found->paths, files->typed.items[i]))
            return false;
    }
    return trace_files_settle(found, trace, files->cores.count > 0, why);
}
