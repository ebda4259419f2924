// Further threads of a job whose caller does its part, and all of it where no others are to be had.
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include "base/base.h"

#include <pthread.h>

// Starts a thread, for pthread_join. False: there is none to be had, or too little memory for one.
bool thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
