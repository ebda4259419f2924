// Where a file that is to be written stands: the directory, held open, and the name in it. What is
// done by the two of them is done there, whatever becomes of the path meanwhile.
//
// Symbolic links are followed, except for those that somebody else has planted: in a directory
// where many may write and each removes only what is his (the sticky bit, as /tmp has it), only
// what is ours or the directory's owner's is followed, replaced or written to. That is the rule of
// Linux's fs.protected_symlinks, _regular and _fifos, which hosts and containers may have switched
// off.
#ifndef TRAWL_BASE_DIR_ENTRY_H
#define TRAWL_BASE_DIR_ENTRY_H

#include "base/base.h"

#include <sys/stat.h>

struct dir_entry {
    int directory; // only to name files in; -1 where there is no place
    char *name;    // in the directory, no symbolic link but one of /proc that has no path
    bool is_there; // a file has the name
    struct stat file;
    bool is_planted; // a failure is for what somebody else has planted
};

// Finds the place that `path` leads to, where a file may stand or not. False, with the reason in
// errno and in is_planted: there is no such place, it is a directory (EISDIR), or somebody has
// planted something on the way there (EACCES).
bool dir_entry_find(struct dir_entry *entry, const char *path);

// Opens what is there, if it is the same file still; `flags` as those of open.
int dir_entry_open(const struct dir_entry *entry, int flags);

// Whether a file can be made or replaced there, as far as can be told without doing it.
bool dir_entry_is_writable(const struct dir_entry *entry);

// Keeps errno and is_planted.
void dir_entry_free(struct dir_entry *entry);

#endif
