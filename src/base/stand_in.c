#include "base/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

// How many writers of one file may have a temporary name at once.
#define SLOTS 16

#define LINKS_MAX 40

#define FD_LINK_BYTES 32

// --- Names ---------------------------------------------------------------------------------------

// The length of the directory's part of `path`, its slash included.
static int directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static char *text_or_null(char *text, int length)
{
    if (length >= 0)
        return text;
    errno = ENOMEM;
    return NULL;
}

static char *directory_of(const char *path)
{
    char *directory = NULL;
    int length = asprintf(&directory, "%.*s.", directory_length(path), path);
    return text_or_null(directory, length);
}

// Where symbolic links lead, also to nothing: the file there is replaced or made, not the link.
static char *follow_links(const char *path)
{
    char target[PATH_MAX], *at = strdup(path);
    for (int links = 0; at && links < LINKS_MAX; links++) {
        ssize_t length = readlink(at, target, sizeof target - 1);
        if (length < 0)
            return at;
        target[length] = 0;
        char *next = NULL;
        int directory = target[0] == '/' ? 0 : directory_length(at);
        int next_length = asprintf(&next, "%.*s%s", directory, at, target);
        free(at);
        at = text_or_null(next, next_length);
    }
    if (at)
        errno = ELOOP;
    free(at);
    return NULL;
}

static char *slot_name(const char *path, int slot)
{
    int directory = directory_length(path);
    uint64_t hash = XXH3_64bits(path + directory, strlen(path + directory));
    char *name = NULL;
    int length = asprintf(&name, "%.*s.trawl-%016" PRIx64 "-%d.tmp", directory, path, hash, slot);
    return text_or_null(name, length);
}

static bool is_named(int fd, const char *name)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && lstat(name, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

// Only who holds the lock of a temporary file takes its name away, so it cannot go to another file
// between the look and the unlink.
static void sweep_slot(const char *name)
{
    int fd = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, name))
        unlink(name);
    close(fd);
}

static void sweep(const char *path)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        char *name = slot_name(path, slot);
        if (name)
            sweep_slot(name);
        free(name);
    }
}

// False when somebody else has the lock. A file system without locks is none: nobody can sweep
// there.
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// --- Opening -------------------------------------------------------------------------------------

static void write_fd_link(char link[FD_LINK_BYTES], int fd)
{
    snprintf(link, FD_LINK_BYTES, "/proc/self/fd/%d", fd);
}

// Giving an unnamed file a name goes through /proc.
static bool open_unnamed(struct stand_in *file, int access_mode, mode_t mode)
{
    char link[FD_LINK_BYTES], *directory = directory_of(file->path);
    if (!directory)
        return false;
    file->fd = open(directory, O_TMPFILE | access_mode | O_CLOEXEC, mode);
    free(directory);
    if (file->fd < 0)
        return false;
    write_fd_link(link, file->fd);
    if (access(link, F_OK) == 0 && lock(file->fd))
        return true;
    close(file->fd);
    file->fd = -1;
    return false;
}

