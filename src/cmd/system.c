#include "cmd/system.h"

#include "base/limits.h"
#include "base/spool.h"
#include "cli/values.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned processor_count(void)
{
    cpu_set_t allowed;
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return count < 1 ? 1 : count > LIMIT_THREADS ? LIMIT_THREADS : (unsigned)count;
}

bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

struct place {
    char *real;
    size_t number;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *first = a, *second = b;
    int order = strcmp(first->real, second->real);
    return order ? order : (first->number > second->number) - (first->number < second->number);
}

bool find_same_files(const char *const *paths, size_t count, size_t *first)
{
    char real[PATH_MAX];
    struct place *places = calloc(count + 1, sizeof *places);
    bool has_memory = places != NULL;
    for (size_t i = 0; i < count && has_memory; i++) {
        places[i].number = i;
        places[i].real = strdup(realpath(paths[i], real) ? real : paths[i]);
        has_memory = places[i].real != NULL;
    }
    if (has_memory)
        qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count && has_memory; i++) {
        bool is_same = i && strcmp(places[i].real, places[i - 1].real) == 0;
        first[places[i].number] = is_same ? first[places[i - 1].number] : places[i].number;
    }
    for (size_t i = 0; i < count && places; i++)
        free(places[i].real);
    free(places);
    return has_memory;
}

// --- --max-memory --------------------------------------------------------------------------------

int memory_option_take(struct options_parser *parser, const struct option_match *match,
                       struct diag *diag)
{
    uint64_t bytes;
    if (!parse_size(match->value, &bytes) || bytes < LIMIT_MEMORY_BYTES_MIN)
        return options_bad_value(parser, match, "a size from 32M");
    if (!memory_limit_set(bytes))
        return options_error(parser, "the memory of a process cannot be limited here");
    diag->memory_bytes = bytes;
    return OPTION_END;
}

// --- Programs ------------------------------------------------------------------------------------

#define OWN "/proc/self/exe"

bool program_is_on_path(const char *name)
{
    const char *path = getenv("PATH");
    char candidate[PATH_MAX];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int needed = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, name);
        if (needed > 0 && (size_t)needed < sizeof candidate && access(candidate, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

enum status program_own_path(char path[PATH_MAX], struct error *err)
{
    ssize_t length = readlink(OWN, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length < 0 ? error_set_errno(err, OWN, "read") : STATUS_OK;
}
