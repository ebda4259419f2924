// Checks whether a new index can be read, before it gets its name: runs the cheap questions of each
// kind.
#ifndef TRAWL_SESSION_INDEX_TRIAL_H
#define TRAWL_SESSION_INDEX_TRIAL_H

#include "idx/index_write.h"

// Reads back what was written so far, opens it as an index, and queries it. `path` is for messages.
// On failure, `err` says what could not be answered.
enum status index_trial_of(struct index_writer *writer, const char *path, struct error *err);

#endif
