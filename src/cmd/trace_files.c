#include "cmd/trace_files.h"

#include "base/file_start.h"
#include "idx/index_format.h"

#include <glob.h>
#include <stdlib.h>
#include <unistd.h>

bool trace_files_take(struct session *session, const char *typed)
{
    char *copy = VEC_ROOM(&session->files, 1) ? strdup(typed) : NULL;
    if (copy)
        session->files.items[session->files.count++] = copy;
    return copy != NULL;
}

static bool is_pattern(const char *typed)
{
    return strpbrk(typed, "*?[") && access(typed, F_OK) != 0;
}

// trace.2 comes before trace.10.
static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static bool take_matches(struct session *session, char **names, size_t count)
{
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) {
        bool is_trace = session->path && strcmp(names[i], session->path) == 0;
        bool is_index = file_starts_with(names[i], INDEX_MAGIC, sizeof INDEX_MAGIC - 1);
        if (!is_trace && !is_index && !trace_files_take(session, names[i]))
            return false;
    }
    return true;
}

// Takes the files of one that was typed. *matches: there is one.
static bool take_typed(struct session *session, const char *typed, bool *matches)
{
    glob_t found = {0};
    *matches = true;
    if (!is_pattern(typed))
        return trace_files_take(session, typed);
    int result = glob(typed, GLOB_NOSORT, NULL, &found);
    size_t before = session->files.count;
    bool is_done = result != GLOB_NOSPACE;
    if (result == 0)
        is_done = take_matches(session, found.gl_pathv, found.gl_pathc);
    *matches = session->files.count > before;
    globfree(&found);
    return is_done;
}

bool trace_files_settle(struct session *session, const char **unmatched)
{
    size_t typed = session->files.count;
    bool is_done = true;
    *unmatched = NULL;
    for (size_t i = 0; i < typed && is_done && !*unmatched; i++) {
        bool matches;
        is_done = take_typed(session, session->files.items[i], &matches);
        *unmatched = is_done && !matches ? session->files.items[i] : NULL;
    }
    if (!is_done || *unmatched)
        return is_done;
    for (size_t i = 0; i < typed; i++)
        free(session->files.items[i]);
    session->files.count -= typed;
    memmove(session->files.items, session->files.items + typed,
            session->files.count * sizeof *session->files.items);
    return true;
}
