// The separate file to which the debugging information of an image was moved, if the image has none
// itself.
#ifndef TRAWL_ELF_DEBUG_FILE_H
#define TRAWL_ELF_DEBUG_FILE_H

#include "elf/image.h"

// Opens it: by the build-id of the image (.build-id/12/34.debug) next to the image and in
// /usr/lib/debug; else by the name in .gnu_debuglink, next to the image, in .debug there and under
// /usr/lib/debug; else by its build-id from a server, where one is set up (elf/debug_server.h).
// What has another build-id or checksum, or is for another machine, is not taken.
// If there is none *out is NULL and all is well. STATUS_MEMORY. The caller owns *out.
enum status debug_file_open(struct image **out, const struct image *image, struct error *err);

// Opens the file that dwz moved what several files share to, which .gnu_debugaltlink of `image`
// names: as it says, from the directory of `image` on, or by its build-id, where files are looked
// for as above. What has not the build-id that is told is not taken. Results are as above.
enum status debug_file_open_shared(struct image **out, const struct image *image,
                                   struct error *err);

#endif
