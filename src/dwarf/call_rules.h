// The rules of an ABI for calls: where arguments and results are, with registers by their numbers
// in DWARF. Each architecture has its own (arch/arch.h); debug_call.c follows them.
#ifndef TRAWL_DWARF_CALL_RULES_H
#define TRAWL_DWARF_CALL_RULES_H

#include "base/base.h"

struct call_rules {
    uint16_t machine;     // e_machine of the images that follow them
    uint8_t word_bytes;   // of a register for integers, and of what is on the stack
    uint8_t integers;     // how many registers take integers, from `first_integer` on
    uint8_t vectors;      // how many take floating point, from `first_vector` on
    uint8_t vector_bytes; // of one, where wider numbers take several; 0: any number fits into one
    uint8_t by_reference; // structures of more bytes are passed by their address; 0: none are
    uint8_t result_bytes; // structures of more bytes are returned in memory
    uint16_t first_integer, first_vector, sp;
    uint16_t result_pointer;    // has the address of a result in memory
    bool takes_pointer;         // which is the first argument
    bool fills_gaps;            // a register for floating point that alignment left is taken later
    bool splits;                // a structure may begin in registers and go on on the stack
    bool has_integer_variadics; // functions with "..." take floating point as integers
    // Flags of the image by which floating point is passed in its registers, or as integers: with
    // neither, it is unknown. Both 0: in its registers.
    uint32_t hard_float, soft_float;
};

#endif
