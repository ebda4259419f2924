// PCs that say of which program they are, where several programs have the same addresses
// (elf/image_programs.h).
//
//     bit 63: 0    62 to 52: number of the program    51 to 0: the address, whose bit 51 is its
//     sign
//
// The lowest four bits of a number are not all zero, so a PC with a program is told from a
// canonical address, whose bits 63 to 52 are all equal, and from one with a tag in its top byte.
#ifndef TRAWL_BASE_PROGRAM_PC_H
#define TRAWL_BASE_PROGRAM_PC_H

#include "base/base.h"

#define PROGRAM_SHIFT 52
#define PROGRAM_ADDRESS ((UINT64_C(1) << PROGRAM_SHIFT) - 1)
#define PROGRAM_BITS (UINT64_C(0x7ff) << PROGRAM_SHIFT)

// The bits for program `number`, from 1.
static inline uint64_t program_bits(uint32_t number)
{
    return (uint64_t)(number + (number - 1) / 15) << PROGRAM_SHIFT;
}

static inline bool pc_has_program(uint64_t pc)
{
    return !(pc >> 63) && (pc >> PROGRAM_SHIFT & 15);
}

// The address of the machine.
static inline uint64_t pc_address(uint64_t pc)
{
    return pc_has_program(pc) ? (uint64_t)((int64_t)(pc << 12) >> 12) : pc;
}

static inline uint64_t pc_with_program(uint64_t address, uint64_t bits)
{
    return (address & PROGRAM_ADDRESS) | bits;
}

// An address that belongs to the code around `pc`, such as where it returns to.
static inline uint64_t pc_like(uint64_t address, uint64_t pc)
{
    return pc_has_program(pc) && address != UINT64_MAX ? pc_with_program(address, pc & PROGRAM_BITS)
                                                       : address;
}

// What is left of a PC as a key.
static inline uint64_t pc_key(uint64_t pc)
{
    return pc & PROGRAM_ADDRESS & ~UINT64_C(1);
}

// Whether two PCs are at different addresses; neither the Thumb bit nor the program counts: control
// goes on from one to the other whatever program we take them for.
static ALWAYS_INLINE bool pcs_differ(uint64_t a, uint64_t b)
{
    return pc_key(a ^ b) != 0;
}

#endif
