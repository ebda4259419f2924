// What the programs with faults share: a heap, locks, and the switch between faulty and clean.
#ifndef FAULTS_H
#define FAULTS_H

#include "lib.h"

#ifdef CLEAN
enum { FAULTY = 0 };
#else
enum { FAULTY = 1 };
#endif

// The compiler must not know what is in an object, or that nothing is.
#define LAUNDER(object) __asm__ volatile("" : : "r"(&(object)) : "memory")

extern volatile uint32_t heap_users; // tasks that are in these functions

void *malloc(size_t size);
void free(void *block);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);

// C++'s, of this machine.
#ifdef __LP64__
#define operator_new _Znwm
#else
#define operator_new _Znwj
#endif
#define operator_delete _ZdlPv
void *operator_new(size_t size);
void operator_delete(void *block);

struct lock {
    volatile uint32_t is_taken;
};

void mutex_lock(struct lock *lock);
void mutex_unlock(struct lock *lock);
void usleep(uint32_t microseconds);

// By the program: others run, or time passes.
void wait_for_others(void);

#endif
