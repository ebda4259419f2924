// Calls into a library that ends the process where it should fail: libdw 0.188 follows null
// pointers and asserts where it gets no memory. While a thread is in such a call a fault or an
// abort of that thread becomes one line on standard error and the status of a run that failed,
// instead of a signal. Nothing is saved by that: the process ends.
#ifndef TRAWL_BASE_FRAGILE_H
#define TRAWL_BASE_FRAGILE_H

// Has faults in marked calls end the process in that way. Once, by the program; a library that does
// not call it leaves signals as they are.
void fragile_install(void);

// Marks what follows in the block it stands in.
#define FRAGILE_BLOCK                                                                              \
    __attribute__((cleanup(fragile_leave), unused)) const int fragile_mark_ = fragile_enter()

// Private to FRAGILE_BLOCK.
int fragile_enter(void);
void fragile_leave(const int *mark);

#endif
