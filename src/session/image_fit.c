#include "session/images.h"

#include "elf/image_pieces.h"

#include <stdlib.h>

static int compare_instructions(const void *a_item, const void *b_item)
{
    const struct trace_instruction *a = a_item, *b = b_item;
    if (a->address != b->address)
        return a->address > b->address ? 1 : -1;
    return (a->encoding > b->encoding) - (a->encoding < b->encoding);
}

static uint32_t load(const uint8_t *bytes, unsigned size_bytes, bool is_big_endian)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[is_big_endian ? i : size_bytes - 1 - i];
    return value;
}

// Whether an image has an instruction, in any byte order: Arm code is little-endian except in BE32
// images, and producers of traces write 32-bit T32 instructions with either halfword first.
static bool is_same(const uint8_t *bytes, const struct trace_instruction *instruction)
{
    unsigned size = instruction->size_bytes;
    uint32_t little = load(bytes, size, false), big = load(bytes, size, true);
    uint32_t wanted = instruction->encoding;
    return wanted == little || wanted == big ||
           (size == 4 &&
            (wanted == (little << 16 | little >> 16) || wanted == (big << 16 | big >> 16)));
}

static void show(struct image_fit *fit, const struct trace_instruction *instruction,
                 const uint8_t *bytes)
{
    fit->address = instruction->address;
    fit->in_trace = instruction->encoding;
    fit->size_bytes = instruction->size_bytes;
    fit->in_image = load(bytes, instruction->size_bytes, false);
}

// Whether the address belongs to this image if several cover it.
static bool is_of(const struct image_set *images, size_t number, uint64_t address)
{
    for (size_t i = 0; i < images->ranges.count; i++) {
        const struct image_range *range = &images->ranges.items[i];
        if (address >= range->first && address <= range->last)
            return range->member == number;
    }
    return !images->members.items[number].has_ranges;
}

// Compares all instructions at one address.
static void compare_at(struct image_fit *fit, const struct image_pieces *code,
                       const struct image_member *member,
                       const struct trace_instruction *instructions, size_t count)
{
    uint64_t at = (instructions->address - member->offset) & member->address_mask;
    uint8_t bytes[4] = {0};
    const struct trace_instruction *other = NULL;
    bool is_found = false;
    for (size_t i = 0; i < count && !(is_found && other); i++) {
        unsigned size = instructions[i].size_bytes;
        if ((size != 2 && size != 4) || !image_pieces_read(code, at, bytes, size))
            continue;
        if (is_same(bytes, &instructions[i]))
            is_found = true;
        else if (!other)
            other = &instructions[i];
    }
    fit->compared += is_found || other;
    if (!other)
        return;
    if (is_found ? !fit->different && !fit->changed : !fit->different) {
        image_pieces_read(code, at, bytes, other->size_bytes);
        show(fit, other, bytes);
    }
    fit->different += !is_found;
    fit->changed += is_found;
}

enum status image_fit_compare(struct image_fit *fit, const struct image_set *images, size_t number,
                              struct trace_instruction *instructions, size_t count,
                              struct error *err)
{
    const struct image_member *member = &images->members.items[number];
    struct image_pieces code;
    *fit = (struct image_fit){0};
    enum status status = image_pieces_find(&code, member->image, PIECES_CODE, err);
    if (status == STATUS_OK && count)
        qsort(instructions, count, sizeof *instructions, compare_instructions);
    for (size_t i = 0, end; status == STATUS_OK && i < count; i = end) {
        for (end = i + 1; end < count && instructions[end].address == instructions[i].address;)
            end++;
        if (is_of(images, number, instructions[i].address))
            compare_at(fit, &code, member, &instructions[i], end - i);
    }
    image_pieces_free(&code);
    return status;
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
