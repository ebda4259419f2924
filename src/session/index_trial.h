// Whether an index that was just made can be read: the cheap questions are asked of it, of the
// kinds that there are, before it is given its name.
#ifndef TRAWL_SESSION_INDEX_TRIAL_H
#define TRAWL_SESSION_INDEX_TRIAL_H

#include "base/error.h"
#include "base/map.h"

// Opens the index, whose map it is from here on, and asks it. `path` is for messages. Failing:
// `err` says what could not be answered.
enum status index_trial(const char *path, struct map *map, struct error *err);

#endif
