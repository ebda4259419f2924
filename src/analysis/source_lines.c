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

bool source_lines_find(struct source_lines *lines, const struct names *names, uint64_t pc,
                       struct source_location *out)
{
    if (names->options.is_arm)
        pc &= ~UINT64_C(1);
    if (names->index)
        return find_in_index(names->index, pc, out);
    if (!names->images.members.count)
        return false;
    if (!lines->of_images)
        lines->of_images = image_lines_open(&names->images);
    return lines->of_images && image_lines_find(lines->of_images, pc, out);
}
