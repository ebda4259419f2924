// What a RISC-V instruction does, from its encoding: how long it is, how it transfers control, and
// what it accesses.
//
// Calls and returns are told by the hints of the unprivileged specification (2.5.1): x1 and x5 are
// link registers. Two of its rows are read otherwise than a return-address predictor would:
//
//   jr t0          may end a function that was called with `jal t0` (__riscv_save_4, functions made
//                  by outlining), and is as often a jump of start code to an address from `la t0`.
//                  It is BRANCH_INDIRECT: whether it returns follows from where it goes.
//   jalr ra, t0    a swap of coroutines by the table; in practice a call by a pointer that somebody
//                  loaded into t0: BRANCH_CALL. jalr t0, ra returns to a caller: BRANCH_RETURN.
//
// The compressed encodings depend on the width: one code is c.jal with 32 bits and c.addiw with 64.
// Zcmp and Zcmt take those of c.fsdsp, which a core with D has in their place; nothing in an
// encoding tells. With 64 bits they are c.fsdsp, since cores with both exist only there; with 32
// bits they are Zcmp and Zcmt to whoever asks how control went on elsewhere than after them, which
// c.fsdsp cannot do.
#ifndef TRAWL_ARCH_RISCV_CONTROL_H
#define TRAWL_ARCH_RISCV_CONTROL_H

#include "arch/riscv/registers.h"
#include "flow/node.h"

// The size of an instruction, from its first 16 bits: a log may write more digits.
uint32_t riscv_size_bytes(uint32_t code);

// The instruction with 32 bits that a compressed one stands for. 0: none that is known.
uint32_t riscv_expand(uint32_t code, enum riscv_isa isa);

// Decodes an instruction that was executed; of one with 16 bits, more bits do not matter.
struct branch riscv_branch(uint64_t pc, uint32_t code, enum riscv_isa isa);

// Whether an instruction is one with which functions begin, and which is rare elsewhere: it
// reserves stack by a constant.
bool riscv_opens_frame(uint32_t code, enum riscv_isa isa);

enum riscv_access_kind {
    RISCV_NO_ACCESS,
    RISCV_LOAD, // also lr
    RISCV_STORE,
    RISCV_STORE_CONDITIONAL, // it may not happen
    RISCV_ATOMIC,            // a load, and a store to the same address
};

enum riscv_file { RISCV_X, RISCV_F, RISCV_V };

struct riscv_access {
    uint8_t kind;       // enum riscv_access_kind
    uint8_t size_bytes; // of one access; 0: the encoding does not say (indexed vectors, cbo.zero)
    bool is_signed;     // a load extends the sign, not zeros
    bool is_multiple;   // it may make several accesses, for several registers or elements
    // The register that is loaded or stored: the value of a load is in its lowest bytes afterwards.
    uint8_t file; // enum riscv_file
    uint8_t number;
};

// What an instruction accesses. For one with the code of c.fsdsp and of Zcmp, `is_multiple` says
// that it may be cm.push, or, if it loads, must be cm.pop.
struct riscv_access riscv_access(uint32_t code, enum riscv_isa isa);

#endif
