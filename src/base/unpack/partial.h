// The text of compressed files, of which only what is asked for is decompressed: whole spans
// between the places that are kept of it (base/unpack/restart.h), each once. Of several files whose
// text is one, those that are not compressed are copied in the same way.
//
// It stands in an unnamed file of the text's size, which has blocks where there is text. Any thread
// may ask; several decompress at a time where they want what begins at different places.
#ifndef TRAWL_BASE_UNPACK_PARTIAL_H
#define TRAWL_BASE_UNPACK_PARTIAL_H

#include "base/unpack/restart.h"

struct partial;

// Takes `restarts`, which may be of those files (restarts_may_be_of). What the files point to has
// to stay. Where places are not what they should be, up to `threads` decompress a file as a whole.
// NULL: no memory.
struct partial *partial_open(const struct packed_file *files, size_t count,
                             struct restarts *restarts, unsigned threads);

// Where the text is, or will be; NULL: there is no room for it.
const char *partial_text(struct partial *partial);
uint64_t partial_text_bytes(const struct partial *partial);

// Has what stands from `from` on up to `to` be there. False: it cannot be had, and nothing can from
// then on.
bool partial_want(struct partial *partial, uint64_t from, uint64_t to);

// Whether that went well so far; else why not.
enum status partial_status(struct partial *partial, struct error *err);

// How many bytes were decompressed or copied.
uint64_t partial_made_bytes(struct partial *partial);

void partial_close(struct partial *partial);

#endif
