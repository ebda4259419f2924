// Register names of Tarmac traces, and the byte space in which they overlap.
//
// The space and the table of names are those of the reference tools: x0 stands at 0,
// r13 is the low half of x13, w30 that of x30, s0 lies in d0 in q0 in z0.
#ifndef TRAWL_TRACE_TARMAC_REGISTERS_H
#define TRAWL_TRACE_TARMAC_REGISTERS_H

#include "base/base.h"
#include "flow/reading.h"

enum register_kind {
    REGISTER_UNKNOWN,   // no event, value not looked at
    REGISTER_ORDINARY,  // a fixed number of bytes
    REGISTER_OPEN_SIZE, // z and p: a shorter value is accepted as it is
    REGISTER_PC,        // takes no value, makes no event
    REGISTER_SP,        // r13 or xsp, by the length of the value
    REGISTER_CPSR,      // psr, from the last eight digits
    REGISTER_FPCR,      // its low four bytes
    REGISTER_SYSTEM_OP, // DC, IC, TLBI, AT: a warning, nothing more read
};

// How d and s registers are laid out depends on the instruction-set state when they are written.
enum register_layout {
    LAYOUT_FIXED,
    LAYOUT_D,
    LAYOUT_S,
};

struct register_name {
    enum register_kind kind;
    enum register_layout layout;
    uint32_t index;       // of LAYOUT_D and LAYOUT_S
    uint32_t size_bytes;  // 0 for the pc and for unknown registers
    uint64_t offset;      // in the register space; of LAYOUT_FIXED
    bool readings_differ; // the other reading takes the name for something else
    bool is_w;            // w0 to w30 and wsp, whose writes clear the rest of x in AArch64
};

#define REGISTER_OFFSET_X(n) (UINT64_C(8) * (n))
#define REGISTER_OFFSET_XSP UINT64_C(0xf8)
#define REGISTER_OFFSET_VECTORS UINT64_C(0x100)
#define REGISTER_OFFSET_PREDICATES UINT64_C(0x2100)
#define REGISTER_OFFSET_PSR UINT64_C(0x2300)
#define REGISTER_OFFSET_FPSCR UINT64_C(0x2304)
#define REGISTER_OFFSET_FPCR UINT64_C(0x2308)
#define REGISTER_OFFSET_FPSR UINT64_C(0x230c)
#define REGISTER_OFFSET_VPR UINT64_C(0x2310)

// No register line writes the pc, so it has no bytes in the space. Its place lies behind the space,
// for readers that are asked for a register by its place.
#define REGISTER_OFFSET_PC UINT64_C(0x2318)

// The register that `name` (not NUL-terminated) stands for. READING_TTU takes every name that
// begins like a register for it (S3_0_C15_C2_1 is s3, R_foo is r0); READING_RIGHT wants the whole
// name to be one, with a bank after an underscore allowed for r (r14_svc).
struct register_name register_find(const char *name, size_t length, enum reading reading);

// Where in the register space the register lies in AArch64 or AArch32 state.
uint64_t register_offset(const struct register_name *name, bool aarch64);

// The bytes of the register space that a register is.
struct register_place {
    uint32_t offset;
    uint32_t size_bytes;
};

// Some bytes of an aligned cell of eight bytes of the register space, or all of two.
struct register_part {
    uint16_t cell;
    uint8_t mask;  // bit i: byte i
    uint8_t shift; // to the lowest of them
    uint8_t lower; // of two cells: where the digits of the lower half begin in the value; else 0
};

// What a user means by a name: register_find, and besides sp (xsp, or r13 outside AArch64), lr (x30
// or r14) and pc (REGISTER_OFFSET_PC, 8 bytes). False when there is no such register.
bool register_place_named(const char *name, size_t length, enum reading reading, bool aarch64,
                          struct register_place *place);

// How the registers are shown, in this order.
enum register_group {
    REGISTER_GROUP_GENERAL,
    REGISTER_GROUP_STACK, // sp and psr
    REGISTER_GROUP_VECTOR,
    REGISTER_GROUP_STATUS,
};

// Registers that share bytes are views of them. All others together are one whole view.
enum register_view {
    REGISTER_VIEW_DEFAULT,
    REGISTER_VIEW_SCALABLE, // z, whose low 16 bytes are v, and p: for cores with SVE
    REGISTER_VIEW_SINGLE,   // s of AArch32, the low half of the d registers
    REGISTER_VIEW_QUAD,     // q of AArch32, pairs of d registers
};

struct register_entry {
    char name[8]; // register_place_named gives `place` for it, in either reading
    enum register_group group;
    enum register_view view;
    struct register_place place;
};

#define REGISTER_LIST_MAX 128

// Every register to show in AArch64 or AArch32 state, group by group. Returns how many.
size_t register_list(bool aarch64, struct register_entry list[REGISTER_LIST_MAX]);

#endif
