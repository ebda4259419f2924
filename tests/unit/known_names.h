// Some symbols and the registers of an AArch64 core, for tests of text that users type.
#ifndef TRAWL_TESTS_UNIT_KNOWN_NAMES_H
#define TRAWL_TESTS_UNIT_KNOWN_NAMES_H

#include "query/expression.h"

// Symbols: main at 0x8000 with 64 bytes, counter.0 at 0x9000 with 4, init@0xa000 at 0xa000, foo#1
// at 0xb000, and x1, which is also the name of a register, at 0xc000 with 16.
extern const struct expression_names known_names;

// x1 is 0x1111, sp 0x20000, pc 0x8004, w2 0xffffffff; nothing else is known.
extern const struct expression_registers known_registers;

#endif
