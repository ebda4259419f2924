// What an instruction does with data, from its encoding: every place that it writes, with the
// places from which the value comes and what each is for. A64, A32 and T32.
//
// The rules are those of the Arm Architecture Reference Manual: of DDI 0487, the encodings in C4
// and F3 and the pseudocode in C6, C7, C8, F5 and F6; of DDI 0553 the M profile. They are written
// down here rather than taken from a disassembler: those name operands (Capstone 4 says that MOVZ
// reads its destination), and do not say which bytes of which operand an output depends on, which
// of them are only moved, and which are the address. In the tests they are second opinions.
//
// An instruction that is not known has no flows and says so. What is said of a known one errs on
// one side: an input may be named that does not matter for these values (a multiplication by 0, a
// lane that a vector operation keeps apart), but none is missing.
//
// Not known: what is unpredictable (two writes of a register); LDM and STM of the user mode, SRS;
// gathers, first faults and tables of SVE, SME, MVE, and extensions that no trace has shown. MVE
// shares encodings with Advanced SIMD; its VPT blocks, which leave elements as they were, are not
// seen in them. The instruction set to which a branch goes is part of EFFECT_PC. Bytes of memory
// are those of little-endian data: with big-endian data, a COPY between a register and memory runs
// the other way through each element.
#ifndef TRAWL_ARCH_ARM_EFFECTS_H
#define TRAWL_ARCH_ARM_EFFECTS_H

#include "arch/arm/isa.h"
#include "flow/effects.h"

// Flags that are written and read apart from each other. Those of PSTATE are bits of psr. Those
// with FP are bits of FPSCR in AArch32; AArch64 has the status in FPSR and the control in FPCR.
enum effect_flag {
    EFFECT_V = 1,
    EFFECT_C = 2,
    EFFECT_Z = 4,
    EFFECT_N = 8,
    EFFECT_NZCV = 15,
    EFFECT_Q = 16,
    EFFECT_GE = 32,
    EFFECT_FP_NZCV = 64,     // what VCMP sets
    EFFECT_FP_STATUS = 128,  // cumulative exceptions and saturation: IOC to IDC, QC
    EFFECT_FP_CONTROL = 256, // rounding, flushing of denormals, default NaN; vectors' length
};

// Numbers of system registers. A64: op0, op1, CRn, CRm and op2 in 16 bits, as in the encoding:
// these are 0x4000 or more. AArch32 adds opc1, CRn, CRm and opc2 (at bits 11, 7, 3 and 0) to the
// number of the coprocessor, or opc1 and CRm (at 4 and 0) if the register has 64 bits.
enum effect_system {
    EFFECT_SYSTEM_MONITOR = 1,  // the exclusive monitor
    EFFECT_SYSTEM_SPSR = 2,     // of the current mode or exception level
    EFFECT_SYSTEM_ELR = 3,      // likewise
    EFFECT_SYSTEM_IT = 4,       // the state of an IT block
    EFFECT_SYSTEM_MODE = 5,     // mode, masks and endianness in CPSR: CPS, SETEND
    EFFECT_SYSTEM_TAGS = 6,     // allocation tags of memory
    EFFECT_SYSTEM_M = 0x100,    // of the M profile: plus SYSm
    EFFECT_SYSTEM_VFP = 0x200,  // plus the number in VMRS and VMSR
    EFFECT_SYSTEM_BANK = 0x300, // plus R and SYSm of MRS and MSR of a banked register
    EFFECT_SYSTEM_CP14 = 0x4000,
    EFFECT_SYSTEM_CP15 = 0x8000,
    EFFECT_SYSTEM_CP15_64 = 0xc000,
    EFFECT_SYSTEM_CP14_64 = 0xd000,
};

enum {
    CONDITION_ALWAYS = 14,
    OUTSIDE_IT = 15, // in place of the condition of an IT block
};

// Decodes an instruction: under 60 ns, without allocation. `it_condition`: of T32, the condition
// that the IT block around it gives it (0 to 14), or OUTSIDE_IT: what sets flags outside does not
// inside.
void effects_decode(uint32_t encoding, uint32_t size_bytes, enum isa_state isa,
                    unsigned it_condition, struct effects *effects);

// The conditions that an IT instruction gives to those after it. Returns how many: 0 if it is none.
unsigned effects_it_block(uint32_t encoding, uint32_t size_bytes, enum isa_state isa,
                          uint8_t conditions[4]);

// The flags that a condition reads; whether it holds.
unsigned effects_condition_flags(unsigned condition);
bool effects_condition_holds(unsigned condition, uint32_t psr);

#endif
