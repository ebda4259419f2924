// Runs the instructions of DWARF's call frame information (DWARF 5, 6.4.2; DW_CFA_*), to find where
// registers are at a PC. The bytes come from a file and are not trusted: nothing outside is read,
// nothing is allocated, and the time is proportional to their number.
#ifndef TRAWL_ELF_CFI_PROGRAM_H
#define TRAWL_ELF_CFI_PROGRAM_H

#include "elf/frame_row.h"

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

#endif
