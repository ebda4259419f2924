#include "arch/riscv/register_layout.h"

#include "arch/riscv/registers.h"
#include "flow/register_names.h"

#include <elf.h>
#include <stdlib.h>

enum {
    W32 = 1 << RISCV_32,
    W64 = 1 << RISCV_64,
    ALL = W32 | W64,
};

enum {
    GENERAL = TRAWL_REGISTER_GENERAL,
    VECTOR = TRAWL_REGISTER_VECTOR,
    PC = TRAWL_REGISTER_PC | TRAWL_REGISTER_CODE,
    SP = GENERAL | TRAWL_REGISTER_SP | TRAWL_REGISTER_DATA,
    LINK = GENERAL | TRAWL_REGISTER_LINK | TRAWL_REGISTER_CODE,
};

#define NONE TRAWL_NO_DWARF
#define DWARF_F 32
#define DWARF_V 96
#define F(n) ((uint32_t)RISCV_OFFSET_F + 8 * (n))
#define REST (uint32_t) RISCV_OFFSET_REST

// Where general registers are is riscv_offset_x, with which a test compares these.
//
// Name, count, offset, bytes, adjacent ones, stride, flags, widths in which the name has this
// meaning and in which it is shown, DWARF number.
static const struct register_run runs[] = {
    {"x0", 0, 0, 8, 1, 0, GENERAL, W64, W64, 0},
    {"x0", 0, 0, 4, 1, 0, GENERAL, W32, W32, 0},
    {"x1", 0, 240, 8, 1, 0, LINK, W64, W64, 1},
    {"x1", 0, 112, 4, 1, 0, LINK, W32, W32, 1},
    {"x2", 0, 248, 8, 1, 0, SP, W64, W64, 2},
    {"x2", 0, 104, 4, 1, 0, SP, W32, W32, 2},
    {"x3", 0, 24, 8, 1, 0, GENERAL, W64, W64, 3},
    {"x3", 0, 24, 4, 1, 0, GENERAL, W32, W32, 3},
    {"x4", 0, 32, 8, 1, 0, GENERAL, W64, W64, 4},
    {"x4", 0, 32, 4, 1, 0, GENERAL, W32, W32, 4},
    {"x5", 0, 40, 8, 1, 0, GENERAL, W64, W64, 5},
    {"x5", 0, 40, 4, 1, 0, GENERAL, W32, W32, 5},
    {"x6", 0, 48, 8, 1, 0, GENERAL, W64, W64, 6},
    {"x6", 0, 48, 4, 1, 0, GENERAL, W32, W32, 6},
    {"x7", 0, 56, 8, 1, 0, GENERAL, W64, W64, 7},
    {"x7", 0, 56, 4, 1, 0, GENERAL, W32, W32, 7},
    {"x8", 0, 64, 8, 1, 0, GENERAL, W64, W64, 8},
    {"x8", 0, 64, 4, 1, 0, GENERAL, W32, W32, 8},
    {"x9", 0, 72, 8, 1, 0, GENERAL, W64, W64, 9},
    {"x9", 0, 72, 4, 1, 0, GENERAL, W32, W32, 9},
    {"x10", 0, 80, 8, 1, 0, GENERAL, W64, W64, 10},
    {"x10", 0, 80, 4, 1, 0, GENERAL, W32, W32, 10},
    {"x11", 0, 88, 8, 1, 0, GENERAL, W64, W64, 11},
    {"x11", 0, 88, 4, 1, 0, GENERAL, W32, W32, 11},
    {"x12", 0, 96, 8, 1, 0, GENERAL, W64, W64, 12},
    {"x12", 0, 96, 4, 1, 0, GENERAL, W32, W32, 12},
    {"x13", 0, REST, 8, 1, 0, GENERAL, W64, W64, 13},
    {"x13", 0, 16, 4, 1, 0, GENERAL, W32, W32, 13},
    {"x14", 0, REST + 8, 8, 1, 0, GENERAL, W64, W64, 14},
    {"x14", 0, 8, 4, 1, 0, GENERAL, W32, W32, 14},
    {"x15", 0, 120, 8, 1, 0, GENERAL, W64, W64, 15},
    {"x15", 0, 120, 4, 1, 0, GENERAL, W32, W32, 15},
    {"x16", 0, 128, 8, 1, 0, GENERAL, W64, W64, 16},
    {"x16", 0, 128, 4, 1, 0, GENERAL, W32, W32, 16},
    {"x17", 0, 136, 8, 1, 0, GENERAL, W64, W64, 17},
    {"x17", 0, 136, 4, 1, 0, GENERAL, W32, W32, 17},
    {"x18", 0, 144, 8, 1, 0, GENERAL, W64, W64, 18},
    {"x18", 0, 144, 4, 1, 0, GENERAL, W32, W32, 18},
    {"x19", 0, 152, 8, 1, 0, GENERAL, W64, W64, 19},
    {"x19", 0, 152, 4, 1, 0, GENERAL, W32, W32, 19},
    {"x20", 0, 160, 8, 1, 0, GENERAL, W64, W64, 20},
    {"x20", 0, 160, 4, 1, 0, GENERAL, W32, W32, 20},
    {"x21", 0, 168, 8, 1, 0, GENERAL, W64, W64, 21},
    {"x21", 0, 168, 4, 1, 0, GENERAL, W32, W32, 21},
    {"x22", 0, 176, 8, 1, 0, GENERAL, W64, W64, 22},
    {"x22", 0, 176, 4, 1, 0, GENERAL, W32, W32, 22},
    {"x23", 0, 184, 8, 1, 0, GENERAL, W64, W64, 23},
    {"x23", 0, 184, 4, 1, 0, GENERAL, W32, W32, 23},
    {"x24", 0, 192, 8, 1, 0, GENERAL, W64, W64, 24},
    {"x24", 0, 192, 4, 1, 0, GENERAL, W32, W32, 24},
    {"x25", 0, 200, 8, 1, 0, GENERAL, W64, W64, 25},
    {"x25", 0, 200, 4, 1, 0, GENERAL, W32, W32, 25},
    {"x26", 0, 208, 8, 1, 0, GENERAL, W64, W64, 26},
    {"x26", 0, 208, 4, 1, 0, GENERAL, W32, W32, 26},
    {"x27", 0, 216, 8, 1, 0, GENERAL, W64, W64, 27},
    {"x27", 0, 216, 4, 1, 0, GENERAL, W32, W32, 27},
    {"x28", 0, 224, 8, 1, 0, GENERAL, W64, W64, 28},
    {"x28", 0, 224, 4, 1, 0, GENERAL, W32, W32, 28},
    {"x29", 0, 232, 8, 1, 0, GENERAL, W64, W64, 29},
    {"x29", 0, 232, 4, 1, 0, GENERAL, W32, W32, 29},
    {"x30", 0, 8, 8, 1, 0, GENERAL, W64, W64, 30},
    {"x30", 0, REST, 4, 1, 0, GENERAL, W32, W32, 30},
    {"x31", 0, 16, 8, 1, 0, GENERAL, W64, W64, 31},
    {"x31", 0, REST + 8, 4, 1, 0, GENERAL, W32, W32, 31},
    {"f", 32, F(0), 8, 1, 8, VECTOR, ALL, ALL, DWARF_F},
    {"v", 32, RISCV_OFFSET_V, RISCV_BYTES_V, 1, RISCV_BYTES_V, VECTOR, ALL, ALL, DWARF_V},
    // The PC of the next instruction.
    {"pc", 0, 0, 0, 1, 0, PC, ALL, 0, NONE},
    // Other names: those of the ABI.
    {"zero", 0, 0, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"zero", 0, 0, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"ra", 0, 240, 8, 1, 0, LINK, W64, 0, NONE},
    {"ra", 0, 112, 4, 1, 0, LINK, W32, 0, NONE},
    {"sp", 0, 248, 8, 1, 0, SP, W64, 0, NONE},
    {"sp", 0, 104, 4, 1, 0, SP, W32, 0, NONE},
    {"gp", 0, 24, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"gp", 0, 24, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"tp", 0, 32, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"tp", 0, 32, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t0", 0, 40, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t0", 0, 40, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t1", 0, 48, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t1", 0, 48, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t2", 0, 56, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t2", 0, 56, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s0", 0, 64, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s0", 0, 64, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s1", 0, 72, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s1", 0, 72, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a0", 0, 80, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a0", 0, 80, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a1", 0, 88, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a1", 0, 88, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a2", 0, 96, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a2", 0, 96, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a3", 0, REST, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a3", 0, 16, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a4", 0, REST + 8, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a4", 0, 8, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a5", 0, 120, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a5", 0, 120, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a6", 0, 128, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a6", 0, 128, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"a7", 0, 136, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"a7", 0, 136, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s2", 0, 144, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s2", 0, 144, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s3", 0, 152, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s3", 0, 152, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s4", 0, 160, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s4", 0, 160, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s5", 0, 168, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s5", 0, 168, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s6", 0, 176, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s6", 0, 176, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s7", 0, 184, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s7", 0, 184, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s8", 0, 192, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s8", 0, 192, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s9", 0, 200, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s9", 0, 200, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s10", 0, 208, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s10", 0, 208, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"s11", 0, 216, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"s11", 0, 216, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t3", 0, 224, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t3", 0, 224, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t4", 0, 232, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t4", 0, 232, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t5", 0, 8, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t5", 0, REST, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"t6", 0, 16, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"t6", 0, REST + 8, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"fp", 0, 64, 8, 1, 0, GENERAL, W64, 0, NONE},
    {"fp", 0, 64, 4, 1, 0, GENERAL, W32, 0, NONE},
    {"ft0", 0, F(0), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft1", 0, F(1), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft2", 0, F(2), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft3", 0, F(3), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft4", 0, F(4), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft5", 0, F(5), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft6", 0, F(6), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft7", 0, F(7), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs0", 0, F(8), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs1", 0, F(9), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa0", 0, F(10), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa1", 0, F(11), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa2", 0, F(12), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa3", 0, F(13), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa4", 0, F(14), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa5", 0, F(15), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa6", 0, F(16), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fa7", 0, F(17), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs2", 0, F(18), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs3", 0, F(19), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs4", 0, F(20), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs5", 0, F(21), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs6", 0, F(22), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs7", 0, F(23), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs8", 0, F(24), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs9", 0, F(25), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs10", 0, F(26), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"fs11", 0, F(27), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft8", 0, F(28), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft9", 0, F(29), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft10", 0, F(30), 8, 1, 0, VECTOR, ALL, 0, NONE},
    {"ft11", 0, F(31), 8, 1, 0, VECTOR, ALL, 0, NONE},
};

const struct register_table riscv_registers = {
    runs, ARRAY_COUNT(runs), {.any_case = true, .address_bytes = 8, .machine = EM_RISCV}};

_Static_assert(RISCV_OFFSET_REST + 16 <= TRAWL_REGISTER_BYTES, "the register space of an index");

bool riscv_layout_write(struct parts_writer *parts, const struct register_names *names,
                        enum riscv_isa isa)
{
    struct register_figures figures = riscv_registers.figures;
    size_t count, kept = 0;
    struct register_run *all = named_layout_make(runs, riscv_registers.count, names, ALL, &count);
    if (!all)
        return false;
    figures.address_bytes = isa == RISCV_64 ? 8 : 4;
    for (size_t i = 0; i < count; i++) {
        if (all[i].offset == RISCV_OFFSET_V)
            all[i].size_bytes = names->vector_bytes;
        if (all[i].isas >> isa & 1 && (all[i].size_bytes || all[i].flags & TRAWL_REGISTER_PC))
            all[kept++] = all[i];
    }
    const bool is_done = register_layout_write(parts, all, kept, &figures);
    free(all);
    return is_done;
}
