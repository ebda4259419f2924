// Ctrl-C, for those who can end in good order.
#ifndef TRAWL_BASE_INTERRUPT_H
#define TRAWL_BASE_INTERRUPT_H

#include "base/base.h"

enum interrupt_signals {
    INTERRUPT_BY_KEY,  // SIGINT: Ctrl-C
    INTERRUPT_BY_BOTH, // and SIGTERM
};

// From here on the first of these signals is a wish that interrupt_is_asked tells of; the second
// ends the program at once, as ever. False: there is no descriptor for it, and nothing changed.
bool interrupt_catch(enum interrupt_signals signals);

// From here on the signals end the program again.
void interrupt_let_go(void);

// Whether it came. Any thread; costs nothing.
bool interrupt_is_asked(void);

// A descriptor that can be read from then on, for poll; -1 before interrupt_catch.
int interrupt_fd(void);

// For a process that was forked: both signals are for the other one alone.
void interrupt_leave(void);

#endif
