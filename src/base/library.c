#include "base/library.h"

#include "base/base.h"

#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum status find_functions(const struct library *library, struct error *err)
{
    void *file = NULL;
#ifndef TRAWL_STATIC
    file = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return error_set(err, STATUS_IO, "%s needs %s (Debian's package %s): %s", library->use,
                         library->file, library->package, dlerror());
#endif
    for (size_t i = 0; i < library->count; i++) {
        const struct library_function *wanted = &library->functions[i];
        void (*found)(void) = wanted->linked;
        if (!found) {
            void *symbol = dlsym(file, wanted->name);
            if (!symbol)
                return error_set(err, STATUS_IO, "%s has no %s", library->file, wanted->name);
            memcpy(&found, &symbol, sizeof found);
        }
        memcpy(wanted->place, &found, sizeof found);
    }
    return STATUS_OK;
}

enum status library_load(struct library *library, struct error *err)
{
    pthread_mutex_lock(&lock);
    enum status status = library->is_loaded ? STATUS_OK : find_functions(library, err);
    library->is_loaded |= status == STATUS_OK;
    pthread_mutex_unlock(&lock);
    return status;
}
