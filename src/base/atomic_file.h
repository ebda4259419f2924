// A file that appears under its name only when it is complete.
//
// Until then it has no name if the file system supports that, so a kill leaves nothing behind.
// Otherwise it has a temporary name in the same directory, ".trawl-HASH-N.tmp", where HASH is
// computed from the final name: the next process that writes the same file finds the remains of a
// killed one without a search. The writer holds a lock (flock) on its file while it lives, so that
// the file of a living process is kept. Functions that return false leave the reason in errno.
#ifndef TRAWL_BASE_STAND_IN_H
#define TRAWL_BASE_STAND_IN_H

#include "base/dir_entry.h"
#include "base/error.h"

struct atomic_file {
    int fd; // to be written to; -1: none is open
    struct dir_entry entry;
    char *temporary; // its temporary name in the directory; NULL: none
};

#define ATOMIC_FILE_NONE                                                                           \
    {                                                                                              \
        .fd = -1, .entry = {.directory = -1 }                                                      \
    }

enum atomic_file_owner {
    ATOMIC_FILE_KEEP_OWNER,    // keep the owner of the file that is replaced, or fail with EPERM
    ATOMIC_FILE_MAY_TAKE_OVER, // if the owner cannot be kept, the file becomes ours
};

// Creates a file that will replace the one at `path`. It has the permissions, owner and group of
// the open file `like`, and at least write permission for us; if `like` is -1, those of the regular
// file that it replaces, or else those of any new file. At no time does anybody have more rights
// than that, even if owner or group cannot be set. `access` is O_WRONLY or O_RDWR. Fails with
// EISDIR for a directory, with EACCES for a file that its owner protected from us and for what
// dir_entry_find refuses, with ENOTSUP for anything else that is not a regular file; after a
// failure only the place is known.
bool atomic_file_open(struct atomic_file *file, const char *path, int access,
                      enum atomic_file_owner owner, int like);

// The error of a failed atomic_file_open: its errno, or that another user has planted something.
enum status atomic_file_error(const struct atomic_file *file, const char *path, struct error *err);

// Gives the file its name, replacing any file of that name. With `sync`, file and name are on the
// disk before this returns. On failure the old file stays and nothing new is left, except that a
// directory that cannot be synced contains the new file. Closes the file in any case.
bool atomic_file_publish(struct atomic_file *file, bool sync);

// Closes the file and removes it. Does nothing if none is open; keeps errno. Also to be called
// after a failure to open.
void atomic_file_drop(struct atomic_file *file);

#endif
