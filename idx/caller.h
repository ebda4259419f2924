// What passes between the caller of libtrawl and the rest of the program. The public header depends
// on no other, so errors are converted (all conversions are here); and a caller may have been
// compiled with another version of it, whose structures have fewer or more fields: later versions
// add fields at the end.
#ifndef TRAWL_IDX_CALLER_H
#define TRAWL_IDX_CALLER_H

#include "base/base.h"
#include "base/error.h"
#include "idx/trawl.h"

// Copies as much as fits into the caller's structure, and fills the rest of that with zeros.
static inline void caller_give(void *theirs, size_t their_bytes, const void *ours, size_t our_bytes)
{
    memset(theirs, 0, their_bytes);
    memcpy(theirs, ours, their_bytes < our_bytes ? their_bytes : our_bytes);
}

// Copies what the caller supplied, and fills the rest with zeros.
static inline void caller_take(void *ours, size_t our_bytes, const void *theirs, size_t their_bytes)
{
    caller_give(ours, our_bytes, theirs, their_bytes);
}

// Passes an error to the caller of a public function: the text of `why`, unless `status` is
// STATUS_OK. `theirs` may be NULL.
enum trawl_status errors_give(struct trawl_error *theirs, struct error *why, enum status status);

// The last event at or before `event` that wrote any of the bytes in `mask` of a cell of registers
// (FORMAT.md, 7), and which bytes its timelines that have any of them wrote.
enum trawl_status index_register_writer(struct trawl_index *index, uint64_t lane, uint64_t event,
                                        uint64_t cell, uint8_t mask, uint64_t *found,
                                        uint8_t *found_mask, struct trawl_error *error);

// Converts the result of a public function for its caller. TRAWL_DAMAGED becomes STATUS_DAMAGED,
// which only an index can cause. `err` may be NULL.
enum status index_status(enum trawl_status status, const struct trawl_error *from,
                         struct error *err);

#endif
