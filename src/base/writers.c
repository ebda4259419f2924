#include "base/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

// The kernel gives a lease for reading only if no process has the file open for writing. The lease
// is given back at once. If a process opens the file within that moment, it waits, and we get a
// signal that is ignored by default, instead of SIGIO, which would end the program.
enum writers { WRITERS_UNKNOWN, WRITERS_NONE, WRITERS_SOME };

static enum writers writers_of(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY || fcntl(fd, F_SETSIG, SIGURG) != 0)
        return WRITERS_UNKNOWN;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN ? WRITERS_SOME : WRITERS_UNKNOWN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return WRITERS_NONE;
}

bool file_has_writers(int fd)
{
    return writers_of(fd) == WRITERS_SOME;
}

bool file_has_no_writers(int fd)
{
    return writers_of(fd) == WRITERS_NONE;
}
