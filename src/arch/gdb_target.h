// The registers of a core in GDB: their numbers, their places in the block that a stub sends (the g
// packet), and the target description that defines them.
#ifndef TRAWL_ARCH_GDB_TARGET_H
#define TRAWL_ARCH_GDB_TARGET_H

#include "base/base.h"
#include "idx/trawl.h"

#define GDB_REGISTERS_MAX 384
#define GDB_REGISTER_BYTES_MAX 256
#define GDB_BLOCK_BYTES_MAX 12288
#define GDB_NAME_BYTES 16
#define GDB_NAMED_MAX 256 // of gdb_feature.number_of

// Registers of one feature with the same prefix and numbers from 0, or a single one.
struct gdb_names {
    char prefix[8];
    uint8_t count;    // 0: a single register, without a number
    uint8_t bits;     // 0: as many as the register has in the trace
    uint16_t number;  // GDB's number of the first; 0: the one after the previous register
    const char *type; // an attribute, or ""
    char ours[8];     // the prefix in a trace
};

struct gdb_feature {
    const char *name;
    // Lines that come before its registers; NULL ends them. A count of "*4" is 4 for every 16 bytes
    // of a vector.
    const char *const *types;
    const struct gdb_names *runs;
    size_t run_count;
    bool is_optional; // left out where the trace does not name its registers
    // Behind the runs: each register of which the trace names it and this knows the number, which
    // GDB counts from `first_number`. NULL: none. More than GDB_NAMED_MAX are left out.
    bool (*number_of)(const char *name, size_t length, unsigned *number);
    uint32_t first_number;
};

// One with runs alone.
#define GDB_FEATURE(text, type_lines, names)                                                       \
    .name = (text), .types = (type_lines), .runs = (names), .run_count = ARRAY_COUNT(names)

// What GDB distinguishes by the features of a description.
struct gdb_machine {
    const char *architecture;
    const struct gdb_feature *features; // core registers come first
    size_t feature_count;
    uint8_t isas; // a bit for each instruction set of a core that is this machine
    uint8_t isa;  // for names of registers
    // It is one only if the trace has these registers; NULL: none. GDB cannot do without their
    // values, either.
    const char *const *needs;
    bool needs_sp;     // nor without a stack pointer
    bool is_live_only; // trace files of GDB do not have it
    // Its vectors are as long as the trace shows, and it is a machine only of a trace that shows
    // them: registers of 128 and of 16 bits are so long for each *grain* of 128 bits that a vector
    // has. A register without a name in traces (`ours`) is the length of a vector in 64 bits.
    bool is_scaled;
    // The register that says which instruction set is executed: by a bit that is one in that set.
    const char *status; // as a trace names it; NULL: none does
    uint32_t state_bit; // 0: none
    uint8_t state_isa;
    const char *const *programs; // that know it, other than gdb; NULL ends them
};

// In place of places in the register space: of a register that the trace never names, and of the
// length of vectors.
#define GDB_PLACE_NONE UINT64_MAX
#define GDB_PLACE_LENGTH (UINT64_MAX - 1)

struct gdb_register {
    uint64_t place;              // in the register space; 0 for the pc, which has none
    uint32_t offset, size_bytes; // in the block
    uint32_t number;             // GDB's
    bool is_needed;              // GDB shows no frame where it is unavailable
    uint8_t feature;             // among those of the machine
    const char *type;            // as gdb_names.type
    char name[GDB_NAME_BYTES];   // GDB's
};

// Fields are for reading.
struct gdb_target {
    struct gdb_register registers[GDB_REGISTERS_MAX]; // in the order of the block
    size_t count;
    size_t core_count;     // those of the first feature
    size_t sp, pc, status; // among them; status: SIZE_MAX, if there is none
    uint32_t block_bytes;  // of all
    uint32_t vector_bytes; // of a vector whose length differs between cores; 0: there is none
};

// The first of the machines (arch.gdb) that a core with these registers is while it executes an
// instruction set. NULL: none is.
const struct gdb_machine *gdb_machine_of(const struct gdb_machine *const *machines,
                                         struct trawl_index *index, uint32_t isa, bool is_live);

// The registers of a core in the index. False: it has not all of them.
bool gdb_target_init(struct gdb_target *target, struct trawl_index *index,
                     const struct gdb_machine *machine);

// The place in `registers` of the register with GDB's number, which has gaps; `count`: none.
size_t gdb_target_number(const struct gdb_target *target, uint64_t number);

// Passes each line of the target description to `put`, without newline.
void gdb_target_describe(const struct gdb_machine *machine, const struct gdb_target *target,
                         void (*put)(void *self, const char *line), void *self);

#endif
