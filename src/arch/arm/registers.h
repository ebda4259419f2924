// Register names of Tarmac traces, and the space of bytes in which registers overlap.
//
// The space and the table of names are those of the reference tools: x0 is at 0, r13 is the low
// half of x13, w30 that of x30, s0 is in d0 in q0 in z0.
#ifndef TRAWL_ARCH_ARM_REGISTERS_H
#define TRAWL_ARCH_ARM_REGISTERS_H

#include "base/base.h"
#include "flow/reading.h"

enum register_kind {
    REGISTER_UNKNOWN,   // no event; the value is not read
    REGISTER_ORDINARY,  // a fixed number of bytes
    REGISTER_OPEN_SIZE, // z and p: a shorter value is accepted
    REGISTER_PC,        // has no value, makes no event
    REGISTER_SP,        // r13 or xsp, depending on the length of the value
    REGISTER_CPSR,      // psr; the last eight digits are used
    REGISTER_FPCR,      // the low four bytes are used
    REGISTER_SYSTEM_OP, // DC, IC, TLBI, AT: a warning; nothing more is read
};

// The place of these depends on the instruction set state at the write. A link register, frame
// pointer or stack pointer whose value has 16 digits is that of AArch64.
enum line_layout {
    LAYOUT_FIXED,
    LAYOUT_D,
    LAYOUT_S,
    LAYOUT_H,
    LAYOUT_B,
    LAYOUT_LINK,  // r14 or x30
    LAYOUT_FRAME, // r11 or x29
    LAYOUT_STACK, // r13 or xsp
};

// The stack pointers of a core, by the modes that use them. Those of AArch64 are numbered by
// exception level.
enum sp_bank {
    SP_BANK_EL0,
    SP_BANK_EL1,
    SP_BANK_EL2,
    SP_BANK_EL3,
    SP_BANK_USR,
    SP_BANK_SVC,
    SP_BANK_IRQ,
    SP_BANK_FIQ,
    SP_BANK_ABT,
    SP_BANK_UND,
    SP_BANK_MON,
    SP_BANK_HYP,
    SP_BANK_NONE, // that of the current mode; of an unknown mode
    SP_BANK_COUNT,
    // Modes of the M profile, whose stack pointer depends on more (two_stacks.h): of an unknown
    // security state, Secure, Non-secure; threads, then handlers.
    MODE_M = SP_BANK_COUNT,
    MODE_M_HANDLER = MODE_M + 3,
    MODE_END = MODE_M + 6,
    // Its two stack pointers, by their names: of an unknown security state, Secure, Non-secure.
    SP_BANK_MAIN = MODE_END,
    SP_BANK_PROCESS = SP_BANK_MAIN + 3,
    // Modes that share one stack pointer: levels of privilege, 0 to 3.
    MODE_SHARED = SP_BANK_PROCESS + 3,
    SP_BANK_END = MODE_SHARED + 4,
};

#define REGISTER_OFFSET_X(n) (UINT64_C(8) * (n))
#define REGISTER_OFFSET_XSP UINT64_C(0xf8)
#define REGISTER_OFFSET_VECTORS UINT64_C(0x100)
#define REGISTER_BYTES_V 0x10
#define REGISTER_BYTES_Z 0x100
// An eighth of a vector each. The reference places them half as far apart, so that those of vectors
// of more than 1024 bits overlap.
#define REGISTER_OFFSET_PREDICATES UINT64_C(0x2100)
#define REGISTER_BYTES_PREDICATE 0x20
#define REGISTER_BYTES_PREDICATE_TTU 0x10
#define REGISTER_OFFSET_PSR UINT64_C(0x2300)
#define REGISTER_OFFSET_FPSCR UINT64_C(0x2304)
#define REGISTER_OFFSET_FPCR UINT64_C(0x2308)
#define REGISTER_OFFSET_FPSR UINT64_C(0x230c)
#define REGISTER_OFFSET_VPR UINT64_C(0x2310)
#define REGISTER_SPACE_BYTES UINT64_C(0x2318) // no register line writes the pc

// Whether it is a mode of the M profile; the security state of such a mode, and of one of its stack
// pointers.
static inline bool mode_is_m(unsigned mode)
{
    return mode >= MODE_M && mode < MODE_END;
}

enum { WORLD_OF_M_UNKNOWN, WORLD_OF_M_SECURE, WORLD_OF_M_NON_SECURE };

static inline unsigned world_of_m(unsigned mode_or_bank)
{
    return (mode_or_bank - MODE_M) % 3;
}

// The bank of the mode at the start of `name`, or a mode of the M profile: EL1h, svc, usr_s,
// thread_ns. SP_BANK_NONE: none.
enum sp_bank sp_bank_of_mode(const char *name, size_t length);

// Whether a register of the register space that is named with a bank (SP_EL1, r14_svc) is the one
// that the core uses in a mode. `cell`: which eight bytes of the space. True if either is unknown.
bool bank_is_in_use(unsigned cell, enum sp_bank named, enum sp_bank mode);

// Where the mode changes, sp and lr show another bank. That is stored like a write of their lowest
// byte and one of the rest, which no line makes in one event, so it can be told from the writes of
// instructions (arch_is_bank_change).
#define BANK_LOW_MASK 0x01

#define BANKED_CELLS                                                                               \
    (UINT64_C(1) << 13 | UINT64_C(1) << 14 | UINT64_C(1) << (REGISTER_OFFSET_XSP / 8))

// The registers of AArch32 that have banks, of a mode: those of AArch64 use r13 and r14 of the
// user mode as x13 and x14.
static inline enum sp_bank bank_of_aarch32(enum sp_bank mode)
{
    return mode <= SP_BANK_EL3 ? SP_BANK_USR : mode;
}

// The bank of r14: that of the user mode in Hyp mode.
static inline enum sp_bank bank_of_link(enum sp_bank mode)
{
    return mode == SP_BANK_HYP ? SP_BANK_USR : bank_of_aarch32(mode);
}

// Small, because every register line has one.
struct register_name {
    uint64_t offset;      // in the register space; for LAYOUT_FIXED
    uint32_t size_bytes;  // 0 for the pc and for unknown registers
    uint8_t kind;         // enum register_kind
    uint8_t layout;       // enum line_layout
    uint8_t index;        // for LAYOUT_D to LAYOUT_B
    uint8_t bank;         // enum sp_bank, if a stack pointer is named with one
    bool readings_differ; // the other reading interprets the name differently
    bool is_w;            // w0 to w30 and wsp; in AArch64, writing them clears the rest of x
};

// The register that `name` (not NUL-terminated) denotes. READING_TTU accepts every name that begins
// like a register (S3_0_C15_C2_1 is s3, R_foo is r0). READING_TRUE requires that the whole name is
// a register, but r can be followed by an underscore and a bank (r14_svc).
struct register_name register_find(const char *name, size_t length, enum reading reading);

// The offset of the register in the register space, in AArch64 or AArch32 state.
uint64_t register_offset(const struct register_name *name, bool aarch64);

// Some bytes of an aligned cell of eight bytes of the register space, or all bytes of two cells.
struct register_part {
    uint16_t cell;
    uint8_t mask;  // bit i: byte i
    uint8_t shift; // in bytes, to the lowest of them
    uint8_t lower; // of two cells: where the lower half's digits begin; otherwise 0
};

#endif
