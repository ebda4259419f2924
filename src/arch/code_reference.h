// What of an instruction says where code or data are: the part of an encoding that differs between
// two builds of a program although the instruction is the same.
//
// An architecture reads the instructions of a function in order, since addresses are made by
// several (ADRP and ADD, MOVW and MOVT): what those before have made is kept between calls. It errs
// on the side of saying nothing: what it does not know is part of `rest`, and then counts.
#ifndef TRAWL_ARCH_CODE_REFERENCE_H
#define TRAWL_ARCH_CODE_REFERENCE_H

#include "base/base.h"

enum reference_kind {
    REFERENCE_NONE,
    REFERENCE_PLACE,    // `target` is an address of code or data
    REFERENCE_LITERAL,  // a constant of `bytes` bytes, at most 16, is loaded from `target`
    REFERENCE_LOAD,     // the same of a place, whose name says more if it has one
    REFERENCE_CONSTANT, // `target` is a number that may be an address
};

struct code_reference {
    uint8_t size_bytes; // of the instruction; 0: it is cut off
    uint8_t kind;       // enum reference_kind
    uint8_t bytes;
    uint32_t rest; // the encoding without the reference
    uint64_t target;
};

// Parts of addresses that registers have. All zero at the start of a function.
struct code_references {
    uint64_t values[32];
    uint32_t known;  // a bit for each
    uint32_t places; // of these, those that count from the pc: they are no numbers
};

// Reads the instruction at `pc` (with the bit that tells the set), of which and after which `count`
// bytes are there.
typedef void code_refer(struct code_references *before, uint32_t isa, uint64_t pc,
                        const uint8_t *bytes, size_t count, struct code_reference *reference);

#endif
