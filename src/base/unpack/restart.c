#include "base/unpack/restart.h"

#include "base/fingerprint.h"

#include <stdlib.h>

void restarts_free(struct restarts *restarts)
{
    free(restarts->items.items);
    free(restarts->windows.items);
    *restarts = (struct restarts){0};
}

// --- What may be ---------------------------------------------------------------------------------

// Pieces of bzip2, and places inside of members, are told by bits.
static uint64_t units_of(const struct restart *restart, const struct codec *codec,
                         const struct packed *packed)
{
    return packed->size_bytes *
           (codec->guesses_pieces || restart->piece.level == PIECE_INSIDE ? 8 : 1);
}

static bool may_be(const struct restarts *restarts, const struct restart *restart,
                   const struct codec *codec, const struct packed *packed)
{
    const struct piece *piece = &restart->piece;
    uint64_t units = units_of(restart, codec, packed);
    bool is_inside = piece->level == PIECE_INSIDE;
    if (is_inside && (!codec->resume || !piece->from || piece->to != PIECE_REST))
        return false;
    if (piece->from >= units || (piece->to != PIECE_REST && piece->to > units) ||
        piece->to <= piece->from)
        return false;
    return restart->window_bytes
               ? is_inside && restart->window_at <= restarts->windows.count &&
                     restart->window_bytes <= restarts->windows.count - restart->window_at
               : !is_inside;
}

bool restarts_may_be_of(const struct restarts *restarts, const struct codec *codec,
                        const struct packed *packed)
{
    size_t count = restarts->items.count;
    if (!count || restarts->items.items[0].plain_byte != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct restart *restart = &restarts->items.items[i];
        if (restart->plain_byte >= restart_span_end(restarts, i) ||
            !may_be(restarts, restart, codec, packed))
            return false;
    }
    return true;
}

// --- Spans ---------------------------------------------------------------------------------------

static struct unpacker *begin_at(const struct restarts *restarts, const struct restart *restart,
                                 const struct codec *codec, const struct packed *packed)
{
    if (restart->piece.level != PIECE_INSIDE)
        return codec->begin(packed, restart->piece);
    return codec->resume(packed, restart->piece, restarts->windows.items + restart->window_at,
                         (size_t)restart->window_bytes);
}

static enum status differs(struct error *err)
{
    return error_set(err, STATUS_DAMAGED, "the restart points of the compressed data are damaged");
}

enum status restart_read(const struct restarts *restarts, size_t number, const struct codec *codec,
                         const struct packed *packed, char *bytes, struct error *err)
{
    const struct restart *restart = &restarts->items.items[number];
    size_t wanted = (size_t)(restart_span_end(restarts, number) - restart->plain_byte), have = 0;
    struct unpacker *unpacker = begin_at(restarts, restart, codec, packed);
    enum unpack_result result = unpacker ? UNPACK_MORE : UNPACK_NO_MEMORY;
    while (result == UNPACK_MORE && have < wanted) {
        size_t made;
        result = codec->read(unpacker, (uint8_t *)bytes + have, wanted - have, &made);
        have += made;
    }
    if (unpacker)
        codec->end(unpacker);
    if (result == UNPACK_NO_MEMORY)
        return error_set(err, STATUS_MEMORY, "no memory to decompress with");
    return have == wanted && fingerprint_piece(bytes, wanted) == restart->hash ? STATUS_OK
                                                                               : differs(err);
}
