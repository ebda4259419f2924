#include "names/source_lines.h"

#include <stdio.h>
#include <stdlib.h>

void source_lines_free(struct source_lines *lines)
{
    image_lines_close(lines->of_images);
    image_set_free(&lines->kept_in_files);
    free(lines->paths.items);
    *lines = (struct source_lines){0};
}

static bool find_in_index(struct trawl_index *index, uint64_t pc, struct source_location *out)
{
    struct trawl_line line;
    if (trawl_line_at(index, pc, &line, NULL) != TRAWL_OK)
        return false;
    const char *slash = strrchr(line.file, '/');
    *out = (struct source_location){slash ? slash + 1 : line.file, line.file, line.line,
                                    line.column, NULL};
    return true;
}

static uint64_t address_of(const struct names *names, uint64_t pc)
{
    return pc & ~names_code_bits(names);
}

// Opens the image of which the index has no lines, if it is the same as then.
static enum status add_kept(struct source_lines *lines, const struct trawl_line_image *about,
                            struct error *err)
{
    struct image_set *kept = &lines->kept_in_files;
    char identity[IMAGE_IDENTITY_BYTES] = "";
    struct image *image = NULL;
    struct error why;
    enum status status = image_open(&image, about->path, &why);
    if (status == STATUS_OK)
        image_identity(image, about->offset, identity);
    image_close(image);
    if (status == STATUS_OK && strcmp(identity, about->identity) != 0)
        return error_set(err, STATUS_INPUT,
                         "%.200s: is not the image that the index was built with (%.200s)",
                         about->path, about->identity);
    if (status == STATUS_OK)
        status = image_set_add(kept, about->path, about->offset, &why);
    if (status != STATUS_OK)
        return error_set(err, status,
                         "%.300s (the index has names of it, but no lines; --image reads them)",
                         why.text);
    kept->members.items[kept->members.count - 1].address_mask = about->address_mask;
    return STATUS_OK;
}

