#include "compat/ttu/versions.h"

#include "compat/ttu/file.h"

#include <stdlib.h>

#define BLOCK_CELLS 4096 // the most in one block

static struct ttu_piece *at(const struct ttu_learned *learned, uint32_t number)
{
    return (struct ttu_piece *)(void *)learned->pieces.base + number;
}

void ttu_learned_begin(struct ttu_learned *learned)
{
    *learned = (struct ttu_learned){.seed = hash_seed_new()};
}

void ttu_learned_free(struct ttu_learned *learned)
{
    spool_free(&learned->pieces);
    free(learned->blocks.items);
    learned->blocks.items = NULL;
}

// --- Cells ---------------------------------------------------------------------------------------

// Most traces need only the first block.
static bool add_block(struct ttu_learned *learned, struct ttu_stream *stream)
{
    uint32_t room = learned->cell_count < BLOCK_CELLS ? learned->cell_count + 1 : BLOCK_CELLS;
    if (!VEC_ROOM(&learned->blocks, 1))
        return false;
    struct ttu_cell_block *block = &learned->blocks.items[learned->blocks.count++];
    for (uint32_t i = 0; i < room; i++) // placeholders until they are written
        memset(ttu_stream_add(stream, TTU_CELL_BYTES), 0, TTU_CELL_BYTES);
    *block = (struct ttu_cell_block){ttu_stream_position(stream) - room * (uint64_t)TTU_CELL_BYTES,
                                     learned->cell_count, room};
    return true;
}

uint32_t ttu_learned_cell(struct ttu_learned *learned, struct ttu_stream *stream, uint64_t *offset)
{
    *offset = 0;
    size_t count = learned->blocks.count;
    const struct ttu_cell_block *last = count ? &learned->blocks.items[count - 1] : NULL;
    bool is_full = !last || learned->cell_count == last->first + last->room;
    if (learned->cell_count == UINT32_MAX || (is_full && !add_block(learned, stream))) {
        learned->lacks_memory = true;
        return 0;
    }
    last = &learned->blocks.items[learned->blocks.count - 1];
    *offset = last->offset + (learned->cell_count - last->first) * (uint64_t)TTU_CELL_BYTES;
    return learned->cell_count++;
}

// --- Pieces --------------------------------------------------------------------------------------

static bool is_before(const struct ttu_piece *piece, uint32_t cell, uint64_t address)
{
    return piece->cell != cell ? piece->cell < cell : piece->hi < address;
}

// The first piece of the cell that ends at `address` or later. NULL: none.
static const struct ttu_piece *first_piece(const struct ttu_learned *learned, uint32_t cell,
                                           uint64_t address)
{
    const struct ttu_piece *found = NULL;
    for (uint32_t number = learned->root; number;) {
        const struct ttu_piece *piece = at(learned, number);
        if (is_before(piece, cell, address)) {
            number = piece->right;
        } else {
            found = piece;
            number = piece->left;
        }
    }
    return found && found->cell == cell ? found : NULL;
}

static void insert(struct ttu_learned *learned, uint32_t added)
{
    struct ttu_piece *piece = at(learned, added);
    uint32_t *link = &learned->root, *before = &piece->left, *after = &piece->right;
    while (*link && at(learned, *link)->priority >= piece->priority) {
        struct ttu_piece *next = at(learned, *link);
        link = is_before(next, piece->cell, piece->lo) ? &next->right : &next->left;
    }
    uint32_t number = *link;
    *link = added;
    while (number) { // splits them into the children of the new one
        struct ttu_piece *next = at(learned, number);
        bool is_left = is_before(next, piece->cell, piece->lo);
        *(is_left ? before : after) = number;
        number = is_left ? next->right : next->left;
        *(is_left ? &before : &after) = is_left ? &next->right : &next->left;
    }
    *before = *after = 0;
}

static void add_piece(struct ttu_learned *learned, const struct ttu_piece *piece)
{
    char *room = spool_reserve(&learned->pieces, 2 * sizeof *piece);
    if (!learned->pieces.used_bytes) // number 0 means none
        learned->pieces.used_bytes = sizeof *piece;
    uint64_t number = learned->pieces.used_bytes / sizeof *piece;
    if (!room || number > UINT32_MAX) {
        learned->lacks_memory = true;
        return;
    }
    learned->pieces.used_bytes += sizeof *piece;
    *at(learned, (uint32_t)number) = *piece;
    insert(learned, (uint32_t)number);
}

