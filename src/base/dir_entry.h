// The place of a file that will be written: its directory, held open, and its name there. All
// operations use these two, whatever happens to the path meanwhile.
//
// Symbolic links are followed, except those that another user has planted: in a directory in which
// many can write and users can only remove their own files (sticky, like /tmp), only files of ours
// or of the directory's owner are followed, replaced or written to. This is the rule of Linux's
// fs.protected_symlinks, _regular and _fifos, which may be disabled on hosts and in containers.
#ifndef TRAWL_BASE_DIR_ENTRY_H
#define TRAWL_BASE_DIR_ENTRY_H

#include "base/base.h"

#include <sys/stat.h>

struct dir_entry {
    int directory; // only for finding files; -1: there is none
    char *name;    // in `directory`; not a symbolic link, except one in /proc without a path
    bool is_there; // a file with that name exists
    struct stat file;
    bool is_planted; // the failure is because of something that another user has planted
};

// Finds the place of a file at `path`, which need not exist. False, with the reason in errno and
// is_planted: there is no such place, it is a directory (EISDIR), or another user has planted
// something on the way (EACCES).
bool dir_entry_find(struct dir_entry *entry, const char *path);

// Opens the file there if it is still the same one; `flags` are those of open.
int dir_entry_open(const struct dir_entry *entry, int flags);

// Whether a file can be created or replaced there, as far as that can be found out without doing
// it.
bool dir_entry_is_writable(const struct dir_entry *entry);

// Keeps errno and is_planted.
void dir_entry_free(struct dir_entry *entry);

#endif
