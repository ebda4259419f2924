// What everything above the kinds of traces knows of an architecture: facts, in one constant row
// for each. A kind has the row of its traces (trace_kind.arch), an index that of its machine
// (index_view.arch), and nobody asks which one it is: a command reads the fact that it needs.
//
// A row costs nothing where it matters: nothing calls through it for each event, and what inner
// loops compare (arch_is_bank_change) is a number that they load once. What only decoders need
// (encodings, effects of instructions, names in lines) is not here: the kinds call it directly in
// the folder of their architecture.
//
// Only the name and one instruction set are necessary. Without frames, stacks come from calls;
// without GDB's machines, there is no debugging; without groups, browsers show named registers.
//
// All architectures share two conventions, which the format of an index fixes. Instruction sets
// have the numbers 0 to 2 (TRAWL_ISA), of which the last is the one with 64 bits. Bit 0 of a PC is
// no part of the address: where an architecture has two sets with 32 bits, it says that the
// instruction is of the second one.
#ifndef TRAWL_ARCH_ARCH_H
#define TRAWL_ARCH_ARCH_H

#include "arch/gdb_target.h"
#include "base/base.h"
#include "dwarf/call_rules.h"
#include "flow/exceptions.h"
#include "flow/task_key.h"

// What of an instruction says where code or data are: the part of an encoding that differs between
// two builds of a program although the instruction is the same.
//
// An architecture reads the instructions of a function in order, since addresses are made by
// several (ADRP and ADD, MOVW and MOVT): what those before have made is kept between calls. It errs
// on the side of saying nothing: what it does not know is part of `rest`, and then counts.

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

// The stack frames of a machine, for the unwinder: registers by their numbers in DWARF, and what
// the ABI says of calls.

// How frame pointers lead to callers.
enum arch_chain {
    CHAIN_NONE,
    CHAIN_RECORD,       // at the caller's frame pointer, and the return address after it
    CHAIN_EITHER,       // as above, or the frame pointer points to the return address: it depends
                        // on the compiler
    CHAIN_RECORD_BELOW, // the return address is below where the frame pointer points, the caller's
                        // frame pointer below that
};

struct arch_frames {
    uint16_t machine; // e_machine of the images that have rules for it
    uint8_t word_bytes;
    uint8_t chain;        // enum arch_chain
    uint32_t sp, fp, ra;  // ra: where the return address is on entry, if in a register
    uint32_t code_bit_fp; // the frame pointer where the PC has the code bit; the same as fp
                          // otherwise
    int64_t sp_offset;    // the caller's SP from SFrame's CFA
    uint64_t kept;        // a bit for each register that calls preserve
    bool is_ra_pushed;    // calls push the return address
    bool is_signed;       // it may have a signature in its upper bits (pointer authentication, PAC)
    // Registers that say how wide addresses are, for such: 64 less bits 0 to 5 in the lower half,
    // 64 less bits 16 to 21 in the upper. NULL ends them; NULL: none.
    const char *const *address_sizes;
    bool has_code_bit;      // bit 0 of a pointer to code is no part of the address
    bool has_ones_at_reset; // ra has all bits set after a reset, which is no return address
};

// Of machines about which nothing else is known here.
extern const struct arch_frames frames_x86_64, frames_s390x;

// A bit for each register of a range.
#define FRAME_BITS(first, last) ((UINT64_C(2) << (last)) - (UINT64_C(1) << (first)))

#define ARCH_ISAS 4    // as an index can number them
#define ARCH_ISA_64 2u // the number of the set with 64 bits, in every architecture
#define ARCH_MACHINES 4

// Registers with consecutive numbers in DWARF, and the name before each number from 0: "v", "s". A
// count of 0 ends them.
struct arch_numbers {
    uint16_t first, count;
    const char *name;
};

struct arch_isa {
    const char *name;    // as users know it; NULL: the architecture has no such set
    const char *state;   // of a core that executes it: "AArch32"; NULL: a core has one only
    uint8_t word_bytes;  // of a pointer, and of a register that holds one
    uint8_t least_bytes; // of its shortest instruction
    bool has_code_bit;   // bit 0 of a pointer to code tells the set
    // Registers of the first arguments and of the result, by the ABI; NULL: none. NULL ends them.
    const char *const *arguments;
    const char *result;
    const struct arch_frames *frames;   // NULL: nothing is known of its stack frames
    const struct call_rules *calls;     // NULL: nor of how arguments are passed by their types
    const struct arch_numbers *numbers; // DWARF's, that a layout does not have; NULL: none
};

// How a browser shows the value of a register besides its digits.
enum arch_look { ARCH_PLAIN, ARCH_FLAGS, ARCH_FLOAT, ARCH_MASK };

