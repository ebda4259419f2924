// The registers that a trace has: what they are called, and where each is in the register space
// (SECTION_LAYOUT).
#ifndef TRAWL_IDX_REGISTER_LAYOUT_H
#define TRAWL_IDX_REGISTER_LAYOUT_H

#include "base/arena.h"
#include "base/error.h"
#include "idx/parts.h"
#include "idx/trawl.h"

// Registers of one name and the numbers from 0, or a single one.
struct register_run {
    const char *name;
    uint32_t count;              // 0: a single one, without a number
    uint32_t offset, size_bytes; // of the first
    uint32_t beside;             // so many lie side by side; 0 is 1
    uint32_t stride_bytes;       // from one such group to the next
    uint32_t flags;              // enum trawl_register_flag
    uint8_t isas, shown;         // a bit for each instruction set
    uint32_t dwarf;              // of the first; TRAWL_NO_DWARF
};

#define REGISTER_ISAS_ALL 0xf

struct register_figures {
    bool any_case; // names mean the same in upper and lower case
    uint32_t address_bytes;
    uint32_t machine; // e_machine of ELF; 0: not known
};

// All registers that lanes of a trace have.
struct register_table {
    const struct register_run *runs;
    size_t count;
    struct register_figures figures;
};

// How many registers a run is.
static inline uint32_t register_run_length(const struct register_run *run)
{
    return run->count ? run->count : 1;
}

static inline bool register_run_is_banked(const struct register_run *run)
{
    return run->flags & TRAWL_REGISTER_BANKED;
}

// Where its register `number` is.
uint64_t register_run_offset(const struct register_run *run, uint32_t number);

// Writes the section. False: no memory.
bool register_layout_write(struct parts_writer *parts, const struct register_run *runs,
                           size_t count, const struct register_figures *figures);

// What names mean. All zero is a trace without registers.
struct register_layout {
    struct register_figures figures;
    const struct register_run *runs;
    size_t run_count;
    struct trawl_register *registers; // of all runs, those of banks last
    size_t *firsts;                   // of each run among them
    size_t count;                     // without those of banks
    struct arena arena;
};

// Fills the layout, whose arena may be in use, from runs that live as long as it. False: no memory.
bool register_layout_make(struct register_layout *layout, const struct register_run *runs,
                          size_t count, const struct register_figures *figures);
void register_layout_free(struct register_layout *layout);

#endif
