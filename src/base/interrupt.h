// Handles Ctrl-C for commands that can end in an orderly way.
#ifndef TRAWL_BASE_INTERRUPT_H
#define TRAWL_BASE_INTERRUPT_H

#include "base/base.h"

enum interrupt_signals {
    INTERRUPT_BY_KEY,  // SIGINT: Ctrl-C
    INTERRUPT_BY_BOTH, // and SIGTERM
};

// From now on, the first of these signals only makes interrupt_is_asked true; the second one ends
// the program at once. False: no descriptor is available, and nothing has changed.
bool interrupt_catch(enum interrupt_signals signals);

// From now on, the signals end the program again.
void interrupt_let_go(void);

// Whether they make interrupt_is_asked true now.
bool interrupt_is_caught(void);

// Whether a signal came. Any thread may call it; it is fast.
bool interrupt_is_asked(void);

// A descriptor for poll that becomes readable when a signal comes; -1 before interrupt_catch.
int interrupt_fd(void);

// For a forked process: leaves both signals to the parent process.
void interrupt_leave(void);

#endif
