// The variables of one core in a VCD file: registers, and the effects of its instructions.
#ifndef TRAWL_EXPORT_VCD_CORE_H
#define TRAWL_EXPORT_VCD_CORE_H

#include "base/vec.h"
#include "flow/call_list.h"
#include "flow/reading.h"
#include "flow/register_names.h"
#include "flow/segment.h"
#include "idx/register_layout.h"
#include "idx/segment_rows.h"
#include "report/out.h"
#include "report/vcd.h"

#define VCD_REGISTERS_MAX 128
#define VCD_REGISTER_BYTES_MAX 256

// Only the cells of the register space that variables show are stored, in slots, in the order of
// the cells. They may differ in AArch64 state.
#define SLOT_COUNT REGISTER_CELLS
#define NO_SLOT UINT16_MAX

// The known values of a core's registers, by slot.
struct slot_values {
    uint64_t value[SLOT_COUNT];
    uint8_t known[SLOT_COUNT]; // bit i: byte i
    bool has_unknown;          // a write of an unknown value was among them
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

// The bytes of a register; those of a vector extend into the next slots.
struct vcd_location {
    uint16_t slot;
    uint8_t first_byte;
};

struct vcd_register {
    struct vcd_ending ending;
    uint32_t offsets[2];           // in the register space, in AArch32 and in AArch64 state
    struct vcd_location places[2]; // likewise
    uint16_t size_bytes;
    bool is_scalable; // as long as vectors of the trace are
    char name[8];
};

// Registers by their numbers in vcd_core.
struct vcd_register_set {
    uint64_t bits[VCD_REGISTERS_MAX / 64];
};

struct vcd_core {
    bool has_aarch64;                                 // it executed AArch64 instructions
    bool is_true_reading;                             // READING_TRUE
    struct vcd_register registers[VCD_REGISTERS_MAX]; // in the order in which changes are written
    uint32_t register_count;
    uint32_t declared[VCD_REGISTERS_MAX]; // their numbers, in the order of declaration
    struct vcd_ending variables[VCD_VARIABLE_COUNT];
    unsigned cycle_bytes, address_bytes, data_bytes;
    uint16_t slots[REGISTER_CELLS]; // of each fixed cell, or NO_SLOT
    // Those that the trace names, after all others; NULL: not shown.
    const struct register_names *named;
    uint32_t first_named; // the number of the first one's variable
    // Registers with bytes in the low and high half of a slot, by state.
    struct vcd_register_set in_half[2][SLOT_COUNT][2];
};

static ALWAYS_INLINE uint32_t vcd_core_slot(const struct vcd_core *core, uint32_t cell)
{
    return cell < REGISTER_CELLS ? core->slots[cell] : NO_SLOT;
}

// Lays out the variables, whose identifiers begin with that of `first_variable`. READING_TTU: the
// registers of the reference; READING_TRUE: each byte in one register, except that v is in z.
// `registers` are those of the trace (trace_kind.registers), `named` those that it names; NULL:
// none.
void vcd_core_init(struct vcd_core *core, const struct register_table *registers,
                   const struct register_names *named, enum reading reading, bool has_aarch64,
                   uint32_t first_variable);

// How many there are.
uint32_t vcd_core_variables(const struct vcd_core *core);

// Declares them in a scope of that name.
void vcd_core_declare(const struct vcd_core *core, const char *scope, struct out *out);

// Gives all of them an unknown value.
void vcd_core_dump_unknown(const struct vcd_core *core, struct out *out);

// --- Registers beyond the common ones ------------------------------------------------------------

// The values of registers that a trace names, core by core, for a VCD file.

struct vcd_named_values {
    struct vcd_named_cell *cells; // of the first lane, then of the next one
    size_t lane_cells, lane_count;
};

// Allocates the registers of all lanes, all unknown. `named` NULL: none. False: no memory.
bool vcd_named_values_make(struct vcd_named_values *values, const struct register_names *named,
                           size_t lane_count);
void vcd_named_values_free(struct vcd_named_values *values);

// Both were made with the same arguments.
void vcd_named_values_copy(struct vcd_named_values *to, const struct vcd_named_values *from);

// The number of the register that a cell belongs to.
static inline uint32_t vcd_named_number(uint32_t cell)
{
    return (cell - REGISTER_CELLS) / NAMED_REGISTER_CELLS;
}

// Stores a write to a register that is shown; ignores others. Returns whether it is shown.
bool vcd_named_write(struct vcd_named_values *values, const struct segment_register *reg);

// Writes the value of register `number` of a lane, if all of it is known.
void vcd_named_put(const struct vcd_named_values *values, const struct vcd_core *core, size_t lane,
                   uint32_t number, struct out *out);

// --- The function that a core executes -----------------------------------------------------------

// The function that a core executes, as a queue of changes in the order of the trace: a function is
// entered, or its caller continues.

struct function_change {
    uint64_t event, time; // of the node at which it happens
    uint64_t pc;          // the entry of the function
};

// A position in the queue: the calls open there, from the root inward. All zero is an empty queue.
struct function_changes {
    struct call_list *list;
    VEC(, struct open_function) open;
    struct function_change head;
    bool has_head;
};

// Starts with the lane's root, entered at `root`; `calls` are the calls in it. False: no memory.
bool function_changes_begin(struct function_changes *changes, struct call_list *list,
                            const struct node_ref *root, const struct call_content *calls);

// Moves to the next change; has_head tells whether there is one. False: no memory.
bool function_changes_next(struct function_changes *changes);

void function_changes_free(struct function_changes *changes);

#endif