void ttu_learned_add(struct ttu_learned *learned, struct ttu_contents *contents,
                     struct ttu_stream *stream, uint32_t cell, uint64_t lo, uint64_t hi,
                     uint64_t value)
{
    for (uint64_t from = lo;; from++) {
        const struct ttu_piece *next = first_piece(learned, cell, from);
        uint64_t gap_end = next && next->lo <= hi ? next->lo - 1 : hi;
        if (!next || next->lo > from) {
            unsigned size_bytes = (unsigned)(gap_end - from + 1);
            uint64_t part = value >> 8 * (from - lo);
            part &= UINT64_MAX >> (64 - 8 * size_bytes);
            const struct ttu_piece piece = {
                .priority = (uint32_t)hash_keys(&learned->seed, cell, from),
                .cell = cell,
                .lo = from,
                .hi = gap_end,
                .value = part,
                .contents = ttu_contents_put(contents, stream, part, size_bytes),
            };
            add_piece(learned, &piece);
            if (gap_end == hi || learned->lacks_memory)
                return;
        }
        from = next->hi;
        if (from >= hi)
            return;
    }
}

bool ttu_learned_byte(const struct ttu_learned *learned, uint32_t cell, uint64_t address,
                      uint8_t *byte)
{
    const struct ttu_piece *piece = first_piece(learned, cell, address);
    if (!piece || piece->lo > address)
        return false;
    *byte = (uint8_t)(piece->value >> 8 * (address - piece->lo));
    return true;
}

// --- The end -------------------------------------------------------------------------------------

// Visits all pieces in order.
struct piece_walk {
    const struct ttu_learned *learned;
    VEC(, uint32_t) above; // visited after their left subtrees
    bool lacks_memory;
};

static void go_left(struct piece_walk *walk, uint32_t number)
{
    for (; number && !walk->lacks_memory; number = at(walk->learned, number)->left) {
        if (VEC_ROOM(&walk->above, 1))
            walk->above.items[walk->above.count++] = number;
        else
            walk->lacks_memory = true;
    }
}

// NULL: no more pieces.
static const struct ttu_piece *next_piece(struct piece_walk *walk)
{
    return walk->above.count ? at(walk->learned, walk->above.items[walk->above.count - 1]) : NULL;
}

static void pass_shard(struct piece_walk *walk)
{
    go_left(walk, at(walk->learned, walk->above.items[--walk->above.count])->right);
}

// Writes the next `count` pieces as a tree. Returns its root's offset; *height: its own.
static uint64_t put_tree(struct piece_walk *walk, struct ttu_stream *stream, uint64_t count,
                         uint32_t *height)
{
    uint32_t left_height, right_height;
    *height = 0;
    if (!count || walk->lacks_memory)
        return 0;
    uint64_t left = put_tree(walk, stream, count / 2, &left_height);
    const struct ttu_piece *piece = next_piece(walk);
    pass_shard(walk);
    uint64_t right = put_tree(walk, stream, count - count / 2 - 1, &right_height);
    *height = 1 + (left_height > right_height ? left_height : right_height);
    uint8_t *out = ttu_stream_add(stream, TTU_PIECE_BYTES);
    out = put_node(out, left, right, *height);
    out = put_u64(out, piece->lo);
    out = put_u64(out, piece->hi);
    out = put_u64(out, piece->contents);
    *out = 0;
    return ttu_stream_position(stream) - TTU_PIECE_BYTES;
}

void ttu_learned_end(struct ttu_learned *learned, struct ttu_stream *stream)
{
    struct piece_walk walk = {.learned = learned};
    // First the number of pieces of each cell, then its root.
    uint64_t *roots = calloc((size_t)learned->cell_count + 1, sizeof *roots);
    if (roots) {
        const struct ttu_piece *piece;
        for (go_left(&walk, learned->root); (piece = next_piece(&walk)) && !walk.lacks_memory;
             pass_shard(&walk))
            roots[piece->cell]++;
        walk.above.count = 0;
        go_left(&walk, learned->root);
        for (uint32_t cell = 0; cell < learned->cell_count; cell++) {
            uint32_t height;
            roots[cell] = put_tree(&walk, stream, roots[cell], &height);
        }
    }
    learned->lacks_memory |= !roots || walk.lacks_memory;
    free(walk.above.items);
    // Their placeholders must be in the file before this.
    ttu_stream_end(stream);
    ttu_file_write_waiting(stream->file);
    if (!learned->lacks_memory) {
        struct ttu_file *file = stream->file;
        for (size_t i = 0; i < learned->blocks.count; i++) {
            const struct ttu_cell_block *block = &learned->blocks.items[i];
            uint8_t bytes[BLOCK_CELLS * TTU_CELL_BYTES] = {0}, *out = bytes;
            for (uint32_t cell = 0; cell < block->room; cell++)
                out = put_u64(out, block->first + cell < learned->cell_count
                                       ? roots[block->first + cell]
                                       : 0);
            ttu_file_patch(file, block->offset, bytes, (size_t)(out - bytes));
        }
    }
    free(roots);
}
