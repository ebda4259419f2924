// The variables that a VCD file has of one core: registers, and what its instructions do.
#ifndef TRAWL_ANALYSIS_VCD_CORE_H
#define TRAWL_ANALYSIS_VCD_CORE_H

#include "report/out.h"
#include "report/vcd.h"
#include "trace/tarmac/records.h"
#include "trace/tarmac/register_layout.h"

// Of the register space only the cells that variables show are kept, in slots: x0 to xsp, two for
// each vector, and the three of psr and what follows it.
#define SLOT_VECTORS 32
#define SLOT_STATUS (SLOT_VECTORS + 2 * 32)
#define SLOT_COUNT (SLOT_STATUS + 3)
#define NO_SLOT UINT32_MAX

static ALWAYS_INLINE uint32_t slot_of_cell(uint32_t cell)
{
    const uint32_t vectors = REGISTER_OFFSET_VECTORS / 8,
                   predicates = REGISTER_OFFSET_PREDICATES / 8, status = REGISTER_OFFSET_PSR / 8;
    if (cell < vectors)
        return cell;
    if (cell < predicates) {
        uint32_t part = (cell - vectors) % 32;
        return part < 2 ? SLOT_VECTORS + 2 * ((cell - vectors) / 32) + part : NO_SLOT;
    }
    return cell >= status && cell < status + 3 ? SLOT_STATUS + (cell - status) : NO_SLOT;
}

// What is known of a core's registers, by slot.
struct slot_values {
    uint64_t value[SLOT_COUNT];
    uint8_t known[SLOT_COUNT]; // bit i: byte i
};

enum vcd_variable {
    VCD_CYCLE,
    VCD_FUNCTION,
    VCD_INST,
    VCD_INST_ASM,
    VCD_INST_EXECUTED,
    VCD_PC,
    VCD_MEM_RW,
    VCD_MEM_ADDR,
    VCD_MEM_DATA,
    VCD_VARIABLE_COUNT,
};

#define VCD_REGISTERS_MAX 128

// The bytes that a register is, of which those of a vector may reach into the next slot.
struct vcd_location {
    uint8_t slot, first_byte;
};

struct vcd_register {
    struct vcd_ending ending;
    struct vcd_location places[2]; // in AArch32 and in AArch64 state
    uint8_t size_bytes;
    char name[8];
};

// Registers by their numbers in vcd_core.
struct vcd_register_set {
    uint64_t bits[VCD_REGISTERS_MAX / 64];
};

struct vcd_core {
    bool has_aarch64;                                 // it executed some AArch64 instruction
    bool is_right;                                    // as READING_RIGHT has it
    struct vcd_register registers[VCD_REGISTERS_MAX]; // in the order in which changes are written
    uint32_t register_count;
    uint32_t declared[VCD_REGISTERS_MAX]; // their numbers, in the order of declaration
    struct vcd_ending variables[VCD_VARIABLE_COUNT];
    unsigned cycle_bytes, address_bytes, data_bytes;
    // Registers with bytes in the low and high half of a slot, by state.
    struct vcd_register_set in_half[2][SLOT_COUNT][2];
};

// Lays out the variables, whose identifiers begin with that of `first_variable`. READING_TTU: the
// registers that the reference has; READING_RIGHT: each byte in one register.
void vcd_core_init(struct vcd_core *core, enum reading reading, bool has_aarch64,
                   uint32_t first_variable);

// How many there are.
uint32_t vcd_core_variables(const struct vcd_core *core);

// Declares them in a scope of that name.
void vcd_core_declare(const struct vcd_core *core, const char *scope, struct out *out);

// Gives all of them a value that says that nothing is known.
void vcd_core_dump_unknown(const struct vcd_core *core, struct out *out);

#endif
