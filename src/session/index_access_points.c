#include "session/index_access_points.h"

#include "base/limits.h"
#include "base/unpack/access_point.h"
#include "idx/index_format.h"
#include "idx/rows.h"

#include <stdlib.h>

enum { PART_COUNT = PART_ACCESS_POINT_FILE_IN_LINE + 1 };

// --- Writing -------------------------------------------------------------------------------------

static uint64_t value_of(const struct access_point *access_point, uint32_t part)
{
    switch ((enum access_points_part)part) {
    case PART_ACCESS_POINT_POSITIONS:
        return access_point->plain_byte;
    case PART_ACCESS_POINT_STARTS:
        return access_point->chunk.from;
    case PART_ACCESS_POINT_ENDS:
        return access_point->chunk.to == CHUNK_REST ? 0 : access_point->chunk.to;
    case PART_ACCESS_POINT_LEVELS:
        return access_point->chunk.level;
    case PART_ACCESS_POINT_HASHES:
        return access_point->hash;
    case PART_ACCESS_POINT_WINDOW_BYTES:
        return access_point->window_bytes;
    case PART_ACCESS_POINT_FILES:
        return access_point->file;
    default:
        return 0;
    }
}

static uint64_t file_value_of(const struct access_point_file *file, uint32_t part)
{
    return part == PART_ACCESS_POINT_FILE_POSITIONS ? file->plain_byte
           : part == PART_ACCESS_POINT_FILE_LINES   ? file->lines_before
                                                    : file->begins_in_line;
}

bool index_access_points_write(const struct access_points *access_points,
                               struct parts_writer *parts)
{
    size_t count = access_points->items.count + access_points->files.count;
    uint64_t *values = calloc(count + 1, sizeof *values);
    uint32_t last =
        access_points->files.count ? PART_ACCESS_POINT_FILE_IN_LINE : PART_ACCESS_POINT_WINDOWS;
    bool is_done = values != NULL;
    for (uint32_t part = PART_ACCESS_POINT_POSITIONS; is_done && part <= last; part++) {
        bool is_of_files = part >= PART_ACCESS_POINT_FILE_POSITIONS;
        size_t rows = is_of_files ? access_points->files.count : access_points->items.count;
        for (size_t i = 0; i < rows && part != PART_ACCESS_POINT_WINDOWS; i++)
            values[i] = is_of_files ? file_value_of(&access_points->files.items[i], part)
                                    : value_of(&access_points->items.items[i], part);
        is_done = part == PART_ACCESS_POINT_WINDOWS
                      ? parts_add_text(parts, part, access_points->windows.items,
                                       access_points->windows.count)
                      : parts_add_column(parts, part, values, rows);
    }
    free(values);
    return is_done;
}

// --- Reading -------------------------------------------------------------------------------------

// The columns that exist; those about files exist only for several files.
struct access_point_columns {
    struct column columns[PART_COUNT];
    bool has_files;
};

// False: columns are missing or damaged.
static bool open_columns(const struct parts *parts, struct access_point_columns *from)
{
    const struct column *columns = from->columns;
    struct error err;
    from->has_files = parts_find(parts, PART_ACCESS_POINT_FILES) != NULL;
    for (uint32_t part = PART_ACCESS_POINT_POSITIONS; part < PART_COUNT; part++) {
        bool is_wanted = part != PART_ACCESS_POINT_WINDOWS &&
                         (from->has_files || part < PART_ACCESS_POINT_FILES);
        uint32_t first = part < PART_ACCESS_POINT_FILE_POSITIONS ? PART_ACCESS_POINT_POSITIONS
                                                                 : PART_ACCESS_POINT_FILE_POSITIONS;
        if (is_wanted && (parts_column(parts, part, &from->columns[part], &err) != STATUS_OK ||
                          columns[part].count != columns[first].count ||
                          columns[part].count > LIMIT_ACCESS_POINTS))
            return false;
    }
    return true;
}

