// The registers of a RISC-V hart: where each is in the register space, and what they are called.
//
// The space is that of the index (idx/trawl.h). Calls need the stack pointer and the link register
// in the cells that kinds made of lines track (trace/lines/marks.h): x2 and x1 are in 31 and 30
// with 64 bits, in 13 and 14 with 32. Writes to the other tracked cells would make a mark for
// nothing, so no register is there: x13 and x14, or x30 and x31, are behind the rest.
#ifndef TRAWL_ARCH_RISCV_REGISTERS_H
#define TRAWL_ARCH_RISCV_REGISTERS_H

#include "base/base.h"

// The instruction sets, with the numbers that every architecture has for 32 and for 64 bits
// (arch/arch.h).
enum riscv_isa { RISCV_32 = 0, RISCV_64 = 2 };

enum {
    RISCV_CELL_SP_64 = 31,
    RISCV_CELL_RA_64 = 30,
    RISCV_CELL_SP_32 = 13,
    RISCV_CELL_RA_32 = 14,
};

#define RISCV_OFFSET_V UINT64_C(0x100)
#define RISCV_BYTES_V 0x100 // from one to the next, and the most that one has
#define RISCV_OFFSET_F UINT64_C(0x2100)
#define RISCV_OFFSET_REST UINT64_C(0x2200) // two of the general registers

// Of x0 to x31.
static inline uint64_t riscv_offset_x(unsigned n, enum riscv_isa isa)
{
    const unsigned displaced = isa == RISCV_64 ? 13 : 30; // and the one after it
    if (n == 1)
        return 8 * (isa == RISCV_64 ? RISCV_CELL_RA_64 : RISCV_CELL_RA_32);
    if (n == 2)
        return 8 * (isa == RISCV_64 ? RISCV_CELL_SP_64 : RISCV_CELL_SP_32);
    if (n == displaced || n == displaced + 1)
        return RISCV_OFFSET_REST + 8 * (n - displaced);
    // Those whose cells are tracked take those of x1 and x2.
    if (n == RISCV_CELL_RA_64 || n == RISCV_CELL_RA_32)
        return 8 * 1;
    if (n == RISCV_CELL_SP_64 || n == RISCV_CELL_SP_32)
        return 8 * 2;
    return 8 * n;
}

static inline uint64_t riscv_offset_f(unsigned n)
{
    return RISCV_OFFSET_F + 8 * n;
}

static inline uint64_t riscv_offset_v(unsigned n)
{
    return RISCV_OFFSET_V + RISCV_BYTES_V * n;
}

// The number of an x or f register by the name that the ABI gives it: "ra", "s0", "fp"; "fa0".
// False: it is none. Case matters.
bool riscv_abi_x(const char *name, size_t length, unsigned *number);
bool riscv_abi_f(const char *name, size_t length, unsigned *number);

// The name of a control and status register by its number (the lowest 12 bits); "csr_7c0" where
// the specifications give none.
#define RISCV_CSR_NAME_BYTES 24
void riscv_csr_name(unsigned number, char name[RISCV_CSR_NAME_BYTES]);

// Its number by its name. False: there is none.
bool riscv_csr_number(const char *name, size_t length, unsigned *number);

#endif
