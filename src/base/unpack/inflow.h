// The text of a compressed file, in order. Separate threads decompress it ahead of its reader,
// several pieces at the same time if the file has them.
//
// The text is what one thread would read from the beginning to the end, regardless of pieces: if a
// piece turns out not to be one, the file is read as a whole from there on.
#ifndef TRAWL_BASE_UNPACK_INFLOW_H
#define TRAWL_BASE_UNPACK_INFLOW_H

#include "base/error.h"
#include "base/unpack/codec.h"
#include "base/unpack/restart.h"

struct inflow;

// Damage of a file; the text before it is sound.
struct inflow_fault {
    const char *text;     // "are truncated"; NULL: no damage
    uint64_t packed_byte; // in the file, about where it was found
    uint64_t plain_byte;  // in the text, where it ends
};

// `packed` must stay valid. Nothing is read yet. NULL: no memory.
struct inflow *inflow_open(const struct codec *codec, const struct packed *packed,
                           unsigned threads);

// Sets how many threads may decompress. To be called before anything is read.
void inflow_set_threads(struct inflow *inflow, unsigned threads);

// Records places where decompression can start again. To be called before anything is read.
void inflow_keep_restarts(struct inflow *inflow);

// The places in the whole text, after it was read to its end without damage; they belong to the
// inflow. NULL: there are none.
const struct restarts *inflow_restarts(const struct inflow *inflow);

// Returns to the beginning.
void inflow_rewind(struct inflow *inflow);

// Reads until there are `wanted` bytes, or the text ends: at the end of the file, or at damage. The
// only error is STATUS_MEMORY.
enum status inflow_read(struct inflow *inflow, char *bytes, size_t wanted, size_t *have,
                        struct error *err);

// The size of the text in bytes, after it was read to its end; otherwise 0.
uint64_t inflow_text_bytes(const struct inflow *inflow);

// The damage found so far.
struct inflow_fault inflow_fault(const struct inflow *inflow);

void inflow_close(struct inflow *inflow);

#endif
