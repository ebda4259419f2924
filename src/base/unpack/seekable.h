// The text of compressed files, of which only requested parts are decompressed: whole spans between
// recorded places (base/unpack/access_point.h), each once. If there are several files,
// uncompressed ones are copied in the same way.
//
// The text is stored in an unnamed file of the same size, which has blocks only where there is
// text. Any thread may request text; several decompress at the same time if their spans begin at
// different places.
#ifndef TRAWL_BASE_UNPACK_SEEKABLE_H
#define TRAWL_BASE_UNPACK_SEEKABLE_H

#include "base/unpack/access_point.h"

struct seekable;

// Takes over the contents of `access_points`, which may belong to these files
// (access_points_may_be_of). What the files point to must stay valid. If places turn out to be
// wrong, up to `threads` threads decompress a file as a whole. NULL: no memory.
struct seekable *seekable_open(const struct packed_file *files, size_t count,
                               struct access_points *access_points, unsigned threads);

// The address of the text, present or future; NULL: there is no room for it.
const char *seekable_text(struct seekable *seekable);
uint64_t seekable_text_bytes(const struct seekable *seekable);

// Makes the text from `from` to `to` available. False: not possible, and all further requests will
// fail.
bool seekable_want(struct seekable *seekable, uint64_t from, uint64_t to);

// Whether all requests have succeeded so far; otherwise the reason.
enum status seekable_status(struct seekable *seekable, struct error *err);

// The number of bytes that were decompressed or copied.
uint64_t seekable_made_bytes(struct seekable *seekable);

void seekable_close(struct seekable *seekable);

#endif
