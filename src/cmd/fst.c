#include "cmd/fst.h"

#include "cmd/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONVERTER "vcd2fst"
#define CANNOT_RUN 127

static struct {
    pid_t child;   // 0: none
    int fd;        // to the child
    bool is_there; // the program
    char *path, *temporary;
} converter;

bool fst_is_name(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".fst") == 0;
}

// --- In the child --------------------------------------------------------------------------------

// Reads up to a NUL. False: the writer ended before that.
static bool read_path(int fd, char path[PATH_MAX])
{
    for (size_t length = 0; length < PATH_MAX; length++) {
        ssize_t got;
        while ((got = read(fd, path + length, 1)) < 0 && errno == EINTR) {
        }
        if (got <= 0)
            return false;
        if (!path[length])
            return true;
    }
    return false;
}

// --- In the command ------------------------------------------------------------------------------

void fst_begin(void)
{
    int ends[2];
    converter.is_there = program_is_on_path(CONVERTER);
    if (!converter.is_there || pipe2(ends, O_CLOEXEC) != 0)
        return;
    converter.child = fork();
    if (converter.child == 0) {
        close(ends[1]);
        int fd = ends[0];
        char path[PATH_MAX];
        if (!read_path(fd, path))
            _exit(0);
        int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(fd, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        execlp(CONVERTER, CONVERTER, "-v", "-", "-f", path, (char *)NULL);
        _exit(CANNOT_RUN);
    }
    close(ends[0]);
    converter.fd = ends[1];
}

// Makes a file with a new name next to the output, to which vcd2fst writes.
static enum status make_temporary(const char *path, struct error *err)
{
    converter.path = strdup(path);
    if (!converter.path || asprintf(&converter.temporary, "%s.XXXXXX", path) < 0) {
        converter.temporary = NULL;
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    int fd = mkostemp(converter.temporary, O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(err, path, "write");
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    close(fd);
    return STATUS_OK;
}

enum status fst_open(const char *path, int *fd, struct error *err)
{
    if (!converter.is_there)
        return error_set(err, STATUS_INPUT,
                         "%s: is made by " CONVERTER
                         ", which is not installed (Debian's package gtkwave contains it); to "
                         "write a VCD file instead, use a name that does not end in .fst",
                         path);
    if (converter.child <= 0)
        return error_set(err, STATUS_IO, "%s: " CONVERTER " could not be started", path);
    enum status status = make_temporary(path, err);
    if (status != STATUS_OK)
        return status;
    signal(SIGPIPE, SIG_IGN); // vcd2fst may end early, which its status shows
    size_t size_bytes = strlen(converter.temporary) + 1;
    if (write(converter.fd, converter.temporary, size_bytes) != (ssize_t)size_bytes)
        return error_set_errno(err, path, "write");
    *fd = converter.fd;
    return STATUS_OK;
}

// Waits for the child. Returns whether it succeeded.
static bool wait_for_child(void)
{
    int status = 0;
    close(converter.fd);
    while (waitpid(converter.child, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum status fst_close(bool is_whole, struct error *err)
{
    enum status status = STATUS_OK;
    if (!converter.temporary)
        return STATUS_OK;
    bool is_made = wait_for_child();
    if (!is_made) // which may be the reason why the VCD could not be written
        status = error_set(err, STATUS_IO, "%s: " CONVERTER " failed", converter.path);
    else if (is_whole && rename(converter.temporary, converter.path) != 0)
        status = error_set_errno(err, converter.path, "write");
    if (!is_whole || status != STATUS_OK)
        unlink(converter.temporary);
    free(converter.temporary);
    free(converter.path);
    converter.temporary = converter.path = NULL;
    return status;
}
