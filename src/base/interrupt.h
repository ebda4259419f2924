// Ctrl-C, for commands that can end in an orderly way.
#ifndef TRAWL_BASE_INTERRUPT_H
#define TRAWL_BASE_INTERRUPT_H

#include "base/base.h"

enum interrupt_signals {
    INTERRUPT_BY_KEY,  // SIGINT: Ctrl-C
    INTERRUPT_BY_BOTH, // and SIGTERM
};

// From here on the first of these signals only makes interrupt_is_asked true; the second one ends
// the program at once. False: there is no descriptor for it, and nothing changed.
bool interrupt_catch(enum interrupt_signals signals);

// From here on the signals end the program again.
void interrupt_let_go(void);

// Whether the signal came. Can be called by any thread, at no cost.
bool interrupt_is_asked(void);

// A descriptor for poll that becomes readable then; -1 before interrupt_catch.
int interrupt_fd(void);

// For a forked process: leaves both signals to the other one.
void interrupt_leave(void);

#endif