// The lines of the images; or, with an index, of those of which it has none. NULL: there are no
// such images, or no memory.
static struct image_lines *of_images(struct source_lines *lines, const struct names *names)
{
    struct trawl_line_image about;
    for (uint64_t i = 0; names->index && !lines->are_files_tried; i++) {
        struct error why;
        if (trawl_line_image(names->index, i, &about, NULL) != TRAWL_OK)
            break;
        const enum status status = add_kept(lines, &about, &why);
        lines->lacks_memory |= status == STATUS_MEMORY;
        if (status != STATUS_OK && lines->missing.status == STATUS_OK)
            lines->missing = why;
    }
    lines->are_files_tried = true;
    const struct image_set *images = names->index ? &lines->kept_in_files : &names->images;
    if (!lines->of_images && images->members.count) {
        lines->of_images = image_lines_open(images);
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
    if (names->index && find_in_index(names->index, address, out))
        return true;
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
    if (names->index) {
        struct trawl_line row;
        bool has_memory = true;
        for (uint64_t i = 0; has_memory && !trawl_line(names->index, i, &row, NULL); i++)
            has_memory = take_place(&search, row.address, row.file, row.line);
        if (!has_memory)
            return error_set(err, STATUS_MEMORY, "no memory for the code of a line");
        search.was_there = false;
    }
    return of_images(lines, names) ? search_images(&search, lines->of_images, err) : STATUS_OK;
}

// --- Files with the same name --------------------------------------------------------------------

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_paths(const void *a_item, const void *b_item)
{
    const struct source_path *a = a_item, *b = b_item;
    int order = strcmp(last_component(a->path), last_component(b->path));
    if (!order)
        order = strcmp(a->path, b->path);
    if (order || !a->directory || !b->directory)
        return order ? order : (a->directory != NULL) - (b->directory != NULL);
    return strcmp(a->directory, b->directory);
}

static void sort_paths(struct source_lines *lines)
{
    struct source_path *items = lines->paths.items;
    size_t kept = 0;
    if (lines->paths.count)
        qsort(items, lines->paths.count, sizeof *items, compare_paths);
    for (size_t i = 0; i < lines->paths.count; i++) {
        if (!kept || compare_paths(&items[kept - 1], &items[i]) != 0)
            items[kept++] = items[i];
    }
    lines->paths.count = kept;
}

// Keeps a path, unless it is the last one again. `most` is how many are kept before they are sorted
// and each is kept once.
static bool keep_path(struct source_lines *lines, const char *path, const char *directory,
                      size_t *most)
{
    enum { PATHS_AT_FIRST = 4096 };
    const size_t count = lines->paths.count;
    if (count && lines->paths.items[count - 1].path == path &&
        lines->paths.items[count - 1].directory == directory)
        return true;
    if (count >= *most) {
        sort_paths(lines);
        *most = 2 * lines->paths.count + PATHS_AT_FIRST;
    }
    if (!VEC_ROOM(&lines->paths, 1))
        return false;
    lines->paths.items[lines->paths.count++] = (struct source_path){path, directory};
    return true;
}

// False: no memory.
static bool find_paths(struct source_lines *lines, const struct names *names)
{
    struct address_vec bounds = {0};
    struct source_location place;
    struct trawl_line line;
    struct error err;
    size_t most = 0;
    bool has_memory = true;
    for (uint64_t i = 0; names->index && has_memory; i++) {
        if (trawl_line(names->index, i, &line, NULL) != TRAWL_OK)
            break;
        has_memory = !line.line || keep_path(lines, line.file, NULL, &most);
    }
    if (has_memory && of_images(lines, names))
        has_memory = image_lines_add_bounds(lines->of_images, &bounds, &err) != STATUS_MEMORY;
    for (size_t i = 0; i < bounds.count && has_memory; i++) {
        if (image_lines_find(lines->of_images, bounds.items[i], &place))
            has_memory = keep_path(lines, place.path, place.directory, &most);
    }
    free(bounds.items);
    if (has_memory)
        sort_paths(lines);
    return has_memory;
}

bool source_lines_has_namesake(struct source_lines *lines, const struct names *names,
                               const struct source_location *place)
{
    char own[PATH_MAX], other[PATH_MAX];
    if (!lines->has_paths) {
        lines->has_paths = find_paths(lines, names);
        lines->lacks_memory |= !lines->has_paths;
    }
    if (!lines->has_paths || !source_path_join(place->directory, place->path, own))
        return true;
    for (size_t i = 0; i < lines->paths.count; i++) {
        const struct source_path *path = &lines->paths.items[i];
        if (strcmp(last_component(path->path), place->file) == 0 &&
            (!source_path_join(path->directory, path->path, other) || strcmp(own, other) != 0))
            return true;
    }
    return false;
}

// Adds the components of a path to the first `length` bytes.
static bool add_components(char out[PATH_MAX], size_t *length, const char *path)
{
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, "/");
        const char *slash = memrchr(out, '/', *length);
        const char *last = slash ? slash + 1 : out;
        size_t last_size = *length - (size_t)(last - out);
        bool is_up = size == 2 && memcmp(at, "..", 2) == 0;
        if (is_up && last_size && !(last_size == 2 && memcmp(last, "..", 2) == 0)) {
            *length = slash ? (size_t)(slash - out) + (slash == out) : 0;
        } else if (size && !(size == 1 && *at == '.')) {
            bool has_slash = *length && out[*length - 1] != '/';
            if (size + 2 > PATH_MAX - *length)
                return false;
            if (has_slash)
                out[(*length)++] = '/';
            memcpy(out + *length, at, size);
            *length += size;
        }
        at += size + (at[size] == '/');
    }
    return true;
}

bool source_path_join(const char *directory, const char *path, char out[PATH_MAX])
{
    size_t length = 0;
    bool is_relative = path[0] != '/' && directory;
    out[0] = '/';
    length = (is_relative ? directory : path)[0] == '/';
    if (is_relative && !add_components(out, &length, directory))
        return false;
    if (!add_components(out, &length, path))
        return false;
    out[length] = 0;
    return true;
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
    if (lines->missing.status != STATUS_OK)
        return &lines->missing;
    return lines->of_images ? image_lines_fault(lines->of_images) : NULL;
}

bool source_lines_lacked_memory(const struct source_lines *lines)
{
    return lines->lacks_memory || (lines->of_images && image_lines_lacked_memory(lines->of_images));
}
