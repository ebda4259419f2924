// The separate file to which the debugging information of an image was moved, if the image has none
// itself.
#ifndef TRAWL_ELF_DEBUG_FILE_H
#define TRAWL_ELF_DEBUG_FILE_H

#include "elf/image.h"

// Opens it: by the build-id of the image (.build-id/12/34.debug) next to the image and in
// /usr/lib/debug; otherwise by the name in .gnu_debuglink, next to the image, in .debug there and
// under /usr/lib/debug; otherwise by its build-id from a server, if one is set up
// (elf/debug_server.h). A file with another build-id or checksum, or for another machine, is not
// used. If there is none, *out is NULL and the status STATUS_OK. STATUS_MEMORY. The caller owns
// *out.
enum status debug_file_open(struct image **out, const struct image *image, struct error *err);

// Opens the file named by .gnu_debugaltlink of `image`, to which dwz moved information shared by
// several files: by its path, relative to the directory of `image`, or by its build-id, in the
// places above. Its build-id must match. Results are as above.
enum status debug_file_open_shared(struct image **out, const struct image *image,
                                   struct error *err);

#endif
