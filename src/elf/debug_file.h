// The separate file to which the debugging information of an image was moved, if the image has none
// itself.
#ifndef TRAWL_ELF_DEBUG_FILE_H
#define TRAWL_ELF_DEBUG_FILE_H

#include "base/base.h"
#include "elf/image.h"

// --- debug_file.c --------------------------------------------------------------------------------

// Opens it: by the build-id of the image (.build-id/12/34.debug) next to the image and in
// /usr/lib/debug; otherwise by the name in .gnu_debuglink, next to the image, in .debug there and
// under /usr/lib/debug; otherwise by its build-id from a server, if one is set up. A file with
// another build-id or checksum, or for another machine, is not used. If there is none, *out is NULL
// and the status STATUS_OK. STATUS_MEMORY. The caller owns *out.
enum status debug_file_open(struct image **out, const struct image *image, struct error *err);

// Opens the file named by .gnu_debugaltlink of `image`, to which dwz moved information shared by
// several files: by its path, relative to the directory of `image`, or by its build-id, in the
// places above. Its build-id must match. Results are as above.
enum status debug_file_open_shared(struct image **out, const struct image *image,
                                   struct error *err);

// --- debug_server.c ------------------------------------------------------------------------------

// Debugging information from servers (debuginfod), if DEBUGINFOD_URLS is set; otherwise the network
// is never used.
//
// A confined process can neither use the network nor read the cache of answers. So a small child is
// started before, which loads elfutils' own client at the first request, and passes open files.

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
