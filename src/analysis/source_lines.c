#include "analysis/source_lines.h"

#include <stdio.h>
#include <stdlib.h>

void source_lines_free(struct source_lines *lines)
{
    image_lines_close(lines->of_images);
    *lines = (struct source_lines){0};
}

static bool find_in_index(struct trawl_index *index, uint64_t pc, struct source_location *out)
{
    struct trawl_line line;
    if (trawl_line_at(index, pc, &line, NULL) != TRAWL_OK)
        return false;
    const char *slash = strrchr(line.file, '/');
    *out =
        (struct source_location){slash ? slash + 1 : line.file, line.file, line.line, line.column};
    return true;
}

static uint64_t address_of(const struct names *names, uint64_t pc)
{
    return names->options.is_arm ? pc & ~UINT64_C(1) : pc;
}

// The lines of the images. NULL: no images, or no memory.
static struct image_lines *of_images(struct source_lines *lines, const struct names *names)
{
    if (!lines->of_images && names->images.members.count) {
        lines->of_images = image_lines_open(&names->images);
        lines->lacks_memory |= !lines->of_images;
    }
    return lines->of_images;
}

bool source_lines_find(struct source_lines *lines, const struct names *names, uint64_t pc,
                       struct source_location *out)
{
    uint64_t address = address_of(names, pc);
    if (names->options.ids)
        return false;
    if (names->index)
        return find_in_index(names->index, address, out);
    return of_images(lines, names) && image_lines_find(lines->of_images, address, out);
}

bool source_lines_text(struct source_lines *lines, const struct names *names, uint64_t pc,
                       char text[SOURCE_PLACE_BYTES])
{
    struct source_location place;
    if (!source_lines_find(lines, names, pc, &place) || !place.line)
        return false;
    snprintf(text, SOURCE_PLACE_BYTES, "%s:%u", place.file, place.line);
    return true;
}

// --- The code of a line --------------------------------------------------------------------------

// Whether a path ends with all of another, at a directory.
static bool ends_with_path(const char *path, const char *end)
{
    size_t length = strlen(path), end_length = strlen(end);
    return end_length <= length && strcmp(path + length - end_length, end) == 0 &&
           (end_length == length || path[length - end_length - 1] == '/');
}

struct line_search {
    const char *path;
    uint32_t line;
    struct address_vec *starts;
    bool was_there; // at the previous address
};

// Processes the place of the next address. False: no memory.
static bool take_place(struct line_search *search, uint64_t address, const char *path,
                       uint32_t line)
{
    bool is_there = path && line == search->line && ends_with_path(path, search->path);
    bool begins = is_there && !search->was_there;
    search->was_there = is_there;
    if (begins && !VEC_ROOM(search->starts, 1))
        return false;
    if (begins)
        search->starts->items[search->starts->count++] = address;
    return true;
}

static bool search_index(struct line_search *search, struct trawl_index *index)
{
    struct trawl_line line;
    bool has_memory = true;
    for (uint64_t i = 0; has_memory && trawl_line(index, i, &line, NULL) == TRAWL_OK; i++)
        has_memory = take_place(search, line.address, line.file, line.line);
    return has_memory;
}

static enum status search_images(struct line_search *search, struct image_lines *lines,
                                 struct error *err)
{
    struct address_vec bounds = {0};
    enum status status = image_lines_add_bounds(lines, &bounds, err);
    if (status == STATUS_OK && bounds.count)
        qsort(bounds.items, bounds.count, sizeof *bounds.items, u64_compare);
    for (size_t i = 0; i < bounds.count && status == STATUS_OK; i++) {
        struct source_location place = {0};
        if (!image_lines_find(lines, bounds.items[i], &place))
            place.path = NULL;
        if (!take_place(search, bounds.items[i], place.path, place.line))
            status = error_set(err, STATUS_MEMORY, "no memory for the code of a line");
    }
    free(bounds.items);
    return status;
}

enum status source_lines_starts(struct source_lines *lines, const struct names *names,
                                const char *path, uint32_t line, struct address_vec *starts,
                                struct error *err)
{
    struct line_search search = {.path = path, .line = line, .starts = starts};
    if (names->options.ids || !line)
        return STATUS_OK;
    if (names->index)
        return search_index(&search, names->index)
                   ? STATUS_OK
                   : error_set(err, STATUS_MEMORY, "no memory for the code of a line");
    return of_images(lines, names) ? search_images(&search, lines->of_images, err) : STATUS_OK;
}

size_t source_lines_inlines(struct source_lines *lines, const struct names *names, uint64_t pc,
                            struct debug_inline *chain, size_t capacity)
{
    if (names->index || !of_images(lines, names))
        return 0;
    return image_lines_inlines(lines->of_images, address_of(names, pc), chain, capacity);
}

const struct error *source_lines_fault(const struct source_lines *lines)
{
    return lines->of_images ? image_lines_fault(lines->of_images) : NULL;
}

bool source_lines_lacked_memory(const struct source_lines *lines)
{
    return lines->lacks_memory || (lines->of_images && image_lines_lacked_memory(lines->of_images));
}
