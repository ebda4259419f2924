// Runs the instructions of DWARF's call frame information (DWARF 5, 6.4.2; DW_CFA_*), to find where
// registers are at a PC. The bytes come from a file and are not trusted: nothing outside is read,
// nothing is allocated, and the time is proportional to their number.
#ifndef TRAWL_ELF_CFI_PROGRAM_H
#define TRAWL_ELF_CFI_PROGRAM_H

#include "base/base.h"

// --- Rows ----------------------------------------------------------------------------------------

// Where the registers of a caller are, at the PCs of one range: a common form for DWARF's call
// frame information (elf/cfi.h) and Arm's exception tables (elf/exidx.h).

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

// --- cfi_program.c -------------------------------------------------------------------------------

// Bytes that are read sequentially, never past the end.
struct cfi_bytes {
    const uint8_t *at, *end;
    bool is_big_endian;
    bool is_damaged; // a read went past the end, and returned 0
};

uint64_t cfi_read_uint(struct cfi_bytes *bytes, size_t size_bytes);
uint64_t cfi_read_uleb(struct cfi_bytes *bytes);
int64_t cfi_read_sleb(struct cfi_bytes *bytes);

// Reads an address in one of the encodings of .eh_frame (DW_EH_PE_*): absolute, or relative to the
// address of its first byte, `place`. False: another encoding.
bool cfi_read_pointer(struct cfi_bytes *bytes, uint8_t encoding, unsigned address_bytes,
                      uint64_t place, uint64_t *address);

// The common entry of functions.
struct cfi_common {
    uint64_t offset; // of the entry in its section
    const uint8_t *instructions, *instructions_end;
    uint64_t code_factor;
    int64_t data_factor;
    uint32_t ra;
    uint8_t pointer_encoding;
    bool has_data;  // entries of functions have a data block before their instructions
    bool is_signal; // its functions are signal frames
};

struct cfi_program {
    const struct cfi_common *common;
    struct cfi_bytes instructions;
    const uint8_t *expressions; // the base of offsets of expressions
    uint64_t start, end;        // of the function
    uint64_t place;             // address of the first instruction, for pointers in it
    unsigned address_bytes;
    bool is_aarch64;
};

// The row at `pc`, which must be in the function. False: its instructions are damaged or not known.
bool cfi_program_run(const struct cfi_program *program, uint64_t pc, struct frame_row *row);

// Calls `take` for all rows of the function, in order. False: the instructions behind the last of
// them are damaged or not known.
bool cfi_program_rows(const struct cfi_program *program,
                      void (*take)(void *self, const struct frame_row *row), void *self);

#endif
