// The other files of a trace, as typed.
#ifndef TRAWL_CMD_TRACE_FILES_H
#define TRAWL_CMD_TRACE_FILES_H

#include "session/session.h"

#include <glob.h>

#define TRACE_FILES_WHY_BYTES 400

// What a pattern matches, as glob does; to be freed by globfree. GLOB_NOSPACE: no memory, which
// glob itself does not tell from a directory that cannot be read.
int trace_files_match(const char *pattern, glob_t *found);

// Takes a FILE or a pattern, with NAME= before it if files are merged. False: no memory.
bool trace_files_take(struct session_files *files, const char *typed);

// After all options, with the name of the trace's first file: replaces patterns by the files that
// they match, ordered by the numbers in their names, without the trace itself and indexes. The name
// of an existing file is not a pattern. A file may be typed once only. If files are merged, finds
// the core of each. `why` is set to what is wrong, if anything. False: no memory.
bool trace_files_settle(struct session_files *files, const char *trace, bool merges,
                        char why[TRACE_FILES_WHY_BYTES]);

// Resolves again what was typed, because there may be more files by now. Freed by
// session_files_free either way.
bool trace_files_settle_again(struct session_files *found, const struct session_files *files,
                              const char *trace, char why[TRACE_FILES_WHY_BYTES]);

#endif
