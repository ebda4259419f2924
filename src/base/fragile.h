// Calls into libraries that crash instead of returning an error: without memory, libdw 0.188 and
// ncurses 6.4 follow null pointers, and libdw asserts. While a thread is in such a call, a fault or
// an abort of that thread ends the process with a line on standard error and the status of a failed
// run, instead of a signal. The process ends in any case.
#ifndef TRAWL_BASE_FRAGILE_H
#define TRAWL_BASE_FRAGILE_H

#include <stddef.h>

// Installs this for marked calls. Called once, by the program; in a library that does not call it,
// signals keep their effect.
void fragile_install(void);

// Marks the rest of the current block as calling libdw.
#define FRAGILE_BLOCK                                                                              \
    FRAGILE_BLOCK_OF("trawl: debugging information cannot be read: libdw failed, probably for "    \
                     "lack of memory\n")

// The same for another library; `told` is the message.
#define FRAGILE_BLOCK_OF(told)                                                                     \
    __attribute__((cleanup(fragile_leave), unused)) const struct fragile_mark fragile_mark_ =      \
        fragile_enter(told, sizeof(told) - 1)

// Private to FRAGILE_BLOCK_OF: the message of the surrounding block.
struct fragile_mark {
    const char *told;
    size_t length;
};

struct fragile_mark fragile_enter(const char *told, size_t length);
void fragile_leave(const struct fragile_mark *mark);

#endif