// Registers with the same name and numbers from 0, or a single one.
struct arch_names {
    const char *name;
    uint8_t count; // 0: a single one
    uint8_t look;  // enum arch_look
};

// The sets of registers for which browsers have keys.
enum arch_group_number {
    ARCH_GROUP_CORE,
    ARCH_GROUP_SINGLE,
    ARCH_GROUP_DOUBLE,
    ARCH_GROUP_VECTOR,
    ARCH_GROUP_OTHER_VECTOR,
    ARCH_GROUPS,
};

#define ARCH_GROUP_RUNS 3

struct arch_group {
    const char *what;   // "FP single": "Show FP single registers at time: "
    const char *status; // at the start of a status line
    // With 32 bits and with 64; a run without a name ends them.
    struct arch_names registers[2][ARCH_GROUP_RUNS + 1];
    uint8_t wanted; // to show at first; 0: all
};

// Why exceptions were taken, in words, by a field of the register in which the machine keeps it.
struct arch_cause {
    uint16_t first, last;
    bool is_call;     // of the system, whose number is in a register
    bool has_address; // that was accessed
    const char *what; // NULL ends them
};

struct arch_causes {
    // The registers that keep it, for each level that takes exceptions, and those that keep the
    // address. NULL ends them.
    const char *const *registers, *const *addresses;
    uint64_t mask; // of the field, after the shift
    uint8_t shift;
    const char *numbers[2]; // the register with the number of a call, with 32 bits and with 64
    const struct arch_cause *causes;
};

struct arch {
    const char *core; // "an Arm core": images that are not for it are refused with these words
    // The numbers (e_machine of ELF) of the images that it executes; 0 ends them. The first is that
    // in the indexes of its kinds.
    uint16_t machines[ARCH_MACHINES + 1];
    struct arch_isa isas[ARCH_ISAS];
    uint64_t code_bits; // of PCs and of pointers to code, that are no part of the address
    // Cells of the register space, of the first 64, that show another register when the mode of the
    // core changes.
    uint64_t banked_cells;
    // Registers, by any of which the machine keeps the address that an exception returns to, and a
    // bit for each set of instructions that has them. NULL ends them; NULL: none.
    const char *const *exception_returns;
    uint8_t exception_returns_isas;
    // What traces show as registers, by their names, though the machine has none such: of what a
    // line says of an exception, which other forms of trace leave out. NULL ends them; NULL: none.
    const char *const *no_registers;
    // Whether a system register may tell tasks apart, by its name, and how: before a trace is read
    // it is not known which ones it has. NULL: none does.
    bool (*tells_tasks)(const char *name, size_t length, enum task_key_kind *kind);
    code_refer *refer; // addresses in instructions, for comparing builds; NULL: not known
    const struct exception_rules *exceptions; // for calls that are inferred; NULL: none are
    const struct arch_causes *causes;         // of exceptions; NULL: not known
    const struct arch_group *groups;          // ARCH_GROUPS of them; NULL: none
    // The first that fits is the one (gdb_machine_of). NULL: GDB does not know it.
    const struct gdb_machine *const *gdb; // NULL ends them
};

// What nothing is known about, not even its name: for functions of a trace without instructions.
extern const struct arch arch_unknown;

// Whether images with this number run on it: those that name no machine do.
bool arch_runs(const struct arch *arch, unsigned machine);

// "A64", "?".
static inline const char *arch_isa_name(const struct arch *arch, uint32_t isa)
{
    return isa < ARCH_ISAS && arch->isas[isa].name ? arch->isas[isa].name : "?";
}

// The set that is executed at a PC, in a core that executes `isa`.
static inline uint32_t arch_isa_at(const struct arch *arch, uint32_t isa, uint64_t pc)
{
    return arch->isas[isa].has_code_bit ? (uint32_t)(pc & 1) : isa;
}

// The size of the shortest instruction that a core in the state of this set executes: sets with a
// bit in pointers to code share one.
static inline uint32_t arch_least_bytes(const struct arch *arch, uint32_t isa)
{
    uint32_t least = arch->isas[isa].least_bytes;
    if (arch->isas[isa].has_code_bit && arch->isas[!isa].least_bytes < least)
        least = arch->isas[!isa].least_bytes;
    return least ? least : 1;
}

// Whether a write to bytes of a cell is a change of the mode: it is stored like a write of the
// lowest byte and one of the rest, which no instruction makes.
static inline bool arch_is_bank_change(const struct arch *arch, uint64_t cell, unsigned mask)
{
    return cell < 64 && arch->banked_cells >> cell & 1 &&
           (mask == 0x01 || mask == 0xfe || mask == 0x0e);
}

#endif
