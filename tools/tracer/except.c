#include "except.h"

#include "check.h"
#include "machine.h"

#include <stdio.h>
#include <string.h>

// --- A64 -----------------------------------------------------------------------------------

enum {
    A64_DAIF = 0x3c0,
    A64_EL1H = 5,
    A64_EL1T = 4,
    VECTOR_CURRENT_SP0 = 0,
    VECTOR_CURRENT_SPX = 0x200,
    VECTOR_LOWER_64 = 0x400,
    VECTOR_IRQ = 0x80,
};

static bool write_spsr_el1(core_t *core, uint64_t value)
{
    uc_arm64_cp_reg spsr = {.crn = 4, .crm = 0, .op0 = 3, .op1 = 0, .op2 = 0, .val = value};
    return uc_reg_write(core->uc, UC_ARM64_REG_CP_REG, &spsr) == UC_ERR_OK;
}

// Unicorn translates code for the exception level in its hidden flags, which writing PSTATE does
// not update: code entered from EL0 in that way would still run unprivileged. A saved context also
// contains the flags. So this restores a context from a time at EL1 (the tracer saves it when the
// program leaves EL1, see exception_save_el1), and then restores everything that differs.
static bool raise_to_el1(core_t *core)
{
    enum { SAVED_MAX = 31 + 32 + 3 };
    uint64_t saved[SAVED_MAX][2];
    int ids[SAVED_MAX];
    unsigned count = 0;
    for (unsigned reg = 0; reg < REG_COUNT; reg++) {
        int id = regs_unicorn_id(true, reg);
        if (id != 0 && reg != REG_SP && reg != REG_CPSR) {
            ids[count] = id;
            core_read_reg(core, reg, saved[count++]);
        }
    }
    uint64_t sp_el0 = core_sp(core);
    uint64_t thread_pointer = 0;
    uc_reg_read(core->uc, UC_ARM64_REG_TPIDR_EL0, &thread_pointer);
    if (core->el1_context == NULL || uc_context_restore(core->uc, core->el1_context) != UC_ERR_OK) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        uc_reg_write(core->uc, ids[i], saved[i]);
    }
    uc_reg_write(core->uc, UC_ARM64_REG_SP_EL0, &sp_el0);
    uc_reg_write(core->uc, UC_ARM64_REG_TPIDR_EL0, &thread_pointer);
    return true;
}

// Unicorn changes the stack pointer only with the level, not when SPSel is written.
static void change_from_sp_el0(core_t *core)
{
    uint64_t sp_el0 = core_sp(core);
    uint64_t sp_el1 = 0;
    uc_reg_read(core->uc, UC_ARM64_REG_SP_EL1, &sp_el1);
    core_write_reg(core, REG_SP, sp_el1);
    uc_reg_write(core->uc, UC_ARM64_REG_SP_EL0, &sp_el0);
}

static bool enter_a64(core_t *core, exception_t *e)
{
    uint64_t psr[2];
    uint64_t vector_base = 0;
    core_read_reg(core, REG_CPSR, psr);
    uc_reg_read(core->uc, UC_ARM64_REG_VBAR_EL1, &vector_base);
    e->saved_psr = (uint32_t)psr[0];
    e->from_lower = (psr[0] & 0xf) == 0;
    e->psr = (psr[0] & 0xf0000000) | A64_DAIF | A64_EL1H;
    e->vector_offset = (e->from_lower                ? VECTOR_LOWER_64
                        : (psr[0] & 0xf) == A64_EL1T ? VECTOR_CURRENT_SP0
                                                     : VECTOR_CURRENT_SPX) +
                       (e->kind == EXCEPTION_IRQ ? VECTOR_IRQ : 0);
    e->return_address = core->pc;
    if (e->from_lower && !raise_to_el1(core)) {
        fprintf(stderr, "tracer: exception from EL0, but EL1 was never left\n");
        return false;
    }
    if (e->kind == EXCEPTION_SVC) {
        uint32_t bits;
        memcpy(&bits, ram_at(&core->machine->image, core->pc - 4), sizeof bits);
        e->syndrome = 0x56000000 | (bits >> 5 & 0xffff);
        uc_reg_write(core->uc, UC_ARM64_REG_ESR_EL1, &e->syndrome);
    }
    uc_reg_write(core->uc, UC_ARM64_REG_ELR_EL1, &e->return_address);
    core_write_reg(core, REG_CPSR, e->psr);
    if ((psr[0] & 0xf) == A64_EL1T) {
        change_from_sp_el0(core);
    }
    e->target = vector_base + e->vector_offset;
    return write_spsr_el1(core, e->saved_psr);
}

void exception_save_el1(core_t *core)
{
    if (core->el1_context == NULL && uc_context_alloc(core->uc, &core->el1_context) != UC_ERR_OK) {
        return;
    }
    uc_context_save(core->uc, core->el1_context);
}

// --- A32 and T32 ---------------------------------------------------------------------------

enum { VECTOR32_SVC = 0x08, VECTOR32_IRQ = 0x18 };

static bool enter_a32(core_t *core, exception_t *e)
{
    bool is_irq = e->kind == EXCEPTION_IRQ;
    uint64_t psr[2];
    core_read_reg(core, REG_CPSR, psr);
    uc_arm_cp_reg vbar = {.cp = 15, .crn = 12};
    uc_reg_read(core->uc, UC_ARM_REG_CP_REG, &vbar);
    e->saved_psr = (uint32_t)psr[0];
    e->psr = (psr[0] & ~(uint64_t)(PSR_T | PSR_E | 0x1f)) | PSR_I | (is_irq ? PSR_A : 0) |
             (is_irq ? MODE_IRQ : MODE_SVC);
    e->vector_offset = is_irq ? VECTOR32_IRQ : VECTOR32_SVC;
    // lr_irq is 4 after the instruction to return to, in any state.
    e->return_address = (core->pc & ~1ull) + (is_irq ? 4 : 0);
    core_write_reg(core, REG_CPSR, e->psr); // also switches the banks
    core_write_reg(core, REG_LR32, e->return_address);
    uint32_t saved = (uint32_t)e->saved_psr;
    uc_reg_write(core->uc, UC_ARM_REG_SPSR, &saved);
    e->target = vbar.val + e->vector_offset;
    return true;
}

// --- both ----------------------------------------------------------------------------------

bool exception_enter(core_t *core, exception_kind_t kind)
{
    machine_t *m = core->machine;
    exception_t e = {.kind = kind};
    uint64_t resume = core->pc & (m->cache.is_a64 ? ~0ull : ~1ull);
    uint64_t sp = core_sp(core);
    if (!(m->cache.is_a64 ? enter_a64(core, &e) : enter_a32(core, &e))) {
        return false;
    }
    core->pc = e.target;
    core_update_mode(core);
    check_forget(core);
    shadow_exception(core, e.target, resume);
    if (!out_commit(&m->out, m->options.style->exception(core, &e, m->out.end))) {
        m->stopping = true;
    }
    stacks_exception(core, e.target, resume, sp);
    return true;
}
