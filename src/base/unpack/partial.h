// The text of compressed files, of which only requested parts are decompressed: whole spans between
// recorded places (base/unpack/restart.h), each once. If several files are joined, uncompressed
// ones are copied in the same way.
//
// The text is stored in an unnamed file of the same size, which has blocks only where there is
// text. Any thread may request text; several decompress at the same time if their spans begin at
// different places.
#ifndef TRAWL_BASE_UNPACK_PARTIAL_H
#define TRAWL_BASE_UNPACK_PARTIAL_H

#include "base/unpack/restart.h"

struct partial;

// Takes over the contents of `restarts`, which may belong to these files (restarts_may_be_of). What
// the files point to must stay valid. If places turn out to be wrong, up to `threads` threads
// decompress a file as a whole. NULL: no memory.
struct partial *partial_open(const struct packed_file *files, size_t count,
                             struct restarts *restarts, unsigned threads);

// The address of the text, present or future; NULL: there is no room for it.
const char *partial_text(struct partial *partial);
uint64_t partial_text_bytes(const struct partial *partial);

// Makes the text from `from` to `to` available. False: not possible, and all further requests will
// fail.
bool partial_want(struct partial *partial, uint64_t from, uint64_t to);

// Whether all requests have succeeded so far; otherwise the reason.
enum status partial_status(struct partial *partial, struct error *err);

// The number of bytes that were decompressed or copied.
uint64_t partial_made_bytes(struct partial *partial);

void partial_close(struct partial *partial);

#endif
