// The registers of an Arm core in GDB: their numbers, their places in the block that a stub sends
// (the g packet), and the target description that defines them.
#ifndef TRAWL_ARCH_ARM_GDB_TARGET_H
#define TRAWL_ARCH_ARM_GDB_TARGET_H

#include "base/base.h"
#include "idx/trawl.h"

#define GDB_REGISTERS_MAX 68
#define GDB_BLOCK_BYTES_MAX 1024

// As GDB distinguishes them by the features of their description.
enum gdb_machine { GDB_ARM, GDB_ARM_M, GDB_AARCH64 };

struct gdb_register {
    uint64_t place;              // in the register space; 0 for the pc, which has none
    uint32_t offset, size_bytes; // in the block
    uint32_t number;             // GDB's
};

// Fields are for reading.
struct gdb_target {
    struct gdb_register registers[GDB_REGISTERS_MAX]; // in the order of the block
    size_t count;
    size_t core_count;    // those before vectors and floating point
    size_t sp, pc, psr;   // among them
    uint64_t thumb_bit;   // of psr; 0 in AArch64
    uint32_t block_bytes; // of all
};

// What a core in AArch64 or AArch32 state is: of the M profile, if its trace names the stack
// pointers that only that has.
enum gdb_machine gdb_machine_of(const struct trawl_index *index, bool aarch64);

// The registers of a core in the index. False: it has none.
bool gdb_target_init(struct gdb_target *target, const struct trawl_index *index,
                     enum gdb_machine machine);

// The place in `registers` of the register with GDB's number, which has gaps; `count`: none.
size_t gdb_target_number(const struct gdb_target *target, uint64_t number);

// Passes each line of the target description to `put`, without newline.
void gdb_target_describe(enum gdb_machine machine, void (*put)(void *self, const char *line),
                         void *self);

#endif
