// Memory that is known only from loads: a cell for each unknown item, and the pieces of it that
// loads showed. A piece is valid from when its cell was made, so the trees of pieces are written at
// the end.
#ifndef TRAWL_EXPORT_TTU_LEARNED_H
#define TRAWL_EXPORT_TTU_LEARNED_H

#include "base/hash_seed.h"
#include "base/spool.h"
#include "base/vec.h"
#include "export/ttu/file.h"

struct ttu_piece {
    uint32_t left, right; // in a treap over all cells; 0: none
    uint32_t priority;
    uint32_t cell;
    uint64_t lo, hi;
    uint64_t value;    // lowest byte at `lo`
    uint64_t contents; // offset
};

// Cells that are contiguous in the file.
struct ttu_cell_block {
    uint64_t offset;
    uint32_t first, room;
};

struct ttu_learned {
    struct spool pieces; // from 1
    uint32_t root;
    struct hash_seed seed;
    VEC(, struct ttu_cell_block) blocks;
    uint32_t cell_count;
    bool lacks_memory;
};

void ttu_learned_begin(struct ttu_learned *learned);
void ttu_learned_free(struct ttu_learned *learned);

// Makes a cell, and returns its number; *offset: its place in the file.
uint32_t ttu_learned_cell(struct ttu_learned *learned, struct ttu_stream *stream, uint64_t *offset);

// Learns the bytes of [lo, hi], at most eight, that are still unknown; the lowest byte of `value`
// is at `lo`.
void ttu_learned_add(struct ttu_learned *learned, struct ttu_contents *contents,
                     struct ttu_stream *stream, uint32_t cell, uint64_t lo, uint64_t hi,
                     uint64_t value);

// One byte. False: unknown.
bool ttu_learned_byte(const struct ttu_learned *learned, uint32_t cell, uint64_t address,
                      uint8_t *byte);

// Writes the trees of all cells, and the cells.
void ttu_learned_end(struct ttu_learned *learned, struct ttu_stream *stream);

#endif
