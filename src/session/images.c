#include "session/images.h"

#include "elf/image_extents.h"
#include "elf/image_programs.h"

#include <stdlib.h>

ORDER_BY_2(compare_instructions, struct trace_instruction, address, encoding)

// Whether the address belongs to this image if several cover it, and not each has it.
static bool is_of(const struct image_set *images, size_t number, uint64_t address)
{
    if (images->members.items[number].shares_code)
        return true;
    for (size_t i = 0; i < images->ranges.count; i++) {
        const struct image_range *range = &images->ranges.items[i];
        if (address >= range->first && address <= range->last)
            return range->member == number;
    }
    return !images->members.items[number].has_ranges;
}

// Compares all instructions at one address.
static void compare_at(struct image_fit *fit, const struct image_extents *code,
                       const struct image_member *member,
                       const struct trace_instruction *instructions, size_t count)
{
    uint64_t at = (instructions->address - member->offset) & member->address_mask;
    uint8_t bytes[4] = {0};
    const struct trace_instruction *other = NULL;
    bool is_found = false, is_read = false;
    unsigned asked_bytes = 0; // of the image: mostly all are of one size
    for (size_t i = 0; i < count && !(is_found && other); i++) {
        unsigned size = instructions[i].size_bytes;
        if (member->lane && strcmp(member->lane, instructions[i].lane) != 0)
            continue;
        if (size != asked_bytes)
            is_read = (size == 2 || size == 4) && image_extents_read(code, at, bytes, size);
        asked_bytes = size;
        if (!is_read)
            continue;
        if (image_has_instruction(bytes, size, instructions[i].encoding))
            is_found = true;
        else if (!other)
            other = &instructions[i];
    }
    fit->compared += is_found || other;
    if (!other)
        return;
    if (is_found ? !fit->different && !fit->changed : !fit->different) {
        image_extents_read(code, at, bytes, other->size_bytes);
        fit->address = other->address;
        fit->in_trace = other->encoding;
        fit->size_bytes = other->size_bytes;
        fit->in_image = (uint32_t)load_uint(bytes, other->size_bytes, false);
    }
    fit->different += !is_found;
    fit->changed += is_found;
}

enum status image_fit_compare(struct image_fit *fit, const struct image_set *images, size_t number,
                              struct trace_instruction *instructions, size_t count,
                              struct error *err)
{
    const struct image_member *member = &images->members.items[number];
    struct image_extents code;
    *fit = (struct image_fit){0};
    enum status status = image_extents_find(&code, member->image, EXTENTS_CODE, err);
    if (status == STATUS_OK && count)
        qsort(instructions, count, sizeof *instructions, compare_instructions);
    for (size_t i = 0, end; status == STATUS_OK && i < count; i = end) {
        for (end = i + 1; end < count && instructions[end].address == instructions[i].address;)
            end++;
        if (is_of(images, number, instructions[i].address))
            compare_at(fit, &code, member, &instructions[i], end - i);
    }
    image_extents_free(&code);
    return status;
}

static int compare_places(const void *a_item, const void *b_item)
{
    const struct trace_instruction *a = a_item, *b = b_item;
    return (a->place > b->place) - (a->place < b->place);
}

enum status image_fit_places(bool *runs, bool with_others, const struct image_set *images,
                             size_t number, struct trace_instruction *instructions, size_t count,
                             struct error *err)
{
    enum { COMPARED_MIN = 4, RARE = 8 };
    const struct image_member *member = &images->members.items[number];
    struct image_extents code;
    size_t own = 0, foreign = 0;
    enum status status = image_extents_find(&code, member->image, EXTENTS_CODE, err);
    if (status == STATUS_OK && count)
        qsort(instructions, count, sizeof *instructions, compare_places);
    for (size_t i = 0, end; status == STATUS_OK && i < count; i = end) {
        size_t compared = 0, same = 0;
        for (end = i; end < count && instructions[end].place == instructions[i].place; end++) {
            const struct trace_instruction *instruction = &instructions[end];
            uint64_t at = (instruction->address - member->offset) & member->address_mask;
            unsigned size = instruction->size_bytes;
            uint8_t bytes[4];
            if ((size != 2 && size != 4) || !image_extents_read(&code, at, bytes, size))
                continue;
            compared++;
            same += image_has_instruction(bytes, size, instruction->encoding);
        }
        own += compared >= COMPARED_MIN && 8 * same >= 7 * compared;
        foreign += compared >= COMPARED_MIN && 4 * same <= compared;
    }
    *runs = own && (!with_others || (foreign && RARE * own >= own + foreign));
    image_extents_free(&code);
    return status;
}

bool image_fit_is_other_build(const struct image_fit *fit)
{
    enum { COMPARED_MIN = 32, BY_CHANCE = 16 };
    return fit->compared >= COMPARED_MIN && image_fit_is_other(fit) &&
           BY_CHANCE * (fit->compared - fit->different) >= fit->compared;
}

bool image_fit_is_other(const struct image_fit *fit)
{
    enum { COMPARED_MIN = 8 };
    return fit->compared >= COMPARED_MIN && 2 * fit->different > fit->compared;
}

bool image_fit_is_doubtful(const struct image_fit *fit)
{
    enum { COMPARED_MIN = 32 };
    return fit->compared >= COMPARED_MIN && 4 * fit->different >= fit->compared;
}

bool image_fit_is_other_core(const struct image_fit *fit)
{
    enum { COMPARED_MIN = 4 };
    return fit->compared >= COMPARED_MIN && 2 * fit->different > fit->compared;
}

bool image_fit_is_changing(const struct image_fit *fit)
{
    enum { COMPARED_MIN = 8 };
    return fit->compared >= COMPARED_MIN && 4 * fit->changed >= fit->compared;
}

// --- Functions of images -------------------------------------------------------------------------

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
    // A function cannot go on after the range of addresses of the image.
    size_t low;
    PARTITION_POINT(low, images->ranges.count, images->ranges.items[middle].first <= span.start);
    const bool is_inside = low && images->ranges.items[low - 1].last >= span.start;
    span.last =
        u64_min(is_inside ? images->ranges.items[low - 1].last : UINT64_MAX, member->address_mask);
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
        // Assembly often gives its routines a size, but no type (Linux: SYM_CODE_START).
        const bool is_routine = symbols[i].size && !symbols[i].is_data;
        if (!(symbols[i].is_function || is_routine) || !symbols[i].reach)
            continue;
        *has_any |= symbols[i].is_function;
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
