#include "analysis/vcd_named.h"

#include <stdlib.h>

struct vcd_named_cell {
    uint64_t value;
    uint8_t known, unknown; // bit i: byte i; neither: never written
};

bool vcd_named_values_make(struct vcd_named_values *values, const struct register_names *named,
                           size_t lane_count)
{
    *values = (struct vcd_named_values){.lane_count = lane_count};
    values->lane_cells = named ? named->items.count * NAMED_REGISTER_CELLS : 0;
    values->cells = calloc(values->lane_cells * lane_count + 1, sizeof *values->cells);
    return values->cells != NULL;
}

void vcd_named_values_free(struct vcd_named_values *values)
{
    free(values->cells);
    *values = (struct vcd_named_values){0};
}

void vcd_named_values_copy(struct vcd_named_values *to, const struct vcd_named_values *from)
{
    ASSERT(to->lane_cells == from->lane_cells && to->lane_count == from->lane_count);
    memcpy(to->cells, from->cells, from->lane_cells * from->lane_count * sizeof *from->cells);
}

bool vcd_named_write(struct vcd_named_values *values, const struct segment_register *reg)
{
    size_t number = register_cell(reg->cell), at = number - REGISTER_CELLS;
    if (number < REGISTER_CELLS || at >= values->lane_cells)
        return false;
    struct vcd_named_cell *cell = &values->cells[reg->lane * values->lane_cells + at];
    cell->value = (cell->value & ~bytes_of_mask(reg->mask)) | reg->value;
    cell->known = reg->cell & REGISTER_VALUE_UNKNOWN ? cell->known & (uint8_t)~reg->mask
                                                     : cell->known | reg->mask;
    cell->unknown = reg->cell & REGISTER_VALUE_UNKNOWN ? cell->unknown | reg->mask
                                                       : cell->unknown & (uint8_t)~reg->mask;
    return true;
}

// The bytes of a word that belong to a register of `size_bytes`.
static uint8_t bytes_in_word(uint32_t size_bytes, uint32_t word)
{
    uint32_t bytes = size_bytes - 8 * word;
    return (uint8_t)(bytes >= 8 ? 0xff : (1u << bytes) - 1);
}

void vcd_named_put(const struct vcd_named_values *values, const struct vcd_core *core, size_t lane,
                   uint32_t number, struct out *out)
{
    const struct vcd_named_cell *cells =
        &values->cells[lane * values->lane_cells + (size_t)number * NAMED_REGISTER_CELLS];
    uint32_t size_bytes = core->named->items.items[number].size_bytes;
    uint32_t words = (size_bytes + 7) / 8;
    bool is_known = true;
    for (uint32_t i = 0; i < words; i++) {
        uint8_t wanted = bytes_in_word(size_bytes, i);
        is_known &= (cells[i].known & wanted) == wanted;
        if (((cells[i].known | cells[i].unknown) & wanted) != wanted)
            return;
    }
    const struct vcd_ending ending = vcd_ending_of(core->first_named + number);
    char *start = out_room(out, 1 + 8 * LIMIT_NAMED_REGISTER_BYTES + sizeof ending.text),
         *at = start;
    if (!is_known) {
        *at++ = 'b';
        for (uint32_t i = size_bytes; i-- > 0;) {
            if (cells[i / 8].known >> i % 8 & 1)
                at = vcd_put_bits(at, cells[i / 8].value >> 8 * (i % 8) & 0xff, 1);
            else
                at = (char *)memset(at, 'x', 8) + 8;
        }
        out_commit(out, (size_t)(vcd_put_ending(at, &ending) - start));
        return;
    }
    uint32_t top = words ? words - 1 : 0;
    while (top > 0 && !cells[top].value)
        top--;
    *at++ = 'b';
    at = vcd_put_short_bits(at, cells[top].value);
    while (top > 0)
        at = vcd_put_bits(at, cells[--top].value, 8);
    out_commit(out, (size_t)(vcd_put_ending(at, &ending) - start));
}
