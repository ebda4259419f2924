#include "export/ttu/vector_bits.h"

// The place of z and p registers in the register space, in cells, and the number of cells of each.
enum {
    VECTORS_FIRST = 0x100 / 8,
    VECTOR_CELLS = 256 / 8,
    PREDICATES_FIRST = 0x2100 / 8,
    PREDICATE_CELLS = 16 / 8,
    PREDICATES_END = 0x2300 / 8,
};

// The number of cells of the register that contains a cell; 0: another kind of register.
static uint32_t cells_of(uint16_t cell)
{
    if (cell < VECTORS_FIRST || cell >= PREDICATES_END)
        return 0;
    return cell < PREDICATES_FIRST ? VECTOR_CELLS : PREDICATE_CELLS;
}

// The longest run of written bytes that is in a cell or ends in it; *run: the run up to the cell
// before, and on return the one up to its end.
static uint32_t longest_run(uint8_t mask, uint32_t *run)
{
    uint32_t most = 0;
    if (mask == UINT8_MAX)
        return *run += 8;
    for (unsigned i = 0; i < 8; i++) {
        *run = mask >> i & 1 ? *run + 1 : 0;
        most = *run > most ? *run : most;
    }
    return most;
}

uint32_t ttu_vector_bits(const struct segment *segment)
{
    const struct segment_register *items = segment->registers.items;
    uint32_t most = 128, run = 0;
    for (size_t i = 0; i < segment->registers.count; i++) {
        uint32_t cells = cells_of(items[i].cell);
        if (LIKELY(!cells))
            continue;
        // The value continues from the previous cell.
        bool goes_on = items[i].cell % cells && i && items[i - 1].event == items[i].event &&
                       items[i - 1].cell + 1 == items[i].cell;
        run = goes_on ? run : 0;
        uint32_t bytes = longest_run(items[i].mask, &run);
        uint32_t bits = cells == VECTOR_CELLS ? 8 * bytes : 64 * bytes;
        most = bits > most ? bits : most;
    }
    return (most + 127) / 128 * 128;
}
