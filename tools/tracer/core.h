// One core: a Unicorn engine, and the instruction that it is executing.
//
// Unicorn calls the code hook before an instruction, the memory hooks during it, and nothing after
// it. So an instruction is kept as a step until the hook of the next one: then it is known whether
// its branch was taken, its accesses are complete and its results are in the registers, and all of
// it is written at once.
#ifndef TRACER_CORE_H
#define TRACER_CORE_H

#include "insn.h"
#include "profile_m.h"
#include "regs.h"
#include "shadow.h"

#include <stdbool.h>
#include <stdint.h>
#include <unicorn/unicorn.h>

enum {
    STEP_ACCESSES_MAX = 72, // LD4 of single bytes, or vldm: 64 and some more
    REG_NAME_MAX = 16,
};

typedef struct {
    uint64_t address;
    uint64_t value[2]; // low half first
    uint8_t bytes;     // 1, 2, 4, 8 or 16
    bool is_write;
} access_t;

typedef struct {
    const insn_t *insn; // NULL: no step is open
    bool passed;        // its condition was true, or it has none
    bool taken;         // the next instruction is not the following one
    uint64_t next_pc;
    unsigned write_count; // how many of insn->writes happened
    unsigned access_count;
    access_t accesses[STEP_ACCESSES_MAX];
    uint64_t values[INSN_WRITES_MAX][2]; // of insn->writes
} step_t;

typedef enum { EXCEPTION_SVC, EXCEPTION_IRQ } exception_kind_t;

typedef struct {
    exception_kind_t kind;
    uint64_t vector_offset;
    uint64_t target;
    uint64_t return_address;
    uint64_t saved_psr;
    uint64_t psr;
    uint64_t syndrome; // A64 SVC
    bool from_lower;   // A64: from EL0
} exception_t;

typedef struct {
    char text[REG_NAME_MAX];
    uint8_t length;
} reg_name_t;

typedef enum {
    PENDING_NONE,
    PENDING_RESUME,
    PENDING_SVC,
    PENDING_IRQ,
    PENDING_EXC_RETURN
} pending_t;

struct machine;

typedef struct core {
    struct machine *machine;
    unsigned index;
    uc_engine *uc;
    uc_context *el1_context; // A64: see except.c
    uint64_t pc;             // where to start or continue; with the Thumb bit
    uint64_t insn_count;
    uint64_t stop_at_count; // the end of this core's turn
    uint64_t irq_at_count;
    uint64_t irq_count;
    pending_t pending;
    uint32_t psr;      // as of the last change of mode
    unsigned it_state; // Thumb: for the next instruction; kept here, because Unicorn's is late
                       // after a skip
    bool finished;     // the program on this core has exited
    step_t step;
    reg_name_t mode;                  // "EL1h_s"
    reg_name_t name[REG_COUNT];       // in the spelling of the style; sp and lr of the current bank
    reg_name_t short_name[REG_COUNT]; // w0, s0, d0 ... (A64: names for writes of 4 bytes)
    reg_name_t double_name[32];       // A64: d0-d31
    bool uses_psp;                    // M profile: CONTROL selects it in thread mode
    uint32_t exc_return;              // M profile: the value with which a handler returned
    profile_m_t m;
    shadow_t shadow;
} core_t;

bool core_open(core_t *core, struct machine *machine, unsigned index);
void core_close(core_t *core);

// Runs until the core's turn ends, the program exits, or a limit is reached. False: error, which
// was reported.
bool core_run(core_t *core, uint64_t turn_insns);

void core_read_reg(const core_t *core, unsigned reg, uint64_t value[2]);
void core_write_reg(core_t *core, unsigned reg, uint64_t value);

// Reads the mode, and names the banked registers accordingly.
void core_update_mode(core_t *core);

uint64_t core_sp(const core_t *core);

#endif
