#include "dwarf/image_lines.h"

#include "base/limits.h"

#include <stdlib.h>

struct member_lines {
    struct lines *lines; // NULL: there are none
    bool is_tried;
    struct debug_info *info; // with these lines; opened at first use
    bool is_info_tried;
};

struct image_lines {
    const struct image_set *images;
    struct error fault;
    bool lacked_memory;
    size_t count;
    struct member_lines members[];
};

struct image_lines *image_lines_open(const struct image_set *images)
{
    size_t count = images->members.count;
    struct image_lines *lines = calloc(1, sizeof *lines + count * sizeof lines->members[0]);
    if (!lines)
        return NULL;
    lines->images = images;
    lines->count = count;
    return lines;
}

void image_lines_close(struct image_lines *lines)
{
    if (!lines)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        debug_info_close(lines->members[i].info);
        lines_close(lines->members[i].lines);
    }
    free(lines);
}

static void take_status(struct image_lines *lines, enum status status, const struct error *err)
{
    lines->lacked_memory |= status == STATUS_MEMORY;
    if (status != STATUS_OK && lines->fault.status == STATUS_OK)
        lines->fault = *err;
}

static struct lines *lines_of(struct image_lines *lines, size_t number)
{
    struct member_lines *member = &lines->members[number];
    struct error err;
    if (member->is_tried)
        return member->lines;
    member->is_tried = true;
    take_status(lines, lines_open(&member->lines, lines->images->members.items[number].image, &err),
                &err);
    return member->lines;
}

bool image_lines_are_many(struct image_lines *lines, size_t member)
{
    const struct image *image = lines->images->members.items[member].image;
    uint64_t table_bytes = lines_table_bytes_of(image);
    if (!table_bytes) // of a separate file, if any
        table_bytes = lines_table_bytes(lines_of(lines, member));
    return table_bytes > LIMIT_INDEX_LINE_TABLES;
}

void image_lines_leave_out(struct image_lines *lines, size_t member)
{
    lines_close(lines->members[member].lines);
    lines->members[member] = (struct member_lines){.is_tried = true, .is_info_tried = true};
}

struct debug_info *image_lines_info(struct image_lines *lines, size_t number)
{
    struct member_lines *member = &lines->members[number];
    struct error err;
    if (member->is_info_tried || !lines_of(lines, number))
        return member->info;
    member->is_info_tried = true;
    take_status(lines,
                debug_info_over(&member->info, member->lines,
                                lines->images->members.items[number].image, &err),
                &err);
    return member->info;
}

static bool find_in_member(struct image_lines *lines, size_t number, uint64_t address,
                           struct source_location *out)
{
    const struct image_member *member = &lines->images->members.items[number];
    return address <= member->address_mask &&
           lines_find(lines_of(lines, number), (address - member->offset) & member->address_mask,
                      out);
}

bool image_lines_find(struct image_lines *lines, uint64_t address, struct source_location *out)
{
    size_t number;
    if (image_set_member_at(lines->images, address, &number))
        return find_in_member(lines, number, address, out);
    for (size_t i = 0; i < lines->count; i++) {
        if (!lines->images->members.items[i].has_ranges && find_in_member(lines, i, address, out))
            return true;
    }
    return false;
}

static size_t inlines_in_member(struct image_lines *lines, size_t number, uint64_t address,
                                struct debug_inline *chain, size_t capacity)
{
    const struct image_member *member = &lines->images->members.items[number];
    struct debug_info *info =
        address <= member->address_mask ? image_lines_info(lines, number) : NULL;
    uint64_t linked = (address - member->offset) & member->address_mask;
    return info ? debug_inlines(info, linked, chain, capacity) : 0;
}

size_t image_lines_inlines(struct image_lines *lines, uint64_t address, struct debug_inline *chain,
                           size_t capacity)
{
    size_t number, count = 0;
    if (image_set_member_at(lines->images, address, &number))
        return inlines_in_member(lines, number, address, chain, capacity);
    for (size_t i = 0; i < lines->count && !count; i++) {
        if (!lines->images->members.items[i].has_ranges)
            count = inlines_in_member(lines, i, address, chain, capacity);
    }
    return count;
}

// The addresses of one image, moved to where it was loaded.
static enum status add_member(struct image_lines *lines, size_t number, struct address_vec *bounds,
                              struct error *err)
{
    const struct image_member *member = &lines->images->members.items[number];
    size_t first = bounds->count;
    enum status status = lines_add_bounds(lines_of(lines, number), bounds, err);
    for (size_t i = first; i < bounds->count; i++)
        bounds->items[i] = (bounds->items[i] + member->offset) & member->address_mask;
    return status;
}

enum status image_lines_add_bounds(struct image_lines *lines, struct address_vec *bounds,
                                   struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < lines->count && status == STATUS_OK; i++)
        status = add_member(lines, i, bounds, err);
    if (status == STATUS_OK && !image_set_add_bounds(lines->images, bounds))
        status = error_set(err, STATUS_MEMORY, "no memory for source lines");
    return status;
}

const struct error *image_lines_fault(const struct image_lines *lines)
{
    return lines->fault.status == STATUS_OK ? NULL : &lines->fault;
}

uint64_t image_lines_path_bytes_max(const struct image_lines *lines)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < lines->count; i++)
        bytes += image_file_bytes(lines->images->members.items[i].image) +
                 lines_file_bytes(lines->members[i].lines);
    return LIMIT_IMAGE_NAME_TEXT(bytes);
}

bool image_lines_lacked_memory(const struct image_lines *lines)
{
    bool lacked = lines->lacked_memory;
    for (size_t i = 0; i < lines->count; i++)
        lacked |= lines_lacked_memory(lines->members[i].lines);
    return lacked;
}

// --- For what asks about variables ---------------------------------------------------------------

size_t image_lines_count(const struct image_lines *lines)
{
    return lines->count;
}

const struct image_member *image_lines_member(const struct image_lines *lines, size_t number)
{
    return &lines->images->members.items[number];
}

bool image_lines_member_at(const struct image_lines *lines, uint64_t address, size_t *number)
{
    return image_set_member_at(lines->images, address, number) && *number < lines->count;
}
