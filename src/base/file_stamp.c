#include "base/file_stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file_stamp stamp_of(const struct stat *info)
{
    return (struct file_stamp){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size_bytes = (uint64_t)info->st_size,
        .mtime_ns = (uint64_t)info->st_mtim.tv_sec * NS_PER_S + (uint64_t)info->st_mtim.tv_nsec,
    };
}

struct file_stamp file_stamp_at(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? stamp_of(&info) : (struct file_stamp){0};
}

struct file_stamp file_stamp_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? stamp_of(&info) : (struct file_stamp){0};
}

bool file_stamp_is_none(const struct file_stamp *stamp)
{
    return !stamp->device && !stamp->inode;
}

bool file_stamp_is_same_file(const struct file_stamp *a, const struct file_stamp *b)
{
    return a->device == b->device && a->inode == b->inode;
}

bool file_stamp_equals(const struct file_stamp *a, const struct file_stamp *b)
{
    return file_stamp_is_same_file(a, b) && a->size_bytes == b->size_bytes &&
           a->mtime_ns == b->mtime_ns;
}

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
