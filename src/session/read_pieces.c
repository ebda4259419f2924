#include "session/read_pieces.h"

#include "base/joint.h"

#include <stdlib.h>

static bool add(struct file_pieces *pieces, const char *bytes, uint64_t size_bytes, bool is_end)
{
    size_t count = (size_t)(is_end ? fingerprint_piece_count(size_bytes)
                                   : size_bytes / FINGERPRINT_PIECE_BYTES);
    if (!vec_reserve((void **)&pieces->hashes, &pieces->capacity, count, sizeof *pieces->hashes))
        return false;
    while (pieces->count < count) {
        uint64_t offset = pieces->count * FINGERPRINT_PIECE_BYTES;
        size_t left = (size_t)u64_min(size_bytes - offset, FINGERPRINT_PIECE_BYTES);
        pieces->hashes[pieces->count++] = fingerprint_piece(bytes + offset, left);
    }
    return true;
}

bool read_pieces_go_on(struct read_pieces *pieces, const struct source *source, bool is_end)
{
    const struct joint *joint = source_joint(source);
    size_t count = joint ? joint_file_count(joint) : 1;
    if (!VEC_EXTEND(&pieces->files, count))
        return false;
    if (!joint)
        return add(&pieces->files.items[0], source_bytes(source),
                   is_end ? source_size_bytes(source) : source_read_bytes(source), is_end);
    for (size_t i = 0; i < count; i++) {
        if (!add(&pieces->files.items[i], joint_file(joint, i).bytes, joint_read_bytes(joint, i),
                 is_end))
            return false;
    }
    return true;
}

uint64_t *read_pieces_join(const struct read_pieces *pieces, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < pieces->files.count; i++)
        *count += pieces->files.items[i].count;
    uint64_t *all = calloc(*count + 1, sizeof *all), *at = all;
    for (size_t i = 0; all && i < pieces->files.count; i++) {
        const struct file_pieces *file = &pieces->files.items[i];
        if (file->count)
            memcpy(at, file->hashes, file->count * sizeof *at);
        at += file->count;
    }
    return all;
}

void read_pieces_free(struct read_pieces *pieces)
{
    for (size_t i = 0; i < pieces->files.count; i++)
        free(pieces->files.items[i].hashes);
    free(pieces->files.items);
}