// A sweeper may come between the making and the lock: then the file has lost its name, or will.
static bool open_slot(struct stand_in *file, char *name, int access_mode, mode_t mode)
{
    int fd = open(name, access_mode | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    if (!lock(fd) || !is_named(fd, name)) {
        close(fd);
        errno = EEXIST;
        return false;
    }
    file->fd = fd;
    return true;
}

static bool link_slot(struct stand_in *file, const char *name)
{
    char link[FD_LINK_BYTES];
    write_fd_link(link, file->fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

// Gives the file the first temporary name that is free: a new file where none is open yet.
static bool take_slot(struct stand_in *file, int access_mode, mode_t mode)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        char *name = slot_name(file->path, slot);
        if (!name)
            return false;
        bool is_taken =
            file->fd >= 0 ? link_slot(file, name) : open_slot(file, name, access_mode, mode);
        if (is_taken) {
            file->temporary = name;
            return true;
        }
        free(name);
        if (errno != EEXIST)
            return false;
    }
    errno = EBUSY;
    return false;
}

// A group that cannot be kept leaves ours with no more rights than everybody has.
static bool inherit(int fd, const struct stat *old, enum stand_in_owner owner)
{
    mode_t mode = old->st_mode & 0777;
    if (fchown(fd, old->st_uid, old->st_gid) != 0) {
        if (owner == STAND_IN_KEEP_OWNER) {
            errno = EPERM; // whatever it was: a container has owners that it cannot name
            return false;
        }
        if (fchown(fd, (uid_t)-1, old->st_gid) != 0)
            mode &= ~(mode_t)070 | (mode & 07) << 3;
    }
    return fchmod(fd, mode) == 0;
}

// `old` is what has the name now, or NULL.
static bool make(struct stand_in *file, const struct stat *old, int access_mode,
                 enum stand_in_owner owner)
{
    mode_t mode = old ? old->st_mode & 0777 : 0666;
    sweep(file->path);
    if (!open_unnamed(file, access_mode, mode) && !take_slot(file, access_mode, mode))
        return false;
    return !old || inherit(file->fd, old, owner);
}

// Replacing a file needs no right to write it, but a file that its owner protected stays.
static bool may_replace(const char *path, const struct stat *old)
{
    if (S_ISREG(old->st_mode))
        return access(path, W_OK) == 0;
    errno = S_ISDIR(old->st_mode) ? EISDIR : ENOTSUP;
    return false;
}

// A name that no file can have is refused here, not when all the work is done.
static bool open_resolved(struct stand_in *file, int access, enum stand_in_owner owner)
{
    struct stat old;
    if (stat(file->path, &old) == 0)
        return may_replace(file->path, &old) && make(file, &old, access, owner);
    return errno == ENOENT && file->path[0] && make(file, NULL, access, owner);
}

// The links of /proc lead to pipes that have no path (/dev/stdout, the shell's >(...)): no use in
// following them.
static bool is_special(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return false;
    errno = S_ISDIR(there.st_mode) ? EISDIR : ENOTSUP;
    return true;
}

bool stand_in_open(struct stand_in *file, const char *path, int access, enum stand_in_owner owner)
{
    *file = (struct stand_in){.fd = -1};
    if (is_special(path))
        return false;
    file->path = follow_links(path);
    if (file->path && open_resolved(file, access, owner))
        return true;
    stand_in_drop(file);
    return false;
}

// --- Closing -------------------------------------------------------------------------------------

// A network file system may report a full disk only as a file is closed. The descriptor itself
// stays open: it holds the lock, and an unnamed file needs it to get a name.
static bool settle(int fd, bool sync)
{
    if (sync && fsync(fd) != 0)
        return false;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 && close(copy) == 0;
}

static bool give_name(struct stand_in *file)
{
    if (!file->temporary) {
        if (link_slot(file, file->path))
            return true;
        if (errno != EEXIST || !take_slot(file, 0, 0))
            return false;
    }
    if (rename(file->temporary, file->path) != 0)
        return false;
    free(file->temporary);
    file->temporary = NULL;
    return true;
}

static bool sync_directory(const char *path)
{
    char *directory = directory_of(path);
    if (!directory)
        return false;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (fd < 0)
        return false;
    // EINVAL: a file system that has no such thing.
    bool is_synced = fsync(fd) == 0 || errno == EINVAL;
    int error_number = errno;
    close(fd);
    errno = error_number;
    return is_synced;
}

bool stand_in_publish(struct stand_in *file, bool sync)
{
    bool is_published =
        settle(file->fd, sync) && give_name(file) && (!sync || sync_directory(file->path));
    stand_in_drop(file);
    return is_published;
}

void stand_in_drop(struct stand_in *file)
{
    int error_number = errno;
    if (file->temporary)
        unlink(file->temporary);
    if (file->fd >= 0)
        close(file->fd);
    free(file->temporary);
    free(file->path);
    *file = (struct stand_in){.fd = -1};
    errno = error_number;
}
