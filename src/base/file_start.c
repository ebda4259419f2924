#include "base/file_start.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t file_start_read(int fd, void *bytes, size_t size_bytes)
{
    size_t done = 0;
    while (done < size_bytes) {
        ssize_t got = pread(fd, (char *)bytes + done, size_bytes - done, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

bool file_starts_with(const char *path, const void *bytes, size_t size_bytes)
{
    char start[16];
    ASSERT(size_bytes <= sizeof start);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    bool is_one = file_start_read(fd, start, size_bytes) == (ssize_t)size_bytes &&
                  memcmp(start, bytes, size_bytes) == 0;
    close(fd);
    return is_one;
}
