// What a pattern comes to once its repetitions are written out, which is how the C library compiles
// it: without a limit, in memory and time that a few bytes of pattern can make endless, and with a
// stack that many groups in each other overflow.
#ifndef TRAWL_ANALYSIS_PATTERN_COST_H
#define TRAWL_ANALYSIS_PATTERN_COST_H

#include "base/base.h"

// Whether an extended regular expression may be compiled: it counts for at most LIMIT_PATTERN_PARTS
// parts, in at most LIMIT_PATTERN_LEVELS groups or repetitions of each other.
bool pattern_may_be_compiled(const char *text);

#endif
