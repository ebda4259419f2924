// Where the registers of a caller are, at the PCs of one range: a common form for DWARF's call
// frame information (elf/cfi.h) and Arm's exception tables (elf/exidx.h).
#ifndef TRAWL_ELF_FRAME_ROW_H
#define TRAWL_ELF_FRAME_ROW_H

#include "base/base.h"

// Registers by DWARF number: the core registers of all known machines, and their columns for return
// addresses. Registers with higher numbers do not matter for a stack.
enum { FRAME_REGISTERS = 33 };

enum frame_location_kind {
    FRAME_UNSAID,            // no rule: as in the ABI
    FRAME_SAME,              // still in its register
    FRAME_UNDEFINED,         // lost
    FRAME_MEMORY,            // memory at CFA + offset
    FRAME_VALUE,             // CFA + offset
    FRAME_REGISTER,          // in the register `base`; as a CFA: `base` + offset
    FRAME_MEMORY_EXPRESSION, // memory at the result of `length` bytes at `offset`
    FRAME_VALUE_EXPRESSION,  // that result itself
};

struct frame_location {
    uint16_t kind;   // enum frame_location_kind
    uint16_t base;   // below FRAME_REGISTERS
    uint32_t length; // of an expression
    int64_t offset;  // of an expression: in `expressions` of the row
};

struct frame_row {
    uint64_t start, end; // PCs from start to before end, as the image was linked
    struct frame_location cfa;
    struct frame_location registers[FRAME_REGISTERS];
    uint32_t ra;      // the column of the return address
    bool is_signal;   // the frame is what a signal or exception interrupted
    bool is_signed;   // the return address is signed
    bool is_sp_known; // the stack pointer has its own rule; otherwise it is the CFA
    const uint8_t *expressions;
    bool is_big_endian; // numbers in expressions
};

#endif
