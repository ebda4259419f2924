// Debugging information that a server has (debuginfod), for those who have set one up by
// DEBUGINFOD_URLS; nobody else's run ever asks the network.
//
// A confined process may neither talk to others nor read what is kept of their answers. So a small
// child is made before, which loads elfutils' own client when it is first asked, and hands over
// files that are open.
#ifndef TRAWL_ELF_DEBUG_SERVER_H
#define TRAWL_ELF_DEBUG_SERVER_H

#include "base/base.h"

// Makes the child, where DEBUGINFOD_URLS is set. The process has one thread, and is not confined
// yet.
void debug_server_begin(void);

// The file with the debugging information of a build-id, in hexadecimal digits; -1: there is none,
// there is no server or no client (libdebuginfod), or none answers in LIMIT_DEBUG_SERVER_WAIT_S.
int debug_server_open(const char *build_id);

#endif
