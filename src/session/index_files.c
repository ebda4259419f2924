#include "session/index_files.h"

#include "base/limits.h"
#include "idx/index_format.h"
#include "idx/rows.h"

#include <stdlib.h>

enum { COLUMN_COUNT = PART_FILE_IS_FINAL };

// --- Writing -------------------------------------------------------------------------------------

static uint64_t value_of(const struct source_file_beginning *file, uint32_t part)
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

bool index_files_write(const struct source *source, struct parts_writer *parts)
{
    size_t count = source_file_count(source);
    uint64_t *values = calloc(count, sizeof *values);
    bool is_done = values != NULL;
    for (uint32_t part = PART_FILE_BYTES; is_done && part <= COLUMN_COUNT; part++) {
        for (size_t i = 0; i < count; i++) {
            struct source_file_beginning file;
            source_file_beginning(source, i, &file);
            values[i] = value_of(&file, part);
        }
        is_done = parts_add_column(parts, part, values, count);
    }
    free(values);
    return is_done;
}

// --- Reading -------------------------------------------------------------------------------------

static bool read_row(const struct column *columns, size_t row, struct source_file_beginning *file)
{
    uint64_t values[COLUMN_COUNT + 1];
    for (uint32_t part = PART_FILE_BYTES; part <= COLUMN_COUNT; part++) {
        if (!column_get(&columns[part], row, &values[part]))
            return false;
    }
    *file = (struct source_file_beginning){
        values[PART_FILE_BYTES],
        {values[PART_FILE_SAMPLES_LOW], values[PART_FILE_SAMPLES_HIGH]},
        values[PART_FILE_IS_FINAL] != 0};
    return true;
}

// False: no memory, or the section is damaged. Free beginning->files.
static bool read_beginning(struct trawl_index *index, struct source_beginning *beginning)
{
    struct trawl_info info;
    struct parts parts;
    struct column columns[COLUMN_COUNT + 1];
    struct error err;
    bool is_there;
    trawl_info(index, &info);
    *beginning =
        (struct source_beginning){.text_bytes = info.trace_bytes,
                                  .file_bytes = info.file_bytes,
                                  .sample = {info.trace_fingerprint[0], info.trace_fingerprint[1]}};
    if (index_find_section(index, SECTION_FILES, &parts, &is_there, &err) != STATUS_OK)
        return false;
    if (!is_there)
        return true;
    for (uint32_t part = PART_FILE_BYTES; part <= COLUMN_COUNT; part++) {
        if (parts_column(&parts, part, &columns[part], &err) != STATUS_OK ||
            columns[part].count != columns[PART_FILE_BYTES].count ||
            columns[part].count > LIMIT_TRACE_FILES)
            return false;
    }
    size_t count = (size_t)columns[PART_FILE_BYTES].count;
    struct source_file_beginning *files = calloc(count + 1, sizeof *files);
    bool is_sound = files != NULL;
    for (size_t i = 0; is_sound && i < count; i++)
        is_sound = read_row(columns, i, &files[i]);
    if (!is_sound) {
        free(files);
        return false;
    }
    beginning->files = files;
    beginning->count = count;
    return true;
}

bool index_files_fit(struct trawl_index *index, const struct source *source)
{
    struct source_beginning beginning;
    bool fits = read_beginning(index, &beginning) && source_begins_with(source, &beginning);
    free((void *)(uintptr_t)beginning.files);
    return fits;
}

bool index_files_cut(struct trawl_index *index, struct source *source)
{
    struct source_beginning beginning;
    bool is_read = read_beginning(index, &beginning);
    if (is_read)
        source_end_after(source, &beginning);
    free((void *)(uintptr_t)beginning.files);
    return is_read;
}
