// The text of a compressed file, of which only what is asked for is decompressed: whole spans
// between the places that it may be begun at (base/unpack/restart.h), each once.
//
// It stands in an unnamed file of the text's size, which has blocks where there is text.
#ifndef TRAWL_BASE_UNPACK_PARTIAL_H
#define TRAWL_BASE_UNPACK_PARTIAL_H

#include "base/unpack/restart.h"

struct partial;

// Takes `restarts`, which may be of that file (restarts_may_be_of). NULL: no memory.
struct partial *partial_open(const struct codec *codec, const struct packed *packed,
                             struct restarts *restarts);

// Where the text is, or will be; NULL: there is no room for it. Any thread may ask.
const char *partial_text(struct partial *partial);
uint64_t partial_text_bytes(const struct partial *partial);

// Has what stands from `from` on up to `to` decompressed. STATUS_DAMAGED: it is not what it should
// be. Any thread may ask.
enum status partial_want(struct partial *partial, uint64_t from, uint64_t to, struct error *err);

// The text, to be written as a whole from its beginning by somebody who reads it otherwise; NULL:
// there is no room. It counts as decompressed from then on.
char *partial_take_over(struct partial *partial);

// How many bytes were decompressed.
uint64_t partial_unpacked_bytes(struct partial *partial);

void partial_close(struct partial *partial);

#endif
