// Time for measurements: elapsed time, not the time of day.
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include "base/base.h"

#define NS_PER_S UINT64_C(1000000000)

// Nanoseconds since some point in the past; never less than before.
uint64_t monotonic_ns(void);

#endif
