#include "base/dir_entry.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

// A path that is being resolved.
struct walk {
    struct dir_entry *entry;
    char *rest; // the rest of the path, relative to entry->directory
    int links;
    bool is_handed; // reached by a link in /proc: the process that passed us the file has already
                    // opened it
};

// A component of the path.
struct step {
    char name[NAME_MAX + 1];
    const char *behind; // the path after it and its slashes
    bool is_last;
    int fd; // the file itself, even if it is a link; only for fstat
    struct stat file;
};

// --- Planted files -------------------------------------------------------------------------------

static bool is_planted(int directory, const struct stat *file)
{
    struct stat around;
    if (fstat(directory, &around) != 0)
        return true;
    bool is_shared = (around.st_mode & S_ISVTX) && (around.st_mode & (S_IWGRP | S_IWOTH));
    return is_shared && file->st_uid != geteuid() && file->st_uid != around.st_uid;
}

static bool refuse(struct walk *walk)
{
    walk->entry->is_planted = true;
    errno = EACCES;
    return false;
}

// --- A step --------------------------------------------------------------------------------------

static void go_to(struct walk *walk, int directory)
{
    close(walk->entry->directory);
    walk->entry->directory = directory;
}

static bool take_rest(struct walk *walk, char *rest)
{
    free(walk->rest);
    walk->rest = rest;
    if (!rest)
        errno = ENOMEM;
    return rest;
}

static bool is_of_proc(int fd)
{
    struct statfs system;
    return fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

static bool follow_text(struct walk *walk, const struct step *step)
{
    char target[PATH_MAX], *rest = NULL;
    ssize_t length = readlinkat(step->fd, "", target, sizeof target);
    if (length < 0)
        return false;
    if (target[0] == '/') {
        int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (root < 0)
            return false;
        go_to(walk, root);
    }
    int written =
        asprintf(&rest, "%.*s%s%s", (int)length, target, step->is_last ? "" : "/", step->behind);
    return take_rest(walk, written < 0 ? NULL : rest);
}

// Ends at the last component, which is a file or does not exist.
static bool end_at(struct walk *walk, const struct step *step, bool *is_end)
{
    struct dir_entry *entry = walk->entry;
    entry->is_there = step->fd >= 0;
    entry->file = step->file;
    if (entry->is_there && !walk->is_handed && is_planted(entry->directory, &step->file))
        return refuse(walk);
    *is_end = true;
    return true;
}

static bool take_open_step(struct walk *walk, const struct step *step, bool *is_end)
{
    if (S_ISLNK(step->file.st_mode)) {
        if (++walk->links > LIMIT_LINKS) {
            errno = ELOOP;
            return false;
        }
        if (is_planted(walk->entry->directory, &step->file))
            return refuse(walk);
        if (!is_of_proc(step->fd))
            return follow_text(walk, step);
        // Follows a link in /proc, which leads to a file regardless of its text, possibly to one
        // without a path, such as a pipe. *is_end: it led to such a file.
        int directory = walk->entry->directory;
        struct stat there;
        if (fstatat(directory, step->name, &there, 0) != 0)
            return false;
        if (S_ISDIR(there.st_mode)) {
            int next = openat(directory, step->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (next < 0)
                return false;
            go_to(walk, next);
            return take_rest(walk, strdup(step->behind));
        }
        walk->is_handed = true;
        if (S_ISREG(there.st_mode))
            return follow_text(walk, step);
        *is_end = walk->entry->is_there = true;
        walk->entry->file = there;
        return true;
    }
    if (!step->is_last) {
        int next = openat(walk->entry->directory, step->name,
                          O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            return false;
        go_to(walk, next);
        return take_rest(walk, strdup(step->behind));
    }
    if (!S_ISDIR(step->file.st_mode))
        return end_at(walk, step, is_end);
    errno = EISDIR;
    return false;
}

static bool take_step(struct walk *walk, bool *is_end)
{
    struct step step = {.fd = -1};
    struct dir_entry *entry = walk->entry;
    const char *from = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(from, "/");
    if (length > NAME_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(step.name, from, length);
    step.name[length] = 0;
    step.behind = from + length + strspn(from + length, "/");
    step.is_last = from[length] == 0; // a slash after it requires a directory
    if (!*step.name) {                // "/", or a path that ends in a slash
        errno = EISDIR;
        return false;
    }
    step.fd = openat(entry->directory, step.name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (step.fd < 0 && (errno != ENOENT || !step.is_last))
        return false;
    bool is_taken = step.fd < 0
                        ? end_at(walk, &step, is_end)
                        : fstat(step.fd, &step.file) == 0 && take_open_step(walk, &step, is_end);
    if (step.fd >= 0) {
        int error_number = errno; // of the step
        close(step.fd);
        errno = error_number;
    }
    if (!is_taken || !*is_end)
        return is_taken;
    entry->name = strdup(step.name);
    return entry->name;
}

bool dir_entry_find(struct dir_entry *entry, const char *path)
{
    struct walk walk = {.entry = entry, .rest = strdup(path)};
    bool is_end = false, is_fine = walk.rest;
    *entry = (struct dir_entry){.directory = -1};
    if (is_fine) {
        entry->directory = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        is_fine = entry->directory >= 0;
    }
    if (is_fine && !*path) {
        errno = ENOENT;
        is_fine = false;
    }
    while (is_fine && !is_end)
        is_fine = take_step(&walk, &is_end);
    free(walk.rest);
    if (!is_fine)
        dir_entry_free(entry);
    return is_fine;
}

// --- Using the place -----------------------------------------------------------------------------

int dir_entry_open(const struct dir_entry *entry, int flags)
{
    struct stat now;
    bool is_link = !S_ISREG(entry->file.st_mode) && is_of_proc(entry->directory);
    int fd = openat(entry->directory, entry->name, flags | (is_link ? 0 : O_NOFOLLOW) | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &now) == 0 && now.st_dev == entry->file.st_dev &&
                   now.st_ino == entry->file.st_ino))
        return fd;
    close(fd);
    errno = EBUSY; // another file has replaced it
    return -1;
}

bool dir_entry_is_writable(const struct dir_entry *entry)
{
    return faccessat(entry->directory, ".", W_OK | X_OK, 0) == 0 &&
           (!entry->is_there || faccessat(entry->directory, entry->name, W_OK, 0) == 0);
}

void dir_entry_free(struct dir_entry *entry)
{
    int error_number = errno;
    if (entry->directory >= 0)
        close(entry->directory);
    free(entry->name);
    *entry = (struct dir_entry){.directory = -1, .is_planted = entry->is_planted};
    errno = error_number;
}
