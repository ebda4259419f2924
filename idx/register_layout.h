// The registers of a trace: their names, and the place of each in the register space
// (SECTION_LAYOUT).
#ifndef TRAWL_IDX_REGISTER_LAYOUT_H
#define TRAWL_IDX_REGISTER_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Registers with the same name and numbers from 0, or a single register.
struct register_run {
    const char *name;
    uint32_t count;              // 0: a single one, without a number
    uint32_t offset, size_bytes; // of the first
    uint32_t beside;             // the number of adjacent ones in a group; 0 means 1
    uint32_t stride_bytes;       // from one group to the next
    uint32_t flags;              // enum trawl_register_flag
    uint8_t isas, shown;         // a bit for each instruction set
    uint32_t dwarf;              // of the first; or TRAWL_NO_DWARF
};

#define REGISTER_ISAS_ALL 0xf

struct register_figures {
    bool any_case; // names are case-insensitive
    uint32_t address_bytes;
    uint32_t machine; // e_machine of ELF; 0: unknown
};

// All registers that the lanes of a trace have.
struct register_table {
    const struct register_run *runs;
    size_t count;
    struct register_figures figures;
};

// The number of registers in a run.
static inline uint32_t register_run_length(const struct register_run *run)
{
    return run->count ? run->count : 1;
}

static inline bool register_run_is_banked(const struct register_run *run)
{
    return run->flags & TRAWL_REGISTER_BANKED;
}

// The offset of register `number` of the run.
uint64_t register_run_offset(const struct register_run *run, uint32_t number);

// Writes the section. False: no memory.
bool register_layout_write(struct parts_writer *parts, const struct register_run *runs,
                           size_t count, const struct register_figures *figures);

// The meaning of names. All zero is a trace without registers.
struct register_layout {
    struct register_figures figures;
    const struct register_run *runs;
    size_t run_count;
    struct trawl_register *registers; // of all runs; those with banks are last
    size_t *firsts;                   // the index of each run's first register in `registers`
    size_t count;                     // without those with banks
    struct arena arena;
};

// Fills the layout from runs that must exist as long as it. Its arena may already be in use. False:
// no memory.
bool register_layout_make(struct register_layout *layout, const struct register_run *runs,
                          size_t count, const struct register_figures *figures);
void register_layout_free(struct register_layout *layout);

#endif
