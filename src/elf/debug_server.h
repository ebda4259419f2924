// Debugging information from servers (debuginfod), if DEBUGINFOD_URLS is set; otherwise the network
// is never used.
//
// A confined process can neither use the network nor read the cache of answers. So a small child is
// started before, which loads elfutils' own client at the first request, and passes open files.
#ifndef TRAWL_ELF_DEBUG_SERVER_H
#define TRAWL_ELF_DEBUG_SERVER_H

#include "base/base.h"

// Starts the child, if DEBUGINFOD_URLS is set. The process must have one thread, and not be
// confined yet. `is_silent`: nothing is said about servers that fail, as it would spoil a screen.
void debug_server_begin(bool is_silent);

// The file with the debugging information of a build-id in hexadecimal digits; negative: there is
// none, no server or no client (libdebuginfod), or no answer in LIMIT_DEBUG_SERVER_WAIT_S. That a
// server failed is said on stderr, once in a process.
int debug_server_open(const char *build_id);

// Says, as above, why a file that a server sent is of no use.
void debug_server_refuse(const char *reason);

#endif
