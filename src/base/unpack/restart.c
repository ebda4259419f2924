#include "base/unpack/restart.h"

#include <stdlib.h>

void restarts_free(struct restarts *restarts)
{
    free(restarts->items.items);
    free(restarts->windows.items);
    free(restarts->files.items);
    *restarts = (struct restarts){0};
}

bool restarts_add_file(struct restarts *all, const struct restart_file *file)
{
    if (!VEC_ROOM(&all->files, 1))
        return false;
    all->files.items[all->files.count++] = *file;
    return true;
}

bool restarts_add(struct restarts *all, const struct restarts *of_file)
{
    uint64_t plain_byte = all->files.items[all->files.count - 1].plain_byte;
    size_t window_bytes = of_file->windows.count;
    if (!VEC_ROOM(&all->items, of_file->items.count) || !VEC_ROOM(&all->windows, window_bytes))
        return false;
    for (size_t i = 0; i < of_file->items.count; i++) {
        struct restart restart = of_file->items.items[i];
        restart.plain_byte += plain_byte;
        restart.window_at += all->windows.count;
        restart.file = (uint32_t)(all->files.count - 1);
        all->items.items[all->items.count++] = restart;
    }
    if (window_bytes)
        memcpy(all->windows.items + all->windows.count, of_file->windows.items, window_bytes);
    all->windows.count += window_bytes;
    return true;
}

// --- Validity ------------------------------------------------------------------------------------

// Positions of bzip2 pieces, and of places inside members, are in bits.
static uint64_t units_of(const struct restart *restart, const struct packed_file *file)
{
    bool are_bits = file->codec->guesses_pieces || restart->piece.level == PIECE_INSIDE;
    return file->packed->size_bytes * (are_bits ? 8 : 1);
}

static bool may_begin(const struct restarts *restarts, const struct restart *restart,
                      const struct packed_file *file)
{
    const struct piece *piece = &restart->piece;
    uint64_t units = units_of(restart, file);
    bool is_inside = piece->level == PIECE_INSIDE;
    if (is_inside && (!file->codec->resume || !piece->from || piece->to != PIECE_REST))
        return false;
    if (piece->from >= units || (piece->to != PIECE_REST && piece->to > units) ||
        piece->to <= piece->from)
        return false;
    return restart->window_bytes
               ? is_inside && restart->window_at <= restarts->windows.count &&
                     restart->window_bytes <= restarts->windows.count - restart->window_at
               : !is_inside;
}

// Checks the places of one file, from *next on. *next becomes the first place of the next file.
static bool may_be_of_file(const struct restarts *restarts, uint32_t number,
                           const struct packed_file *file, size_t *next)
{
    uint64_t begin = restart_file_begin(restarts, number), end = restart_file_end(restarts, number);
    if (begin > end)
        return false;
    if (!file->codec)
        return end - begin == file->packed->size_bytes;
    for (uint64_t at = begin; at < end; (*next)++) {
        const struct restart *restart = restarts->items.items + *next;
        if (*next == restarts->items.count || restart->file != number ||
            restart->plain_byte != at || restart_span_end(restarts, *next) <= at)
            return false;
        if (restart->piece.level == PIECE_GOES_ON ? at == begin
                                                  : !may_begin(restarts, restart, file))
            return false;
        at = restart_span_end(restarts, *next);
    }
    return true;
}

bool restarts_may_be_of(const struct restarts *restarts, const struct packed_file *files,
                        size_t count)
{
    size_t next = 0, known = restarts->files.count;
    if (!restarts->text_bytes || restart_file_begin(restarts, 0) != 0 ||
        (known ? known : 1) != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_be_of_file(restarts, i, &files[i], &next))
            return false;
    }
    return next == restarts->items.count;
}

// --- Reading -------------------------------------------------------------------------------------

struct unpacker *restart_begin(const struct restarts *restarts, const struct restart *restart,
                               const struct packed_file *file)
{
    if (restart->piece.level != PIECE_INSIDE)
        return file->codec->begin(file->packed, restart->piece);
    return file->codec->resume(file->packed, restart->piece,
                               restarts->windows.items + restart->window_at,
                               (size_t)restart->window_bytes);
}
