// The source lines that an index stores for images. Their columns are not read as a whole, but
// searched for each query.
#include "idx/caller.h"
#include "idx/index.h"

#include <stdlib.h>

void source_line_table_free(struct source_line_table *table)
{
    free(table->files);
    free(table->text);
    free(table->images);
    free(table->image_text);
    *table = (struct source_line_table){0};
}

// --- Reading -------------------------------------------------------------------------------------

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "source lines", err);
}

// Copies the names of files, and finds where each begins.
static enum status read_files(struct trawl_index *index, const struct parts *parts,
                              struct error *err)
{
    struct source_line_table *table = &index->source_lines;
    const char *text;
    size_t length;
    if (parts_text(parts, PART_LINE_FILES, &text, &length, NULL) != STATUS_OK ||
        (length && text[length - 1] != 0))
        return damaged(index, err);
    table->file_count = 0;
    for (size_t i = 0; i < length; i++)
        table->file_count += text[i] == 0;
    table->text = malloc(length + 1);
    table->files = calloc(table->file_count + 1, sizeof *table->files);
    if (!table->text || !table->files)
        return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
    memcpy(table->text, text, length);
    const char *at = table->text;
    for (size_t i = 0; i < table->file_count; i++, at += strlen(at) + 1)
        table->files[i] = at;
    return STATUS_OK;
}

static enum status read_table(struct trawl_index *index, struct error *err)
{
    struct source_line_table *table = &index->source_lines;
    struct parts parts;
    enum status status = index_section(index, SECTION_SOURCE_LINES, &parts, err);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < LINE_COLUMNS; i++) {
        if (parts_column(&parts, PART_LINE_STARTS + i, &table->columns[i], NULL) != STATUS_OK ||
            table->columns[i].count != table->columns[0].count)
            return damaged(index, err);
    }
    status = read_files(index, &parts, err);
    if (status != STATUS_OK)
        return status;
    // Copies what there is about images whose lines are not kept.
    const char *text;
    size_t length, texts = 0;
    if (!parts_find(&parts, PART_LINE_IMAGES))
        return STATUS_OK;
    if (parts_text(&parts, PART_LINE_IMAGES, &text, &length, NULL) != STATUS_OK ||
        parts_column(&parts, PART_LINE_OFFSETS, &table->image_offsets, NULL) != STATUS_OK ||
        (length && text[length - 1] != 0))
        return damaged(index, err);
    for (size_t i = 0; i < length; i++)
        texts += text[i] == 0;
    if (texts != table->image_offsets.count)
        return damaged(index, err);
    table->image_text = malloc(length + 1);
    table->images = calloc(texts + 1, sizeof *table->images);
    if (!table->image_text || !table->images)
        return index_no_memory(index, err);
    memcpy(table->image_text, text, length);
    const char *at = table->image_text;
    for (size_t i = 0; i < texts; i++, at += strlen(at) + 1)
        table->images[i] = at;
    table->image_count = texts / 2;
    return texts % 2 ? damaged(index, err) : STATUS_OK;
}

// Opens the section on first use.
static enum status make_ready(struct trawl_index *index, struct error *err)
{
    struct source_line_table *table = &index->source_lines;
    if (table->is_read || !index_has_section(index, SECTION_SOURCE_LINES))
        return STATUS_OK;
    enum status status = read_table(index, err);
    if (status != STATUS_OK)
        source_line_table_free(table);
    table->is_read = status == STATUS_OK;
    return status;
}

// --- Questions -----------------------------------------------------------------------------------

static uint64_t range_count(const struct source_line_table *table)
{
    return table->is_read ? table->columns[LINE_STARTS].count : 0;
}

// The range with that number, which must exist.
static enum status read_range(const struct trawl_index *index, uint64_t number,
                              struct trawl_line *range, struct error *err)
{
    const struct source_line_table *table = &index->source_lines;
    uint64_t values[LINE_COLUMNS], end = 0;
    for (size_t i = 0; i < LINE_COLUMNS; i++) {
        if (!column_get(&table->columns[i], number, &values[i]))
            return damaged(index, err);
    }
    bool is_last = number + 1 == range_count(table);
    if (values[LINE_FILE_NUMBERS] > table->file_count || values[LINE_NUMBERS] > UINT32_MAX ||
        values[LINE_IN_COLUMNS] > UINT32_MAX ||
        (!is_last && (!column_get(&table->columns[LINE_STARTS], number + 1, &end) ||
                      end <= values[LINE_STARTS])))
        return damaged(index, err);
    *range = (struct trawl_line){
        .address = values[LINE_STARTS],
        .end = end,
        .file = values[LINE_FILE_NUMBERS] ? table->files[values[LINE_FILE_NUMBERS] - 1] : NULL,
        .line = (uint32_t)values[LINE_NUMBERS],
        .column = (uint32_t)values[LINE_IN_COLUMNS],
    };
    return STATUS_OK;
}

enum trawl_status trawl_line_count(struct trawl_index *index, uint64_t *count,
                                   struct trawl_error *error)
{
    struct error why;
    enum status status = make_ready(index, &why);
    *count = range_count(&index->source_lines);
    return errors_give(error, &why, status);
}

enum trawl_status trawl_line_(struct trawl_index *index, uint64_t number, struct trawl_line *about,
                              size_t about_bytes, struct trawl_error *error)
{
    struct error why;
    struct trawl_line range;
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK && number >= range_count(&index->source_lines))
        status = error_set(&why, STATUS_NOT_FOUND, "%s: no such piece of code", index->path);
    if (status == STATUS_OK)
        status = read_range(index, number, &range, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &range, sizeof range);
    return errors_give(error, &why, status);
}

// The last range that begins at or before the address.
static enum status find_range(const struct trawl_index *index, uint64_t address,
                              struct trawl_line *range, struct error *err)
{
    const struct source_line_table *table = &index->source_lines;
    uint64_t place = 0;
    if (table->is_read &&
        !column_search(&table->columns[LINE_STARTS], 0, range_count(table), address, &place))
        return damaged(index, err);
    enum status status = place ? read_range(index, place - 1, range, err) : STATUS_OK;
    if (status == STATUS_OK && (!place || !range->file))
        return error_set(err, STATUS_NOT_FOUND, "%s: no source line is known there", index->path);
    return status;
}

enum trawl_status trawl_line_at_(struct trawl_index *index, uint64_t address,
                                 struct trawl_line *about, size_t about_bytes,
                                 struct trawl_error *error)
{
    struct error why;
    struct trawl_line range;
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK)
        status = find_range(index, address, &range, &why);
    if (status == STATUS_OK)
        caller_give(about, about_bytes, &range, sizeof range);
    return errors_give(error, &why, status);
}

enum trawl_status trawl_line_image_(struct trawl_index *index, uint64_t number,
                                    struct trawl_line_image *about, size_t about_bytes,
                                    struct trawl_error *error)
{
    const struct source_line_table *table = &index->source_lines;
    struct error why;
    uint64_t values[2];
    enum status status = make_ready(index, &why);
    if (status == STATUS_OK && number >= table->image_count)
        status = error_set(&why, STATUS_NOT_FOUND, "%s: no such image", index->path);
    if (status == STATUS_OK && !column_read(&table->image_offsets, 2 * number, 2, values))
        status = damaged(index, &why);
    if (status == STATUS_OK) {
        const struct trawl_line_image found = {table->images[2 * number],
                                               table->images[2 * number + 1], values[0], values[1]};
        caller_give(about, about_bytes, &found, sizeof found);
    }
    return errors_give(error, &why, status);
}
