// From now on, restricts the process to files in a few places; it can neither run programs nor
// connect to others. (A process whose work is to run programs that confine themselves is only kept
// from connecting.) Uses Landlock and seccomp of the Linux kernel as far as they are available;
// otherwise it does nothing, without a message, because this is a second line of defence.
#ifndef TRAWL_BASE_SANDBOX_H
#define TRAWL_BASE_SANDBOX_H

#include "base/base.h"

enum sandbox_access { SANDBOX_READ, SANDBOX_WRITE }; // write access includes read access

// Whether others may connect to the process; it never opens a connection itself. One that
// SANDBOX_STARTS other programs is silent, and so are these, but has all files.
enum sandbox_talk { SANDBOX_SILENT, SANDBOX_LISTENS, SANDBOX_STARTS };

struct sandbox {
    enum sandbox_talk talk;
    int ruleset;      // -1: the kernel does not support it
    uint64_t handled; // accesses that the kernel knows
};

// Begins a description of what is allowed. Nothing is refused yet.
void sandbox_begin(struct sandbox *sandbox, enum sandbox_talk talk);

// Allows access to the file or directory `fd`, which may be opened with O_PATH, and to everything
// below it.
void sandbox_allow(const struct sandbox *sandbox, int fd, enum sandbox_access access);

// The same for a path, if it exists.
void sandbox_allow_path(const struct sandbox *sandbox, const char *path,
                        enum sandbox_access access);

// From now on, refuses everything else to this thread and to threads that it starts. Frees the
// sandbox.
void sandbox_enter(struct sandbox *sandbox);

#endif
