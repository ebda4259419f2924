// The source lines that an index stores from the given images (SECTION_SOURCE_LINES).
#include "session/index_names.h"

#include "dwarf/image_lines.h"
#include "idx/index_format.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// A span of the address space; it ends where the next one starts.
struct span {
    uint64_t start;
    const char *path; // NULL: unknown
    uint32_t line, column;
};

struct table {
    struct image_lines *lines;
    struct address_vec bounds;
    VEC(, struct span) spans;
    VEC(, const char *) files; // ascending, without duplicates
};

// --- Spans --------------------------------------------------------------------------------------

// Cuts the address space where the images' answer changes.
static bool cut(struct table *table)
{
    struct span before = {0};
    if (table->bounds.count)
        qsort(table->bounds.items, table->bounds.count, sizeof *table->bounds.items, u64_compare);
    for (size_t i = 0; i < table->bounds.count; i++) {
        if (i && table->bounds.items[i] == table->bounds.items[i - 1])
            continue;
        struct span span = {.start = table->bounds.items[i]};
        struct source_location place;
        if (image_lines_find(table->lines, span.start, &place))
            span = (struct span){span.start, place.path, place.line, place.column};
        if (span.line == before.line && span.column == before.column &&
            (span.path == before.path ||
             (span.path && before.path && strcmp(span.path, before.path) == 0)))
            continue;
        if (!VEC_ROOM(&table->spans, 1))
            return false;
        table->spans.items[table->spans.count++] = before = span;
    }
    return !image_lines_lacked_memory(table->lines);
}

// --- Files ---------------------------------------------------------------------------------------

static int compare_strings(const void *a_item, const void *b_item)
{
    const char *const *a = a_item, *const *b = b_item;
    return strcmp(*a, *b);
}

// Most spans have the same file as the span before.
static bool list_files(struct table *table)
{
    const char *before = NULL;
    for (size_t i = 0; i < table->spans.count; i++) {
        const char *path = table->spans.items[i].path;
        if (!path || path == before)
            continue;
        if (!VEC_ROOM(&table->files, 1))
            return false;
        table->files.items[table->files.count++] = before = path;
    }
    if (!table->files.count)
        return true;
    qsort(table->files.items, table->files.count, sizeof *table->files.items, compare_strings);
    size_t kept = 1;
    for (size_t i = 1; i < table->files.count; i++) {
        if (strcmp(table->files.items[i], table->files.items[kept - 1]) != 0)
            table->files.items[kept++] = table->files.items[i];
    }
    table->files.count = kept;
    return true;
}

// STATUS_LIMIT: paths share directories and names to such an extent that they would take more bytes
// than the files of the images justify.
static enum status check_paths(const struct table *table, const struct image_set *images,
                               struct error *err)
{
    uint64_t bytes = 0, bytes_max = image_lines_path_bytes_max(table->lines);
    for (size_t i = 0; i < table->files.count; i++)
        bytes += strlen(table->files.items[i]) + 1;
    if (bytes <= bytes_max)
        return STATUS_OK;
    return error_set(err, STATUS_LIMIT,
                     "%s: the names of its source files share their bytes, and would take "
                     "%" PRIu64 " of them",
                     image_path(images->members.items[0].image), bytes);
}

// The number of the file, + 1.
static uint64_t file_number(const struct table *table, const char *path)
{
    const char **found = bsearch(&path, table->files.items, table->files.count,
                                 sizeof *table->files.items, compare_strings);
    return (uint64_t)(found - table->files.items) + 1;
}

static bool add_files(const struct table *table, struct parts_writer *parts)
{
    struct bytes text = {0};
    bool is_done = true;
    for (size_t i = 0; i < table->files.count && is_done; i++)
        is_done = bytes_append(&text, table->files.items[i], strlen(table->files.items[i]) + 1);
    is_done = is_done && parts_add_text(parts, PART_LINE_FILES, text.items, text.count);
    free(text.items);
    return is_done;
}

// --- The section ---------------------------------------------------------------------------------

static bool add_columns(const struct table *table, struct parts_writer *parts)
{
    uint64_t *column = calloc(table->spans.count + 1, sizeof *column);
    bool is_done = column != NULL;
    for (unsigned part = PART_LINE_STARTS; part <= PART_LINE_COLUMNS && is_done; part++) {
        for (size_t i = 0; i < table->spans.count; i++) {
            const struct span *span = &table->spans.items[i];
            bool is_as_before = i && span->path == span[-1].path;
            if (part == PART_LINE_STARTS)
                column[i] = span->start;
            else if (part == PART_LINE_NUMBERS)
                column[i] = span->line;
            else if (part == PART_LINE_COLUMNS)
                column[i] = span->column;
            else
                column[i] = is_as_before ? column[i - 1]
                            : span->path ? file_number(table, span->path)
                                         : 0;
        }
        is_done = parts_add_column(parts, part, column, table->spans.count);
    }
    free(column);
    return is_done;
}

// Images whose lines stay in their files.
struct references {
    struct bytes text;
    VEC(, uint64_t) rows;
};

// Finds them, and has no lines of them any more. False: no memory.
static bool find_references(struct references *references, struct image_lines *lines,
                            const struct image_set *images)
{
    bool is_done = true;
    for (size_t i = 0; i < images->members.count && is_done; i++) {
        const struct image_member *member = &images->members.items[i];
        char identity[IMAGE_IDENTITY_BYTES], path[PATH_MAX];
        if (!image_lines_are_many(lines, i))
            continue;
        image_lines_leave_out(lines, i);
        if (!realpath(image_path(member->image), path)) // it was renamed
            snprintf(path, sizeof path, "%s", image_path(member->image));
        const int length = image_identity(member->image, member->offset, identity);
        is_done = bytes_append(&references->text, path, strlen(path) + 1) &&
                  bytes_append(&references->text, identity, (size_t)length + 1) &&
                  VEC_ROOM(&references->rows, 2);
        if (is_done) {
            references->rows.items[references->rows.count++] = member->offset;
            references->rows.items[references->rows.count++] = member->address_mask;
        }
    }
    return is_done;
}

bool index_lines_write(const struct image_set *images, struct parts_writer *parts,
                       struct error *left_out)
{
    struct table table = {.lines = image_lines_open(images)};
    struct references references = {0};
    struct error why = {.status = STATUS_OK};
    enum status status = table.lines && find_references(&references, table.lines, images)
                             ? image_lines_add_bounds(table.lines, &table.bounds, &why)
                             : STATUS_MEMORY;
    bool is_done =
        status == STATUS_LIMIT || (status == STATUS_OK && cut(&table) && list_files(&table) &&
                                   (status = check_paths(&table, images, &why)) != STATUS_MEMORY);
    if (status == STATUS_LIMIT) // then none are stored
        table.spans.count = table.files.count = 0;
    is_done = is_done && add_files(&table, parts) && add_columns(&table, parts);
    if (is_done && references.rows.count)
        is_done =
            parts_add_text(parts, PART_LINE_IMAGES, references.text.items, references.text.count) &&
            parts_add_column(parts, PART_LINE_OFFSETS, references.rows.items,
                             references.rows.count);
    free(references.text.items);
    free(references.rows.items);
    const struct error *fault = table.lines ? image_lines_fault(table.lines) : NULL;
    if (left_out && (fault || why.status == STATUS_LIMIT))
        error_set(left_out, fault ? fault->status : why.status,
                  "%s: no source lines of it are kept", fault ? fault->text : why.text);
    image_lines_close(table.lines);
    free(table.bounds.items);
    free(table.spans.items);
    free(table.files.items);
    return is_done;
}
