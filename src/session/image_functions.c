#include "session/image_functions.h"

#include <stdlib.h>

VEC(span_vec, struct function_span);

// Whether what is left of a name is empty or ".12".
static bool is_number_or_end(const char *text)
{
    if (!*text)
        return true;
    size_t digits = *text == '.' ? strspn(text + 1, "0123456789") : 0;
    return digits && !text[1 + digits];
}

// "main.cold" of GCC and of LLVM's splitter, "main.cold.0" of GCC before version 9, "main.__part.1"
// of LLVM. LLVM has functions of their own called "main.cold.1", too, which are called like others.
static bool is_part_name(const char *name)
{
    const char *part = strstr(name, ".__part."), *cold = strstr(name, ".cold");
    return (part && is_number_or_end(part + 7)) ||
           (cold && (!cold[5] || strcmp(cold + 5, ".0") == 0));
}

// The last address that a function can have: where the stretch of addresses ends that the image
// has.
static uint64_t last_of(const struct image_set *images, uint64_t start)
{
    size_t low = 0, high = images->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (images->ranges.items[middle].first <= start)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_inside = low && images->ranges.items[low - 1].last >= start;
    return is_inside ? images->ranges.items[low - 1].last : UINT64_MAX;
}

static bool add_functions(struct span_vec *spans, const struct image_set *images, size_t number)
{
    const struct image_member *member = &images->members.items[number];
    size_t count, owner;
    const struct symbol *symbols = symbols_all(member->symbols, &count);
    for (size_t i = 0; i < count; i++) {
        uint64_t start = (symbols[i].address + member->offset) & member->address_mask;
        bool is_covered = image_set_member_at(images, start, &owner);
        if (!symbols[i].is_function || (is_covered ? owner != number : member->has_ranges))
            continue;
        if (!VEC_ROOM(spans, 1))
            return false;
        spans->items[spans->count++] = (struct function_span){
            .start = start,
            .size = symbols[i].size,
            .last = u64_min(last_of(images, start), member->address_mask),
            .is_part = is_part_name(symbols[i].name),
        };
    }
    return true;
}

enum status image_functions_find(struct function_map *map, const struct image_set *images,
                                 struct error *err)
{
    struct span_vec spans = {0};
    bool is_done = true;
    *map = (struct function_map){0};
    for (size_t i = 0; i < images->members.count && is_done; i++)
        is_done = add_functions(&spans, images, i);
    is_done = is_done && function_map_build(map, spans.items, spans.count);
    free(spans.items);
    return is_done ? STATUS_OK
                   : error_set(err, STATUS_MEMORY, "no memory for the functions of the images");
}
