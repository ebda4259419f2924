#include "session/index_restarts.h"

#include "base/limits.h"
#include "base/unpack/restart.h"
#include "idx/index_format.h"
#include "idx/rows.h"

#include <stdlib.h>

enum { COLUMN_COUNT = PART_RESTART_WINDOW_BYTES };

// --- Writing -------------------------------------------------------------------------------------

static uint64_t value_of(const struct restart *restart, uint32_t part)
{
    switch ((enum restarts_part)part) {
    case PART_RESTART_POSITIONS:
        return restart->plain_byte;
    case PART_RESTART_STARTS:
        return restart->piece.from;
    case PART_RESTART_ENDS:
        return restart->piece.to == PIECE_REST ? 0 : restart->piece.to;
    case PART_RESTART_LEVELS:
        return restart->piece.level;
    case PART_RESTART_HASHES:
        return restart->hash;
    case PART_RESTART_WINDOW_BYTES:
        return restart->window_bytes;
    case PART_RESTART_WINDOWS:
        break;
    }
    return 0;
}

bool index_restarts_write(const struct restarts *restarts, struct parts_writer *parts)
{
    size_t count = restarts->items.count;
    uint64_t *values = calloc(count + 1, sizeof *values);
    bool is_done = values != NULL;
    for (uint32_t part = PART_RESTART_POSITIONS; is_done && part <= COLUMN_COUNT; part++) {
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(&restarts->items.items[i], part);
        is_done = parts_add_column(parts, part, values, count);
    }
    free(values);
    return is_done && parts_add_text(parts, PART_RESTART_WINDOWS, restarts->windows.items,
                                     restarts->windows.count);
}

// --- Reading -------------------------------------------------------------------------------------

// False: the column is damaged, or there is no memory.
static bool read_row(const struct column *columns, size_t row, struct restarts *restarts,
                     uint64_t *window_at)
{
    uint64_t values[COLUMN_COUNT + 1];
    for (uint32_t part = PART_RESTART_POSITIONS; part <= COLUMN_COUNT; part++) {
        if (!column_get(&columns[part], row, &values[part]))
            return false;
    }
    if (values[PART_RESTART_LEVELS] > UINT8_MAX || !VEC_ROOM(&restarts->items, 1))
        return false;
    uint64_t end = values[PART_RESTART_ENDS];
    restarts->items.items[restarts->items.count++] = (struct restart){
        .plain_byte = values[PART_RESTART_POSITIONS],
        .piece = {.from = values[PART_RESTART_STARTS],
                  .to = end ? end : PIECE_REST,
                  .level = (uint8_t)values[PART_RESTART_LEVELS]},
        .window_at = *window_at,
        .window_bytes = values[PART_RESTART_WINDOW_BYTES],
        .hash = values[PART_RESTART_HASHES],
    };
    return !__builtin_add_overflow(*window_at, values[PART_RESTART_WINDOW_BYTES], window_at);
}

static bool read_windows(const struct parts *parts, struct restarts *restarts)
{
    const char *text;
    size_t size_bytes;
    if (parts_text(parts, PART_RESTART_WINDOWS, &text, &size_bytes, NULL) != STATUS_OK ||
        !VEC_ROOM(&restarts->windows, size_bytes))
        return false;
    if (size_bytes)
        memcpy(restarts->windows.items, text, size_bytes);
    restarts->windows.count = size_bytes;
    return true;
}

static bool read_restarts(struct trawl_index *index, struct restarts *restarts)
{
    struct parts parts;
    struct column columns[COLUMN_COUNT + 1];
    struct trawl_info info;
    struct error err;
    bool is_there;
    uint64_t window_at = 0;
    if (index_find_section(index, SECTION_RESTARTS, &parts, &is_there, &err) != STATUS_OK ||
        !is_there)
        return false;
    for (uint32_t part = PART_RESTART_POSITIONS; part <= COLUMN_COUNT; part++) {
        if (parts_column(&parts, part, &columns[part], &err) != STATUS_OK ||
            columns[part].count != columns[PART_RESTART_POSITIONS].count ||
            columns[part].count > LIMIT_RESTARTS)
            return false;
    }
    trawl_info(index, &info);
    restarts->text_bytes = info.trace_bytes;
    bool is_sound = read_windows(&parts, restarts);
    for (size_t i = 0; is_sound && i < columns[PART_RESTART_POSITIONS].count; i++)
        is_sound = read_row(columns, i, restarts, &window_at);
    return is_sound;
}

void index_restarts_give(struct trawl_index *index, struct source *source)
{
    struct restarts restarts = {0};
    if (source_packed_by(source) && read_restarts(index, &restarts))
        source_use_restarts(source, &restarts);
    restarts_free(&restarts);
}
