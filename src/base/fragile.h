// Calls into a library that ends the process where it should fail: libdw 0.188 and ncurses 6.4
// follow null pointers, and libdw asserts, where they get no memory. While a thread is in such a
// call a fault or an abort of that thread becomes one line on standard error and the status of a
// run that failed, instead of a signal. Nothing is saved by that: the process ends.
#ifndef TRAWL_BASE_FRAGILE_H
#define TRAWL_BASE_FRAGILE_H

#include <stddef.h>

// Has faults in marked calls end the process in that way. Once, by the program; a library that does
// not call it leaves signals as they are.
void fragile_install(void);

// Marks what follows in the block it is in, which calls libdw.
#define FRAGILE_BLOCK                                                                              \
    FRAGILE_BLOCK_OF("trawl: debugging information cannot be read: libdw failed, which it does "   \
                     "if memory is lacking\n")

// The same of another library; `told` is the line.
#define FRAGILE_BLOCK_OF(told)                                                                     \
    __attribute__((cleanup(fragile_leave), unused)) const struct fragile_mark fragile_mark_ =      \
        fragile_enter(told, sizeof(told) - 1)

// Private to FRAGILE_BLOCK_OF: the line of the block around it.
struct fragile_mark {
    const char *told;
    size_t length;
};

struct fragile_mark fragile_enter(const char *told, size_t length);
void fragile_leave(const struct fragile_mark *mark);

#endif
