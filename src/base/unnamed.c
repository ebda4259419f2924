#include "base/unnamed.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *unnamed_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

// For file systems without unnamed files: signals are blocked while the file has a name.
static int open_and_unlink(char *path)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

int unnamed_open(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char *path = NULL;
    if (asprintf(&path, "%s/trawl-XXXXXX", directory) < 0)
        return -1;
    fd = open_and_unlink(path);
    free(path);
    return fd;
}
