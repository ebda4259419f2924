// A file that appears under its name only when it is whole.
//
// Until then it has no name at all, where the file system can do that, and a kill leaves nothing.
// Elsewhere it is next to its place under a temporary name, ".trawl-HASH-N.tmp", where HASH is
// made of the final name: whoever writes the same file next finds what a killed one left without a
// search. The maker holds a lock (flock) on its file for as long as it lives, so that the file of a
// living one stays. Functions that return false leave the reason in errno.
#ifndef TRAWL_BASE_STAND_IN_H
#define TRAWL_BASE_STAND_IN_H

#include "base/dir_entry.h"
#include "base/error.h"

struct atomic_file {
    int fd; // to write to; -1 when nothing is open
    struct dir_entry entry;
    char *temporary; // its own name in the directory, NULL while it has none
};

#define ATOMIC_FILE_NONE                                                                           \
    {                                                                                              \
        .fd = -1, .entry = {.directory = -1 }                                                      \
    }

enum atomic_file_owner {
    ATOMIC_FILE_KEEP_OWNER,    // the owner of the file it replaces, or fail with EPERM
    ATOMIC_FILE_MAY_TAKE_OVER, // if it cannot be kept, the file becomes ours
};

// Makes a file to stand in for the one at `path`. It has the permissions, the owner and the group
// of the open file `like`, at least ours to write; where that is -1 those of the regular file that
// it replaces, else those of any new file. Nobody has more rights in it than so, at any time, also
// where owner or group cannot be given. `access` is O_WRONLY or O_RDWR. Fails with EISDIR for a
// directory, with EACCES for a file that its owner protected from us and for what dir_entry_find
// refuses, with ENOTSUP for anything else that is not a regular file; of what is left of a failure
// only the place is known.
bool atomic_file_open(struct atomic_file *file, const char *path, int access,
                      enum atomic_file_owner owner, int like);

// Says why atomic_file_open failed: its errno, or what somebody has planted.
enum status atomic_file_error(const struct atomic_file *file, const char *path, struct error *err);

// Gives the file its name, in place of whatever file has that name now. With `sync` it is on the
// disk, name and all, before this returns. On failure the old file stays and nothing new is left,
// except that a directory that cannot be synced has the new file. Closes the file in any case.
bool atomic_file_publish(struct atomic_file *file, bool sync);

// Closes the file and leaves nothing of it. Does nothing where none is open; keeps errno. Also of a
// failure to open.
void atomic_file_drop(struct atomic_file *file);

#endif
