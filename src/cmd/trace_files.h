// The other files of a trace, as they are typed.
#ifndef TRAWL_CMD_TRACE_FILES_H
#define TRAWL_CMD_TRACE_FILES_H

#include "session/session.h"

#define TRACE_FILES_WHY_BYTES 400

// Takes a FILE or a pattern of some, with NAME= before it where files are merged. False: no memory.
bool trace_files_take(struct session_files *files, const char *typed);

// Once all is typed, with the name of the trace's first file: puts what patterns match in their
// places, by the numbers in their names, without the trace itself and indexes. What is there by its
// name is no pattern. Where files are merged, finds out which core each is of. `why` says what is
// wrong, and stays where nothing is. False: no memory.
bool trace_files_settle(struct session_files *files, const char *trace, bool merges,
                        char why[TRACE_FILES_WHY_BYTES]);

// Finds the files anew that were typed, as there may be more by now. Freed by session_files_free
// either way.
bool trace_files_settle_again(struct session_files *found, const struct session_files *files,
                              const char *trace, char why[TRACE_FILES_WHY_BYTES]);

#endif
