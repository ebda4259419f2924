#include "cmd/program_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
