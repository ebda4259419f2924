#include "cmd/system.h"

#include "base/limits.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
