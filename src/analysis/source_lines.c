#include "analysis/source_lines.h"

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

// The lines of the images. NULL: there are no images, or is no memory.
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
