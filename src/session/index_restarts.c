#include "session/index_restarts.h"

#include "base/limits.h"
#include "base/unpack/restart.h"
#include "idx/index_format.h"
#include "idx/rows.h"

#include <stdlib.h>

enum { PART_COUNT = PART_RESTART_FILE_IN_LINE + 1 };

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
    case PART_RESTART_FILES:
        return restart->file;
    default:
        return 0;
    }
}

static uint64_t file_value_of(const struct restart_file *file, uint32_t part)
{
    return part == PART_RESTART_FILE_POSITIONS ? file->plain_byte
           : part == PART_RESTART_FILE_LINES   ? file->lines_before
                                               : file->begins_in_line;
}

bool index_restarts_write(const struct restarts *restarts, struct parts_writer *parts)
{
    size_t count = restarts->items.count + restarts->files.count;
    uint64_t *values = calloc(count + 1, sizeof *values);
    uint32_t last = restarts->files.count ? PART_RESTART_FILE_IN_LINE : PART_RESTART_WINDOWS;
    bool is_done = values != NULL;
    for (uint32_t part = PART_RESTART_POSITIONS; is_done && part <= last; part++) {
        bool is_of_files = part >= PART_RESTART_FILE_POSITIONS;
        size_t rows = is_of_files ? restarts->files.count : restarts->items.count;
        for (size_t i = 0; i < rows && part != PART_RESTART_WINDOWS; i++)
            values[i] = is_of_files ? file_value_of(&restarts->files.items[i], part)
                                    : value_of(&restarts->items.items[i], part);
        is_done =
            part == PART_RESTART_WINDOWS
                ? parts_add_text(parts, part, restarts->windows.items, restarts->windows.count)
                : parts_add_column(parts, part, values, rows);
    }
    free(values);
    return is_done;
}

// --- Reading -------------------------------------------------------------------------------------

// The columns that exist; those about files exist only for several files.
struct restart_columns {
    struct column columns[PART_COUNT];
    bool has_files;
};

// False: columns are missing or damaged.
static bool open_columns(const struct parts *parts, struct restart_columns *from)
{
    const struct column *columns = from->columns;
    struct error err;
    from->has_files = parts_find(parts, PART_RESTART_FILES) != NULL;
    for (uint32_t part = PART_RESTART_POSITIONS; part < PART_COUNT; part++) {
        bool is_wanted =
            part != PART_RESTART_WINDOWS && (from->has_files || part < PART_RESTART_FILES);
        uint32_t first = part < PART_RESTART_FILE_POSITIONS ? PART_RESTART_POSITIONS
                                                            : PART_RESTART_FILE_POSITIONS;
        if (is_wanted &&
            (parts_column(parts, part, &from->columns[part], &err) != STATUS_OK ||
             columns[part].count != columns[first].count || columns[part].count > LIMIT_RESTARTS))
            return false;
    }
    return true;
}

// False: the column is damaged.
static bool read_values(struct restart_columns *from, size_t row, uint32_t first, uint32_t last,
                        uint64_t values[PART_COUNT])
{
    for (uint32_t part = first; part <= last; part++) {
        if (part != PART_RESTART_WINDOWS && !column_get(&from->columns[part], row, &values[part]))
            return false;
    }
    return true;
}

// False: the column is damaged, or there is no memory.
static bool read_row(struct restart_columns *from, size_t row, struct restarts *restarts,
                     uint64_t *window_at)
{
    uint64_t values[PART_COUNT] = {0};
    uint32_t last = from->has_files ? PART_RESTART_FILES : PART_RESTART_WINDOW_BYTES;
    if (!read_values(from, row, PART_RESTART_POSITIONS, last, values) ||
        values[PART_RESTART_LEVELS] > UINT8_MAX || values[PART_RESTART_FILES] > LIMIT_TRACE_FILES ||
        !VEC_ROOM(&restarts->items, 1))
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
        .file = (uint32_t)values[PART_RESTART_FILES],
    };
    return !__builtin_add_overflow(*window_at, values[PART_RESTART_WINDOW_BYTES], window_at);
}

static bool read_file(struct restart_columns *from, size_t row, struct restarts *restarts)
{
    uint64_t values[PART_COUNT];
    if (!read_values(from, row, PART_RESTART_FILE_POSITIONS, PART_RESTART_FILE_IN_LINE, values))
        return false;
    const struct restart_file file = {values[PART_RESTART_FILE_POSITIONS],
                                      values[PART_RESTART_FILE_LINES],
                                      values[PART_RESTART_FILE_IN_LINE] != 0};
    return restarts_add_file(restarts, &file);
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
    struct restart_columns from;
    struct trawl_info info;
    struct error err;
    bool is_there;
    uint64_t window_at = 0;
    if (index_find_section(index, SECTION_RESTARTS, &parts, &is_there, &err) != STATUS_OK ||
        !is_there || !open_columns(&parts, &from))
        return false;
    trawl_info(index, &info);
    restarts->text_bytes = info.trace_bytes;
    bool is_sound = read_windows(&parts, restarts);
    for (size_t i = 0; is_sound && i < from.columns[PART_RESTART_POSITIONS].count; i++)
        is_sound = read_row(&from, i, restarts, &window_at);
    size_t files = from.has_files ? from.columns[PART_RESTART_FILE_POSITIONS].count : 0;
    for (size_t i = 0; is_sound && i < files; i++)
        is_sound = read_file(&from, i, restarts);
    return is_sound;
}

void index_restarts_give(struct trawl_index *index, struct source *source)
{
    struct restarts restarts = {0};
    if (source_is_synthesized(source) && read_restarts(index, &restarts))
        source_use_restarts(source, &restarts);
    restarts_free(&restarts);
}
