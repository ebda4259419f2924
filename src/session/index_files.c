#include "session/index_files.h"

#include "base/limits.h"
#include "idx/index_format.h"
#include "idx/rows.h"

#include <stdlib.h>

enum { COLUMN_COUNT = PART_FILE_IS_FINAL };

// --- Writing -------------------------------------------------------------------------------------

static uint64_t value_of(const struct concat_beginning *file, uint32_t part)
{
    switch ((enum files_part)part) {
    case PART_FILE_BYTES:
        return file->size_bytes;
    case PART_FILE_SAMPLES_LOW:
        return file->sample.low;
    case PART_FILE_SAMPLES_HIGH:
        return file->sample.high;
    case PART_FILE_IS_FINAL:
        return file->is_final;
    }
    return 0;
}

bool index_files_write(const struct concat *concat, struct parts_writer *parts)
{
    size_t count = concat_file_count(concat);
    uint64_t *values = calloc(count, sizeof *values);
    bool is_done = values != NULL;
    for (uint32_t part = PART_FILE_BYTES; is_done && part <= COLUMN_COUNT; part++) {
        for (size_t i = 0; i < count; i++) {
            const struct concat_beginning file = concat_beginning(concat, i);
            values[i] = value_of(&file, part);
        }
        is_done = parts_add_column(parts, part, values, count);
    }
    free(values);
    return is_done;
}

// --- Reading -------------------------------------------------------------------------------------

static bool read_row(const struct column *columns, size_t row, struct concat_beginning *file)
{
    uint64_t values[COLUMN_COUNT + 1];
    for (uint32_t part = PART_FILE_BYTES; part <= COLUMN_COUNT; part++) {
        if (!column_get(&columns[part], row, &values[part]))
            return false;
    }
    *file =
        (struct concat_beginning){values[PART_FILE_BYTES],
                                  {values[PART_FILE_SAMPLES_LOW], values[PART_FILE_SAMPLES_HIGH]},
                                  values[PART_FILE_IS_FINAL] != 0};
    return true;
}

// NULL: there is no memory or no such section, or it is damaged. The caller frees the result.
static struct concat_beginning *read_files(struct trawl_index *index, size_t *count)
{
    struct parts parts;
    struct column columns[COLUMN_COUNT + 1];
    struct error err;
    bool is_there;
    if (index_find_section(index, SECTION_FILES, &parts, &is_there, &err) != STATUS_OK || !is_there)
        return NULL;
    for (uint32_t part = PART_FILE_BYTES; part <= COLUMN_COUNT; part++) {
        if (parts_column(&parts, part, &columns[part], &err) != STATUS_OK ||
            columns[part].count != columns[PART_FILE_BYTES].count ||
            columns[part].count > LIMIT_TRACE_FILES)
            return NULL;
    }
    *count = (size_t)columns[PART_FILE_BYTES].count;
    struct concat_beginning *files = calloc(*count + 1, sizeof *files);
    for (size_t i = 0; files && i < *count; i++) {
        if (!read_row(columns, i, &files[i])) {
            free(files);
            return NULL;
        }
    }
    return files;
}

bool index_files_fit(struct trawl_index *index, const struct source *source)
{
    const struct concat *concat = source_concat(source);
    size_t count = 0;
    struct concat_beginning *files = concat ? read_files(index, &count) : NULL;
    bool fits = files && concat_begins_with(concat, files, count);
    free(files);
    return fits;
}

bool index_files_cut(struct trawl_index *index, struct source *source)
{
    struct trawl_info info;
    size_t count;
    struct concat_beginning *files = read_files(index, &count);
    trawl_info(index, &info);
    if (files)
        source_end_after_files(source, files, count, info.trace_bytes);
    free(files);
    return files != NULL;
}
