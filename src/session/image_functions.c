#include "session/images.h"

#include <stdlib.h>

// The longest suffix in the name of a part: ".__part." and a number.
#define PART_BYTES 32

VEC(span_vec, struct function_span);

// "main.cold" is made by GCC and by LLVM's splitter, "main.cold.0" by GCC before version 9,
// "main.__part.1" by LLVM. LLVM also makes separate functions called "main.cold.1", which are
// called like others. Only the end of a name is searched: names may share their ends, and have a MB
// each.
static bool is_part_name(const char *name, size_t length)
{
    const char *end = length > PART_BYTES ? name + length - PART_BYTES : name;
    const char *part = strstr(end, ".__part."), *cold = strstr(end, ".cold");
    size_t digits = part && part[7] == '.' ? strspn(part + 8, "0123456789") : 0;
    return (part && (!part[7] || (digits && !part[8 + digits]))) ||
           (cold && (!cold[5] || strcmp(cold + 5, ".0") == 0));
}

// The last address that a function can have: the end of the range of addresses of the image.
static uint64_t last_of(const struct image_set *images, uint64_t start)
{
    size_t low;
    PARTITION_POINT(low, images->ranges.count, images->ranges.items[middle].first <= start);
    bool is_inside = low && images->ranges.items[low - 1].last >= start;
    return is_inside ? images->ranges.items[low - 1].last : UINT64_MAX;
}

// Adds a function of a member, unless its address belongs to another member, or is outside of the
// member's ranges.
static bool add_span(struct span_vec *spans, const struct image_set *images, size_t number,
                     struct function_span span)
{
    const struct image_member *member = &images->members.items[number];
    size_t owner;
    span.start = (span.start + member->offset) & member->address_mask;
    bool is_covered = image_set_member_at(images, span.start, &owner);
    if (is_covered ? owner != number : member->has_ranges)
        return true;
    span.last = u64_min(last_of(images, span.start), member->address_mask);
    if (!VEC_ROOM(spans, 1))
        return false;
    spans->items[spans->count++] = span;
    return true;
}

static bool add_symbols(struct span_vec *spans, const struct image_set *images, size_t number,
                        bool *has_any)
{
    size_t count;
    const struct symbol *symbols = symbols_all(images->members.items[number].symbols, &count);
    *has_any = false;
    for (size_t i = 0; i < count; i++) {
        const struct function_span span = {
            .start = symbols[i].address,
            .size = symbols[i].size,
            .is_part = is_part_name(symbols[i].name, symbols[i].name_length)};
        if (!symbols[i].is_function || !symbols[i].reach)
            continue;
        *has_any = true;
        if (!add_span(spans, images, number, span))
            return false;
    }
    return true;
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for the functions of the images");
}

// Adds the functions of a stripped image by its unwinding information.
static enum status add_framed(struct span_vec *spans, const struct image_set *images, size_t number,
                              const struct frame_functions_faults *faults, struct error *err)
{
    struct frame_functions found;
    enum status status =
        frame_functions_find(&found, images->members.items[number].image, faults, err);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++) {
        const struct frame_function *function = &found.items[i];
        const struct function_span span = {
            .start = function->start, .size = function->size, .is_part = function->is_part};
        if (!add_span(spans, images, number, span))
            status = no_memory(err);
    }
    free(found.items);
    return status;
}

enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 const struct frame_functions_faults *faults, struct error *err)
{
    struct span_vec spans = {0};
    enum status status = STATUS_OK;
    *map = (struct function_map){0};
    for (size_t i = 0; i < images->members.count && status == STATUS_OK; i++) {
        bool has_any;
        if (!add_symbols(&spans, images, i, &has_any))
            status = no_memory(err);
        else if (!has_any)
            status = add_framed(&spans, images, i, faults, err);
    }
    if (status == STATUS_OK && !function_map_build(map, spans.items, spans.count))
        status = no_memory(err);
    free(spans.items);
    return status;
}
