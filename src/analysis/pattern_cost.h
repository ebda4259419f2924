// What a pattern comes to once its repetitions are written out, which is how the C library compiles
// it: without a limit, in memory and time that a few bytes of pattern can make endless, and with a
// stack that many groups in each other overflow.
#ifndef TRAWL_ANALYSIS_PATTERN_COST_H
#define TRAWL_ANALYSIS_PATTERN_COST_H

#include "base/error.h"

// STATUS_INPUT: an extended regular expression counts for more than LIMIT_PATTERN_PARTS parts, or
// is in more than LIMIT_PATTERN_LEVELS groups or repetitions of each other; or it has a
// back-reference, which POSIX does not know there, and which takes time without limit.
// *is_balanced: no ) is a character because no ( is open.
enum status pattern_check(const char *text, bool *is_balanced, struct error *err);

#endif
