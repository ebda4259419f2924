// What the process may do from here on: reach files beneath a few places, and neither run programs
// nor talk to others. By Landlock and seccomp of Linux, where the kernel has them; else, or in
// part, not at all, quietly: it is a second line behind our own care.
#ifndef TRAWL_BASE_SANDBOX_H
#define TRAWL_BASE_SANDBOX_H

#include "base/base.h"

enum sandbox_access { SANDBOX_READ, SANDBOX_WRITE }; // who may write may read

// Whether others may begin to talk to the process; it never begins itself.
enum sandbox_talk { SANDBOX_SILENT, SANDBOX_LISTENS };

struct sandbox {
    enum sandbox_talk talk;
    int ruleset;      // -1: the kernel has none
    uint64_t handled; // accesses that the kernel knows
};

// Begins to say what is allowed. Nothing is refused yet.
void sandbox_begin(struct sandbox *sandbox, enum sandbox_talk talk);

// Allows access to the file or directory `fd`, which may be opened by O_PATH, and to all beneath
// it.
void sandbox_allow(const struct sandbox *sandbox, int fd, enum sandbox_access access);

// The same by its path, if it is there.
void sandbox_allow_path(const struct sandbox *sandbox, const char *path,
                        enum sandbox_access access);

// Refuses all else from here on, to this thread and those that it starts. Frees the sandbox.
void sandbox_enter(struct sandbox *sandbox);

#endif
