// The text of a compressed file, in order: it is decompressed ahead of its reader by threads of its
// own, several pieces at a time where the file has them.
//
// What comes is what one thread would read from the beginning to the end, whatever pieces there
// are: where a piece turns out not to be one, the file is read as a whole from there on.
#ifndef TRAWL_BASE_UNPACK_INFLOW_H
#define TRAWL_BASE_UNPACK_INFLOW_H

#include "base/error.h"
#include "base/unpack/codec.h"
#include "base/unpack/restart.h"

struct inflow;

// What is wrong with a file: everything before it is sound.
struct inflow_fault {
    const char *text;     // "are truncated"; NULL: nothing is
    uint64_t packed_byte; // of the file, about where it was met
    uint64_t plain_byte;  // of the text, where that ends
};

// `packed` has to stay. Nothing is read yet. NULL: no memory.
struct inflow *inflow_open(const struct codec *codec, const struct packed *packed,
                           unsigned threads);

// How many threads may decompress, before anything is read.
void inflow_set_threads(struct inflow *inflow, unsigned threads);

// Has places be kept from which the file may be begun again, before anything is read.
void inflow_keep_restarts(struct inflow *inflow);

// Those of all the text, once its end was read and nothing is wrong with it; they stay the
// inflow's. NULL: there are none.
const struct restarts *inflow_restarts(const struct inflow *inflow);

// Goes back to the beginning.
void inflow_rewind(struct inflow *inflow);

// Reads until there are `wanted` bytes, or the text ends, with its file or where that is damaged.
// STATUS_MEMORY is all that can go wrong.
enum status inflow_read(struct inflow *inflow, char *bytes, size_t wanted, size_t *have,
                        struct error *err);

// How long the text is, once its end was read; else 0.
uint64_t inflow_text_bytes(const struct inflow *inflow);

// What is wrong with what was read so far.
struct inflow_fault inflow_fault(const struct inflow *inflow);

void inflow_close(struct inflow *inflow);

#endif
