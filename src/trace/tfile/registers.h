// The places of registers in the register blocks of a trace file: from the target description in
// the file, or otherwise from GDB's defaults for the machine.
#ifndef TRAWL_TRACE_TFILE_REGISTERS_H
#define TRAWL_TRACE_TFILE_REGISTERS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

enum tfile_byte_order {
    TFILE_ORDER_UNKNOWN,
    TFILE_LITTLE_ENDIAN,
    TFILE_BIG_ENDIAN,
};

enum tfile_machine {
    TFILE_MACHINE_UNKNOWN,
    TFILE_X86_64,
    TFILE_I386,
    TFILE_AARCH64,
    TFILE_ARM,
    TFILE_OTHER, // known only by its description
};

enum tfile_register_type {
    TFILE_INTEGER,
    TFILE_CODE, // the address of code
    TFILE_DATA, // the address of data
    TFILE_FLOAT,
    TFILE_VECTOR, // or any other type that a description defines
};

struct tfile_register {
    const char *name;
    enum tfile_register_type type;
    uint32_t offset, size_bytes; // in a block
    uint32_t number;             // in the remote protocol
};

#define TFILE_NO_REGISTER UINT32_MAX

// All zero: none. Fields are read-only for users.
struct tfile_registers {
    VEC(, struct tfile_register) items; // in the order of a block
    uint32_t pc, sp;                    // index in items; or TFILE_NO_REGISTER
    uint32_t address_bytes;             // 4 or 8
    enum tfile_machine machine;
    enum tfile_byte_order byte_order; // if the machine has only one
    const char *architecture;         // as named in the description; NULL: no description
    bool is_described;                // the file contains a description
    uint32_t built_in;                // of what GDB has built in: with those that have no name
    bool has_dwarf_numbers;           // the first 32 have the same numbers in DWARF
};

// Reads the lines of a description one by one: XML without entities and includes.
struct tfile_xml;
struct tfile_xml *tfile_xml_begin(struct tfile_registers *registers, struct arena *arena);
void tfile_xml_line(struct tfile_xml *description, const char *text, size_t length);

// Lays out the registers of the description. If it is not valid, there are none, and is_described
// is false. False: no memory. Frees the description.
bool tfile_xml_end(struct tfile_xml *description);

// --- machines.c ----------------------------------------------------------------------------------

// What an image says about a machine.
struct tfile_elf {
    unsigned machine; // e_machine; 0: there is no image
    uint32_t address_bytes;
    uint32_t flags; // e_flags
};

// The registers that GDB has built in for a machine; for TFILE_MACHINE_UNKNOWN, for the machine
// whose registers usually take `register_bytes`; for TFILE_OTHER, for that of an image. False: no
// memory.
bool tfile_registers_default(struct tfile_registers *registers, enum tfile_machine machine,
                             const struct tfile_elf *elf, uint32_t register_bytes,
                             struct arena *arena);

// --- registers.c ---------------------------------------------------------------------------------

// Removes registers that are not in blocks of this size, and finds PC and stack pointer.
void tfile_registers_finish(struct tfile_registers *registers, uint32_t register_bytes);

void tfile_registers_free(struct tfile_registers *registers);

// The index in items of a register by its name, without $; pc, sp, fp and lr are names for any
// machine. TFILE_NO_REGISTER: none.
uint32_t tfile_register_named(const struct tfile_registers *registers, const char *name,
                              size_t length);

// Whether GDB shows it by default: neither a vector nor a floating-point register.
bool tfile_register_is_general(const struct tfile_register *item);

// The register with a DWARF number, for unwinding.
uint32_t tfile_register_dwarf(const struct tfile_registers *registers, uint32_t dwarf);

// "x86-64", "AArch64", ...
const char *tfile_machine_name(enum tfile_machine machine);

#endif