// False: the column is damaged.
static bool read_values(struct access_point_columns *from, size_t row, uint32_t first,
                        uint32_t last, uint64_t values[PART_COUNT])
{
    for (uint32_t part = first; part <= last; part++) {
        if (part != PART_ACCESS_POINT_WINDOWS &&
            !column_get(&from->columns[part], row, &values[part]))
            return false;
    }
    return true;
}

// False: the column is damaged, or there is no memory.
static bool read_row(struct access_point_columns *from, size_t row,
                     struct access_points *access_points, uint64_t *window_at)
{
    uint64_t values[PART_COUNT] = {0};
    uint32_t last = from->has_files ? PART_ACCESS_POINT_FILES : PART_ACCESS_POINT_WINDOW_BYTES;
    if (!read_values(from, row, PART_ACCESS_POINT_POSITIONS, last, values) ||
        values[PART_ACCESS_POINT_LEVELS] > UINT8_MAX ||
        values[PART_ACCESS_POINT_FILES] > LIMIT_TRACE_FILES || !VEC_ROOM(&access_points->items, 1))
        return false;
    uint64_t end = values[PART_ACCESS_POINT_ENDS];
    access_points->items.items[access_points->items.count++] = (struct access_point){
        .plain_byte = values[PART_ACCESS_POINT_POSITIONS],
        .chunk = {.from = values[PART_ACCESS_POINT_STARTS],
                  .to = end ? end : CHUNK_REST,
                  .level = (uint8_t)values[PART_ACCESS_POINT_LEVELS]},
        .window_at = *window_at,
        .window_bytes = values[PART_ACCESS_POINT_WINDOW_BYTES],
        .hash = values[PART_ACCESS_POINT_HASHES],
        .file = (uint32_t)values[PART_ACCESS_POINT_FILES],
    };
    return !__builtin_add_overflow(*window_at, values[PART_ACCESS_POINT_WINDOW_BYTES], window_at);
}

static bool read_file(struct access_point_columns *from, size_t row,
                      struct access_points *access_points)
{
    uint64_t values[PART_COUNT];
    if (!read_values(from, row, PART_ACCESS_POINT_FILE_POSITIONS, PART_ACCESS_POINT_FILE_IN_LINE,
                     values))
        return false;
    const struct access_point_file file = {values[PART_ACCESS_POINT_FILE_POSITIONS],
                                           values[PART_ACCESS_POINT_FILE_LINES],
                                           values[PART_ACCESS_POINT_FILE_IN_LINE] != 0};
    return access_points_add_file(access_points, &file);
}

static bool read_windows(const struct parts *parts, struct access_points *access_points)
{
    const char *text;
    size_t size_bytes;
    if (parts_text(parts, PART_ACCESS_POINT_WINDOWS, &text, &size_bytes, NULL) != STATUS_OK ||
        !VEC_ROOM(&access_points->windows, size_bytes))
        return false;
    if (size_bytes)
        memcpy(access_points->windows.items, text, size_bytes);
    access_points->windows.count = size_bytes;
    return true;
}

static bool read_access_points(struct trawl_index *index, struct access_points *access_points)
{
    struct parts parts;
    struct access_point_columns from;
    struct trawl_info info;
    struct error err;
    bool is_there;
    uint64_t window_at = 0;
    if (index_find_section(index, SECTION_ACCESS_POINTS, &parts, &is_there, &err) != STATUS_OK ||
        !is_there || !open_columns(&parts, &from))
        return false;
    trawl_info(index, &info);
    access_points->text_bytes = info.trace_bytes;
    bool is_sound = read_windows(&parts, access_points);
    for (size_t i = 0; is_sound && i < from.columns[PART_ACCESS_POINT_POSITIONS].count; i++)
        is_sound = read_row(&from, i, access_points, &window_at);
    size_t files = from.has_files ? from.columns[PART_ACCESS_POINT_FILE_POSITIONS].count : 0;
    for (size_t i = 0; is_sound && i < files; i++)
        is_sound = read_file(&from, i, access_points);
    return is_sound;
}

void index_access_points_give(struct trawl_index *index, struct source *source)
{
    struct access_points access_points = {0};
    if (source_is_synthesized(source) && read_access_points(index, &access_points))
        source_use_access_points(source, &access_points);
    access_points_free(&access_points);
}
