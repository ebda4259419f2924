// Hashes of the pieces of a trace that is followed (base/fingerprint.h), for each file, as it is
// read.
#ifndef TRAWL_SESSION_READ_PIECES_H
#define TRAWL_SESSION_READ_PIECES_H

#include "base/source.h"
#include "base/vec.h"

struct file_pieces {
    uint64_t *hashes;
    size_t count, capacity;
};

// Initialize with zeros.
struct read_pieces {
    VEC(, struct file_pieces) files;
};

// Adds pieces that were completely read since; at the end, also incomplete ones. False: no memory.
bool read_pieces_go_on(struct read_pieces *pieces, const struct source *source, bool is_end);

// All hashes, in order. The caller frees them. NULL: no memory.
uint64_t *read_pieces_join(const struct read_pieces *pieces, size_t *count);

void read_pieces_free(struct read_pieces *pieces);

#endif
