#include "base/unpack/gathering.h"

#include "base/limits.h"

#include <stdlib.h>
#include <xxhash.h>

// The most text between two places: this much, or this fraction of the text before them if that is
// more.
#define CHECKED_BYTES (UINT64_C(4) << 20)
#define CHECKED_SHARE 256

void gathering_free(struct gathering *gathering)
{
    restarts_free(&gathering->found);
    XXH3_freeState(gathering->state);
    gathering->state = NULL;
    gathering->is_on = false;
}

void gathering_begin(struct gathering *gathering, bool is_wanted)
{
    gathering_free(gathering);
    gathering->is_wanted = is_wanted;
    gathering->plain_byte = 0;
    gathering->state = is_wanted ? XXH3_createState() : NULL;
    gathering->is_on = gathering->state != NULL;
}

void gathering_give_up(struct gathering *gathering)
{
    gathering_free(gathering);
}

static struct restart *last_of(struct gathering *gathering)
{
    size_t count = gathering->found.items.count;
    return count ? &gathering->found.items.items[count - 1] : NULL;
}

// Ends the open span. One without text is removed.
static void end_span(struct gathering *gathering, uint64_t plain_byte)
{
    struct restart *last = last_of(gathering);
    if (last && last->plain_byte == plain_byte)
        gathering->found.items.count--;
    else if (last)
        last->hash = XXH3_64bits_digest(gathering->state);
    XXH3_64bits_reset(gathering->state);
}

static void begin_span(struct gathering *gathering, const struct restart *restart)
{
    struct restarts *found = &gathering->found;
    end_span(gathering, restart->plain_byte);
    if (found->items.count < LIMIT_RESTARTS && VEC_ROOM(&found->items, 1))
        found->items.items[found->items.count++] = *restart;
    else
        gathering_give_up(gathering);
}

void gathering_piece(struct gathering *gathering, uint64_t plain_byte, struct piece piece)
{
    const struct restart restart = {.plain_byte = plain_byte, .piece = piece};
    if (gathering->is_on)
        begin_span(gathering, &restart);
}

static bool keep_window(struct restarts *found, const struct unpack_point *point)
{
    if (!VEC_ROOM(&found->windows, point->window_bytes))
        return false;
    memcpy(found->windows.items + found->windows.count, point->window, point->window_bytes);
    found->windows.count += point->window_bytes;
    return true;
}

void gathering_point(struct gathering *gathering, uint64_t plain_byte, struct unpack_point *point)
{
    const struct restart restart = {
        .plain_byte = plain_byte,
        .piece = {.from = point->from, .to = PIECE_REST, .level = PIECE_INSIDE},
        .window_at = gathering->found.windows.count,
        .window_bytes = point->window_bytes,
    };
    if (gathering->is_on && !keep_window(&gathering->found, point))
        gathering_give_up(gathering);
    if (gathering->is_on)
        begin_span(gathering, &restart);
    free(point->window);
    *point = (struct unpack_point){0};
}

// How much more text belongs to the open span.
static uint64_t room_in_span(struct gathering *gathering)
{
    const struct restart *last = last_of(gathering);
    uint64_t begin = last ? last->plain_byte : 0, have = gathering->plain_byte - begin;
    uint64_t most = u64_max(CHECKED_BYTES, begin / CHECKED_SHARE);
    return most - u64_min(most, have);
}

// Ends the span here for its checksum, and continues with another span.
static void keep_check(struct gathering *gathering)
{
    const struct restart *last = last_of(gathering);
    struct restart restart = {.plain_byte = gathering->plain_byte};
    if (last)
        restart.piece = last->piece;
    restart.piece.level = PIECE_GOES_ON;
    begin_span(gathering, &restart);
}

void gathering_text(struct gathering *gathering, const void *bytes, size_t size_bytes)
{
    const char *at = bytes;
    while (gathering->is_on && size_bytes) {
        size_t step = (size_t)u64_min(size_bytes, room_in_span(gathering));
        XXH3_64bits_update(gathering->state, at, step);
        gathering->plain_byte += step;
        at += step;
        size_bytes -= step;
        if (size_bytes && !room_in_span(gathering))
            keep_check(gathering);
    }
}

void gathering_end(struct gathering *gathering, uint64_t text_bytes)
{
    if (!gathering->is_on)
        return;
    end_span(gathering, text_bytes);
    gathering->found.text_bytes = text_bytes;
}

const struct restarts *gathering_restarts(const struct gathering *gathering)
{
    return gathering->is_on && gathering->found.items.count ? &gathering->found : NULL;
}
