// What an instruction does, from its encoding: how it transfers control, and whether it loads. A64,
// A32 and T32.
#ifndef TRAWL_ARCH_ARM_CONTROL_H
#define TRAWL_ARCH_ARM_CONTROL_H

#include "arch/arm/isa.h"
#include "flow/node.h"

// Decodes an instruction that was executed. `pc` has the Thumb bit.
struct branch control_decode(uint64_t pc, uint32_t encoding, uint32_t size_bytes,
                             enum isa_state isa);

// Whether an instruction is one with which functions begin, and which is rare elsewhere: it
// reserves stack, stores or signs LR, or is a landing pad for calls.
bool control_opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa);

// Whether all accesses of an instruction to memory are loads: not those of a store, nor of an
// atomic operation, which does both. For an instruction without accesses, the result means nothing.
bool control_only_loads(uint32_t encoding, uint32_t size_bytes, enum isa_state isa);

// Whether it is a load or store of A64 that moves one or two registers and nothing else: LDR, LDP,
// STUR and the like, but no exclusive access and no structure.
bool control_moves_registers(uint32_t encoding, enum isa_state isa);

#endif
