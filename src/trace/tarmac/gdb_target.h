// The registers of an Arm core as GDB has them: their numbers, their places in the block that a
// stub sends (the g packet), and the target description that says so.
#ifndef TRAWL_TRACE_TARMAC_GDB_TARGET_H
#define TRAWL_TRACE_TARMAC_GDB_TARGET_H

#include "trace/tarmac/registers.h"

#define GDB_REGISTERS_MAX 68
#define GDB_BLOCK_BYTES_MAX 1024

struct gdb_register {
    struct register_place place; // in the register space, or REGISTER_OFFSET_PC
    uint32_t offset;             // in the block
};

// Fields are for reading.
struct gdb_target {
    struct gdb_register registers[GDB_REGISTERS_MAX]; // in the order of the block
    size_t count;
    size_t core_count;    // those before vectors and floating point
    size_t sp, pc, psr;   // among them
    uint32_t block_bytes; // of all
};

// The registers of a core in AArch64 or AArch32 state.
void gdb_target_init(struct gdb_target *target, bool aarch64);

// Gives each line of the target description, without newline.
void gdb_target_describe(bool aarch64, void (*put)(void *self, const char *line), void *self);

#endif
