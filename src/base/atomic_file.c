#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <xxhash.h>

// The most writers of one file that can have a temporary name at the same time.
#define SLOTS 16

#define FD_LINK_BYTES 32

// --- Names ---------------------------------------------------------------------------------------

static char *slot_name(const struct dir_entry *entry, int slot)
{
    uint64_t hash = XXH3_64bits(entry->name, strlen(entry->name));
    char *name = NULL;
    if (asprintf(&name, ".trawl-%016" PRIx64 "-%d.tmp", hash, slot) >= 0)
        return name;
    errno = ENOMEM;
    return NULL;
}

static bool is_named(int fd, const struct dir_entry *entry, const char *name)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 &&
           fstatat(entry->directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

// False: another process has the lock. True also without locks in the file system, because then no
// process removes files.
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// --- Opening -------------------------------------------------------------------------------------

static void write_fd_link(char link[FD_LINK_BYTES], int fd)
{
    snprintf(link, FD_LINK_BYTES, "/proc/self/fd/%d", fd);
}

// Opens a file without a name. It can only get a name later if /proc is available.
static bool open_unnamed(struct atomic_file *file, int access_mode, mode_t mode)
{
    char link[FD_LINK_BYTES];
    file->fd = openat(file->entry.directory, ".", O_TMPFILE | access_mode | O_CLOEXEC, mode);
    if (file->fd < 0)
        return false;
    write_fd_link(link, file->fd);
    if (access(link, F_OK) == 0 && lock(file->fd))
        return true;
    close(file->fd);
    file->fd = -1;
    return false;
}

// Another process may remove the file between its creation and the lock: then its name is gone.
static bool open_slot(struct atomic_file *file, char *name, int access_mode, mode_t mode)
{
    int fd = openat(file->entry.directory, name, access_mode | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    if (!lock(fd) || !is_named(fd, &file->entry, name)) {
        close(fd);
        errno = EEXIST;
        return false;
    }
    file->fd = fd;
    return true;
}

static bool link_slot(struct atomic_file *file, const char *name)
{
    char link[FD_LINK_BYTES];
    write_fd_link(link, file->fd);
    return linkat(AT_FDCWD, link, file->entry.directory, name, AT_SYMLINK_FOLLOW) == 0;
}

// Gives the file the first free temporary name; creates it if it is not open yet.
static bool take_slot(struct atomic_file *file, int access_mode, mode_t mode)
{
    for (int slot = 0; slot < SLOTS; slot++) {
        char *name = slot_name(&file->entry, slot);
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

// Copies the access control list of `like`, if it has one; otherwise removes the one that the
// directory gives to new files. False: the list could not be copied, and the mode alone would give
// others access that the list denies.
static bool inherit_list(int fd, int like)
{
    static const char name[] = "system.posix_acl_access";
    char list[4096];
    ssize_t length = fgetxattr(like, name, list, sizeof list);
    if (length >= 0)
        return fsetxattr(fd, name, list, (size_t)length, 0) == 0;
    fremovexattr(fd, name);
    return errno != ERANGE;
}

// The mode for a file whose group cannot be kept: our group, and the users in it, get no more
// permissions than everybody has.
static mode_t without_group(mode_t mode)
{
    return (mode & ~(mode_t)077) | (mode & mode >> 3 & 07) * 011;
}

static bool inherit(int fd, const struct stat *model, mode_t mode, enum atomic_file_owner owner)
{
    if (fchown(fd, model->st_uid, model->st_gid) != 0) {
        if (owner == ATOMIC_FILE_KEEP_OWNER) {
            errno = EPERM; // for any cause, because a container has owners that it cannot name
            return false;
        }
        if (fchown(fd, (uid_t)-1, model->st_gid) != 0)
            mode = without_group(mode);
    }
    return fchmod(fd, mode) == 0;
}

static bool inherit_rights(int fd, const struct dir_entry *entry, enum atomic_file_owner owner,
                           int like)
{
    struct stat model;
    if (like < 0)
        return inherit(fd, &entry->file, entry->file.st_mode & 0777, owner);
    if (fstat(like, &model) != 0)
        return false;
    mode_t mode = (model.st_mode & 0666) | 0600;
    if (inherit(fd, &model, inherit_list(fd, like) ? mode : without_group(mode), owner))
        return true;
    // They need not be set if a file system that has the same ones for all files already gives no
    // more.
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_uid == model.st_uid && now.st_gid == model.st_gid &&
           (now.st_mode & ~model.st_mode & 0777) == 0;
}

// Creates the file. Until its owner and group are set, nobody else has access.
static bool make(struct atomic_file *file, int access_mode, enum atomic_file_owner owner, int like)
{
    const struct dir_entry *entry = &file->entry;
    bool is_like_another = like >= 0 || entry->is_there;
    mode_t mode = is_like_another ? 0600 : 0666;
    for (int slot = 0; slot < SLOTS; slot++) {
        char *name = slot_name(entry, slot);
        if (name) {
            // Removes a temporary file that nobody has locked. Only the holder of the lock may
            // unlink the name, so no other file can get it between the check and the unlink.
            int fd = openat(entry->directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
            if (fd >= 0) {
                if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, entry, name))
                    unlinkat(entry->directory, name, 0);
                close(fd);
            }
        }
        free(name);
    }
    return (open_unnamed(file, access_mode, mode) || take_slot(file, access_mode, mode)) &&
           (!is_like_another || inherit_rights(file->fd, entry, owner, like));
}

// Closes and frees everything except the name.
static void drop_file(struct atomic_file *file)
{
    int error_number = errno;
    if (file->temporary)
        unlinkat(file->entry.directory, file->temporary, 0);
    if (file->fd >= 0)
        close(file->fd);
    free(file->temporary);
    file->temporary = NULL;
    file->fd = -1;
    errno = error_number;
}

bool atomic_file_open(struct atomic_file *file, const char *path, int access,
                      enum atomic_file_owner owner, int like)
{
    *file = (struct atomic_file){.fd = -1};
    if (!dir_entry_find(&file->entry, path))
        return false;
    // Replacing a file does not require permission to write to it, but this keeps a file that its
    // owner has protected.
    const struct dir_entry *entry = &file->entry;
    bool may_replace = !entry->is_there;
    if (entry->is_there && S_ISREG(entry->file.st_mode))
        may_replace = faccessat(entry->directory, entry->name, W_OK, 0) == 0;
    else if (entry->is_there)
        errno = ENOTSUP;
    if (may_replace && make(file, access, owner, like))
        return true;
    drop_file(file);
    return false;
}

enum status atomic_file_error(const struct atomic_file *file, const char *path, struct error *err)
{
    if (!file->entry.is_planted)
        return error_set_errno(err, path, "open for writing");
    return error_set(err, STATUS_IO,
                     "%s: open for writing: leads to what belongs to another user, in a "
                     "directory where everybody may write (sticky)",
                     path);
}

// --- Closing -------------------------------------------------------------------------------------

static bool give_name(struct atomic_file *file)
{
    const struct dir_entry *entry = &file->entry;
    if (!file->temporary) {
        if (link_slot(file, entry->name))
            return true;
        if (errno != EEXIST || !take_slot(file, 0, 0))
            return false;
    }
    if (renameat(entry->directory, file->temporary, entry->directory, entry->name) != 0)
        return false;
    free(file->temporary);
    file->temporary = NULL;
    return true;
}

static bool sync_directory(const struct dir_entry *entry)
{
    int fd = openat(entry->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    // EINVAL: the file system does not support it.
    bool is_synced = fsync(fd) == 0 || errno == EINVAL;
    int error_number = errno;
    close(fd);
    errno = error_number;
    return is_synced;
}

// Blocks signals, so that an interruption leaves no temporary name.
static bool give_name_at_once(struct atomic_file *file)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_given = give_name(file);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_given;
}

bool atomic_file_publish(struct atomic_file *file, bool sync)
{
    bool is_published = !sync || fsync(file->fd) == 0;
    // A network file system may report a full disk only when a file is closed. The descriptor stays
    // open: it holds the lock, and an unnamed file needs it to get its name.
    int copy = is_published ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
    is_published = copy >= 0 && close(copy) == 0 && give_name_at_once(file) &&
                   (!sync || sync_directory(&file->entry));
    atomic_file_drop(file);
    return is_published;
}

void atomic_file_drop(struct atomic_file *file)
{
    drop_file(file);
    dir_entry_free(&file->entry);
}
