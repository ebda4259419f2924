#include "base/unpack/access_point.h"

#include "base/limits.h"

#include <stdlib.h>
#include <xxhash.h>

void access_points_free(struct access_points *access_points)
{
    free(access_points->items.items);
    free(access_points->windows.items);
    free(access_points->files.items);
    *access_points = (struct access_points){0};
}

bool access_points_add_file(struct access_points *all, const struct access_point_file *file)
{
    if (!VEC_ROOM(&all->files, 1))
        return false;
    all->files.items[all->files.count++] = *file;
    return true;
}

bool access_points_add(struct access_points *all, const struct access_points *of_file)
{
    uint64_t plain_byte = all->files.items[all->files.count - 1].plain_byte;
    size_t window_bytes = of_file->windows.count;
    if (!VEC_ROOM(&all->items, of_file->items.count) || !VEC_ROOM(&all->windows, window_bytes))
        return false;
    for (size_t i = 0; i < of_file->items.count; i++) {
        struct access_point access_point = of_file->items.items[i];
        access_point.plain_byte += plain_byte;
        access_point.window_at += all->windows.count;
        access_point.file = (uint32_t)(all->files.count - 1);
        all->items.items[all->items.count++] = access_point;
    }
    if (window_bytes)
        memcpy(all->windows.items + all->windows.count, of_file->windows.items, window_bytes);
    all->windows.count += window_bytes;
    return true;
}

// --- Validity ------------------------------------------------------------------------------------

static bool may_begin(const struct access_points *access_points,
                      const struct access_point *access_point, const struct packed_file *file)
{
    const struct packed_chunk *chunk = &access_point->chunk;
    bool is_inside = chunk->level == CHUNK_INSIDE;
    // Positions of bzip2 chunks, and of places inside members, are in bits.
    uint64_t units = file->packed->size_bytes * (file->codec->guesses_chunks || is_inside ? 8 : 1);
    if (is_inside && (!file->codec->resume || !chunk->from || chunk->to != CHUNK_REST))
        return false;
    if (chunk->from >= units || (chunk->to != CHUNK_REST && chunk->to > units) ||
        chunk->to <= chunk->from)
        return false;
    return access_point->window_bytes
               ? is_inside && access_point->window_at <= access_points->windows.count &&
                     access_point->window_bytes <=
                         access_points->windows.count - access_point->window_at
               : !is_inside;
}

// Checks the places of one file, from *next on. *next becomes the first place of the next file.
static bool may_be_of_file(const struct access_points *access_points, uint32_t number,
                           const struct packed_file *file, size_t *next)
{
    uint64_t begin = access_point_file_begin(access_points, number),
             end = access_point_file_end(access_points, number);
    if (begin > end)
        return false;
    if (!file->codec)
        return end - begin == file->packed->size_bytes;
    for (uint64_t at = begin; at < end; (*next)++) {
        const struct access_point *access_point = access_points->items.items + *next;
        if (*next == access_points->items.count || access_point->file != number ||
            access_point->plain_byte != at || access_point_span_end(access_points, *next) <= at)
            return false;
        if (access_point->chunk.level == CHUNK_GOES_ON
                ? at == begin
                : !may_begin(access_points, access_point, file))
            return false;
        at = access_point_span_end(access_points, *next);
    }
    return true;
}

bool access_points_may_be_of(const struct access_points *access_points,
                             const struct packed_file *files, size_t count)
{
    size_t next = 0, known = access_points->files.count;
    if (!access_points->text_bytes || access_point_file_begin(access_points, 0) != 0 ||
        (known ? known : 1) != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_be_of_file(access_points, i, &files[i], &next))
            return false;
    }
    return next == access_points->items.count;
}

// --- Reading -------------------------------------------------------------------------------------

struct unpacker *access_point_begin(const struct access_points *access_points,
                                    const struct access_point *access_point,
                                    const struct packed_file *file)
{
    if (access_point->chunk.level != CHUNK_INSIDE)
        return file->codec->begin(file->packed, access_point->chunk);
    return file->codec->resume(file->packed, access_point->chunk,
                               access_points->windows.items + access_point->window_at,
                               (size_t)access_point->window_bytes);
}

// The most text between two places: this much, or this fraction of the text before them if that is
// more.
#define CHECKED_BYTES (UINT64_C(4) << 20)
#define CHECKED_SHARE 256

void gathering_free(struct gathering *gathering)
{
    access_points_free(&gathering->found);
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

static struct access_point *last_of(struct gathering *gathering)
{
    size_t count = gathering->found.items.count;
    return count ? &gathering->found.items.items[count - 1] : NULL;
}

// Ends the open span. One without text is removed.
static void end_span(struct gathering *gathering, uint64_t plain_byte)
{
    struct access_point *last = last_of(gathering);
    if (last && last->plain_byte == plain_byte)
        gathering->found.items.count--;
    else if (last)
        last->hash = XXH3_64bits_digest(gathering->state);
    XXH3_64bits_reset(gathering->state);
}

static void begin_span(struct gathering *gathering, const struct access_point *access_point)
{
    struct access_points *found = &gathering->found;
    end_span(gathering, access_point->plain_byte);
    if (found->items.count < LIMIT_ACCESS_POINTS && VEC_ROOM(&found->items, 1))
        found->items.items[found->items.count++] = *access_point;
    else
        gathering_give_up(gathering);
}

void gathering_chunk(struct gathering *gathering, uint64_t plain_byte, struct packed_chunk chunk)
{
    const struct access_point access_point = {.plain_byte = plain_byte, .chunk = chunk};
    if (gathering->is_on)
        begin_span(gathering, &access_point);
}

void gathering_point(struct gathering *gathering, uint64_t plain_byte, struct unpack_point *point)
{
    const struct access_point access_point = {
        .plain_byte = plain_byte,
        .chunk = {.from = point->from, .to = CHUNK_REST, .level = CHUNK_INSIDE},
        .window_at = gathering->found.windows.count,
        .window_bytes = point->window_bytes,
    };
    struct access_points *found = &gathering->found;
    if (gathering->is_on && !VEC_ROOM(&found->windows, point->window_bytes))
        gathering_give_up(gathering);
    if (gathering->is_on) {
        memcpy(found->windows.items + found->windows.count, point->window, point->window_bytes);
        found->windows.count += point->window_bytes;
        begin_span(gathering, &access_point);
    }
    free(point->window);
    *point = (struct unpack_point){0};
}

// How much more text belongs to the open span.
static uint64_t room_in_span(struct gathering *gathering)
{
    const struct access_point *last = last_of(gathering);
    uint64_t begin = last ? last->plain_byte : 0, have = gathering->plain_byte - begin;
    uint64_t most = u64_max(CHECKED_BYTES, begin / CHECKED_SHARE);
    return most - u64_min(most, have);
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
        if (size_bytes && !room_in_span(gathering)) {
            // Ends the span here for its checksum, and continues with another span.
            const struct access_point *last = last_of(gathering);
            struct access_point access_point = {.plain_byte = gathering->plain_byte};
            if (last)
                access_point.chunk = last->chunk;
            access_point.chunk.level = CHUNK_GOES_ON;
            begin_span(gathering, &access_point);
        }
    }
}

void gathering_end(struct gathering *gathering, uint64_t text_bytes)
{
    if (!gathering->is_on)
        return;
    end_span(gathering, text_bytes);
    gathering->found.text_bytes = text_bytes;
}

const struct access_points *gathering_access_points(const struct gathering *gathering)
{
    return gathering->is_on && gathering->found.items.count ? &gathering->found : NULL;
}
