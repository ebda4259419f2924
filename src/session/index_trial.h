// Checks whether a new index can be read, before it gets its name: runs the cheap questions of each
// kind.
#ifndef TRAWL_SESSION_INDEX_TRIAL_H
#define TRAWL_SESSION_INDEX_TRIAL_H

#include "base/error.h"
#include "base/map.h"

// Opens the index, which takes over the map, and queries it. `path` is for messages. On failure,
// `err` says what could not be answered.
enum status index_trial(const char *path, struct map *map, struct error *err);

#endif
