// What faults.c needs on the machine itself, where it uses the heap of the C library, for Valgrind.
#include "faults.h"

#include <stdio.h>

void print_number(const char *label, uint32_t value)
{
    printf("%s%u\n", label, value);
}

NOINLINE void mutex_lock(struct lock *lock)
{
    lock->is_taken = 1;
}

NOINLINE void mutex_unlock(struct lock *lock)
{
    lock->is_taken = 0;
}
