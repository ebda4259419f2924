#include "core.h"

#include "check.h"
#include "except.h"
#include "machine.h"

#include <stdio.h>
#include <string.h>

// --- registers -----------------------------------------------------------------------------

void core_read_reg(const core_t *core, unsigned reg, uint64_t value[2])
{
    bool is_a64 = core->machine->cache.is_a64;
    value[0] = 0;
    value[1] = 0;
    if (!is_a64 && reg >= REG_Q0 && reg < REG_Q0 + 16) {
        uc_reg_read(core->uc, UC_ARM_REG_D0 + 2 * (int)(reg - REG_Q0), &value[0]);
        uc_reg_read(core->uc, UC_ARM_REG_D0 + 2 * (int)(reg - REG_Q0) + 1, &value[1]);
        return;
    }
    uc_reg_read(core->uc, regs_unicorn_id(is_a64, reg), value);
    if (is_a64 && reg == REG_CPSR) {
        value[0] &= ~(uint64_t)PSTATE_BTYPE; // BTI: valid for the next instruction only
    }
}

void core_write_reg(core_t *core, unsigned reg, uint64_t value)
{
    uc_reg_write(core->uc, regs_unicorn_id(core->machine->cache.is_a64, reg), &value);
}

uint64_t core_sp(const core_t *core)
{
    uint64_t value[2];
    core_read_reg(core, REG_SP, value);
    return value[0];
}

void core_update_mode(core_t *core)
{
    uint64_t value[2];
    core_read_reg(core, REG_CPSR, value);
    core->psr = (uint32_t)value[0];
    core->uses_psp = core->machine->options.is_m_profile && profile_m_uses_psp(core);
    core->machine->options.style->name_registers(core);
}

static void read_writes(core_t *core, step_t *s)
{
    const insn_t *in = s->insn;
    s->write_count = s->passed ? in->write_count : 0;
    for (unsigned i = 0; i < s->write_count; i++) {
        reg_write_t w = in->writes[i];
        core_read_reg(core, w.reg == REG_SYSTEM ? in->system_source : w.reg, s->values[i]);
        if (w.reg == REG_CPSR && core->machine->options.is_m_profile) {
            s->values[i][0] = profile_m_psr(core);
        }
        if (w.bytes < 8 && w.reg >= REG_S0 && !core->machine->cache.is_a64) {
            s->values[i][0] &= 0xffffffff;
        }
    }
    if (in->may_interwork && s->passed) {
        bool is_thumb =
            core->machine->options.is_m_profile || (s->values[s->write_count - 1][0] & PSR_T) != 0;
        s->write_count -= is_thumb == (in->state == 'T');
    }
}

// --- finishing a step ----------------------------------------------------------------------

// A store-exclusive is a compare-and-swap inside Unicorn: it reports a load that the program did
// not make, and a store even if that failed.
static void fix_store_exclusive(step_t *s)
{
    unsigned kept = 0;
    bool stored = s->values[0][0] == 0;
    for (unsigned i = 0; i < s->access_count; i++) {
        if (stored && s->accesses[i].is_write) {
            s->accesses[kept++] = s->accesses[i];
        }
    }
    s->access_count = kept;
}

// Joins neighbouring accesses to accesses of up to `bytes_max`.
static void join_accesses(step_t *s, unsigned bytes_max)
{
    unsigned kept = 0;
    for (unsigned i = 1; i < s->access_count; i++) {
        access_t *last = &s->accesses[kept];
        const access_t *a = &s->accesses[i];
        bool joins = a->address == last->address + last->bytes && a->is_write == last->is_write &&
                     a->bytes == last->bytes && last->address % (last->bytes * 2u) == 0 &&
                     last->bytes * 2u <= bytes_max;
        // Only equal halves are joined, so sizes stay powers of two; repeated passes make them
        // larger.
        if (joins) {
            memcpy((uint8_t *)last->value + last->bytes, a->value, a->bytes);
            last->bytes *= 2;
            if (kept + 1 <= i) {
                continue;
            }
        }
        s->accesses[++kept] = *a;
    }
    s->access_count = s->access_count == 0 ? 0 : kept + 1;
}

static void tidy_accesses(const core_t *core, step_t *s)
{
    const insn_t *in = s->insn;
    if (in->is_store_exclusive) {
        fix_store_exclusive(s);
    }
    if (in->is_simd_list) {
        for (unsigned rounds = 0; rounds < 3; rounds++) {
            join_accesses(s, 8);
        }
    }
    bool shows_16 = core->machine->options.style == &style_gem5;
    if (shows_16 && in->is_16byte && s->access_count == 2 && s->accesses[0].bytes == 8) {
        s->accesses[0].value[1] = s->accesses[1].value[0];
        s->accesses[0].bytes = 16;
        s->access_count = 1;
    }
}

static void finish_step(core_t *core, uint64_t next_pc)
{
    machine_t *m = core->machine;
    step_t *s = &core->step;
    const insn_t *in = s->insn;
    s->next_pc = next_pc;
    s->taken = next_pc != in->pc + in->size_bytes;
    read_writes(core, s);
    if (in->is_store_exclusive || in->is_simd_list || in->is_16byte) {
        tidy_accesses(core, s);
    }
    uint64_t start_byte = out_position(&m->out);
    uint64_t start_line = m->out.line_count + 1;
    if (!out_commit(&m->out, m->options.style->step(core, m->out.end))) {
        m->stopping = true;
        s->insn = NULL;
        return;
    }
    core->insn_count++;
    m->insn_count++;
    bool leaves_handler = core->pending == PENDING_EXC_RETURN;
    if (in->kind != KIND_PLAIN && !leaves_handler) {
        shadow_step(core);
    }
    if ((in->kind != KIND_PLAIN || s->taken) && !leaves_handler) {
        stacks_step(core);
    }
    if (in->changes_mode && s->passed) {
        core_update_mode(core);
    }
    if (m->options.check && !check_step(core)) {
        m->failed = true;
        m->stopping = true;
    }
    if (m->truth.file != NULL) {
        truth_step(core, start_line, start_byte);
    }
    if (m->insn_count == m->options.insns_max) {
        m->stopping = true;
    }
    s->insn = NULL;
}

// --- beginning a step ----------------------------------------------------------------------

static bool condition_holds(unsigned condition, uint32_t psr)
{
    bool n = psr >> 31 & 1;
    bool z = psr >> 30 & 1;
    bool c = psr >> 29 & 1;
    bool v = psr >> 28 & 1;
    bool holds;
    switch (condition >> 1) {
    case 0:
        holds = z;
        break;
    case 1:
        holds = c;
        break;
    case 2:
        holds = n;
        break;
    case 3:
        holds = v;
        break;
    case 4:
        holds = c && !z;
        break;
    case 5:
        holds = n == v;
        break;
    case 6:
        holds = n == v && !z;
        break;
    default:
        return true;
    }
    return holds != (condition & 1);
}

static bool passes(core_t *core, const insn_t *in)
{
    unsigned condition = in->condition;
    if (core->it_state != 0) {
        condition = core->it_state >> 4;
        core->it_state =
            (core->it_state & 7) == 0 ? 0 : (core->it_state & 0xe0) | (core->it_state << 1 & 0x1f);
    }
    if (in->it_state != 0) {
        core->it_state = in->it_state;
    }
    if (condition >= 14) {
        return true;
    }
    uint64_t psr[2];
    core_read_reg(core, REG_CPSR, psr);
    return condition_holds(condition, (uint32_t)psr[0]);
}

static insn_t *find_insn(core_t *core, uint64_t pc, uint32_t size_bytes)
{
    insn_cache_t *cache = &core->machine->cache;
    insn_t *in = insn_find(cache, pc);
    if (in != NULL) {
        return in;
    }
    uint64_t psr[2] = {0, 0};
    if (!cache->is_a64) {
        core_read_reg(core, REG_CPSR, psr);
    }
    return insn_cache_miss(cache, pc, size_bytes, (psr[0] & PSR_T) != 0 && !cache->is_a64,
                           core->it_state);
}

static void stop_at(core_t *core, uint64_t pc, pending_t pending)
{
    bool is_thumb = false;
    if (!core->machine->cache.is_a64) {
        uint64_t psr[2];
        core_read_reg(core, REG_CPSR, psr);
        is_thumb = (psr[0] & PSR_T) != 0;
    }
    core->pc = pc | is_thumb;
    core->pending = pending;
    uc_emu_stop(core->uc);
}

// Instructions whose effect the tracer must implement instead of Unicorn, or must know in advance.
static void special(core_t *core, const insn_t *in)
{
    uint64_t next = in->pc + in->size_bytes;
    if (in->kind == KIND_ERET) {
        if (in->state == 'O') {
            exception_save_el1(core);
        }
        return;
    }
    if (in->kind == KIND_SVC) {
        finish_step(core, next);
        stop_at(core, next, PENDING_SVC);
        return;
    }
    if (in->kind == KIND_SEMIHOST) {
        core->finished = !semihost_call(core);
    }
    finish_step(core, next);
    stop_at(core, next, PENDING_RESUME);
}

// Unicorn calls no hook for an instruction of a Thumb IT block that is skipped. This finds them, as
// those between the last step and the one that the hook is called for.
static void trace_skipped(core_t *core, uint64_t pc)
{
    step_t *s = &core->step;
    uint64_t at = s->insn->pc + s->insn->size_bytes;
    while (core->it_state != 0 && at != pc && !core->machine->stopping) {
        finish_step(core, at);
        const uint8_t *code = ram_at(&core->machine->image, at);
        bool is_long = code[1] >= 0xe8;
        const insn_t *in = find_insn(core, at, is_long ? 4 : 2);
        if (in == NULL) {
            return;
        }
        s->insn = in;
        s->access_count = 0;
        s->passed = passes(core, in);
        at += in->size_bytes;
    }
}

static bool irq_is_due(core_t *core)
{
    if (core->machine->options.is_m_profile) {
        return core->it_state == 0 && profile_m_due(core) != 0;
    }
    if (core->insn_count < core->irq_at_count || core->it_state != 0) {
        return false;
    }
    uint64_t psr[2];
    core_read_reg(core, REG_CPSR, psr);
    return (psr[0] & PSR_I) == 0;
}

static void on_code(uc_engine *uc, uint64_t pc, uint32_t size_bytes, void *user)
{
    (void)uc;
    core_t *core = user;
    machine_t *m = core->machine;
    if (core->step.insn != NULL && core->it_state != 0) {
        trace_skipped(core, pc);
    }
    if (core->step.insn != NULL) {
        finish_step(core, pc);
    }
    // Inside an IT block, Unicorn does not stop at once; what it still executes is not traced.
    if (m->stopping || core->insn_count >= core->stop_at_count) {
        if (m->stopping || core->it_state == 0) {
            stop_at(core, pc, PENDING_NONE);
            return;
        }
    }
    if (irq_is_due(core)) {
        stop_at(core, pc, PENDING_IRQ);
        return;
    }
    const insn_t *in = find_insn(core, pc, size_bytes);
    if (in == NULL) {
        fprintf(stderr, "tracer: execution at 0x%llx, outside the image\n", (unsigned long long)pc);
        m->failed = true;
        m->stopping = true;
        uc_emu_stop(core->uc);
        return;
    }
    core->step.insn = in;
    core->step.access_count = 0;
    core->step.passed =
        (in->condition == 14 && core->it_state == 0 && in->it_state == 0) || passes(core, in);
    if (in->kind >= KIND_ERET && core->step.passed) {
        special(core, in);
    }
    bool to_register = in->kind == KIND_RETURN || in->kind == KIND_INDIRECT;
    if (m->options.is_m_profile && to_register && core->step.passed &&
        profile_m_leaves(core, in, &core->exc_return)) {
        stop_at(core, pc, PENDING_EXC_RETURN);
        finish_step(core, core->exc_return & ~1u);
    }
}

// --- memory --------------------------------------------------------------------------------

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size_bytes,
                      int64_t value, void *user)
{
    (void)uc;
    core_t *core = user;
    step_t *s = &core->step;
    bool is_scs = address - SCS_BASE < SCS_BYTES;
    if (s->insn == NULL || s->access_count == STEP_ACCESSES_MAX ||
        (!is_scs && !ram_holds(address, 16))) {
        return;
    }
    access_t *a = &s->accesses[s->access_count++];
    a->address = address;
    a->bytes = (uint8_t)size_bytes;
    a->is_write = type == UC_MEM_WRITE;
    a->value[1] = 0;
    if (a->is_write) {
        a->value[0] = (uint64_t)value;
        if (is_scs) {
            profile_m_write(core, address, (uint32_t)value);
        }
        insn_cache_forget(&core->machine->cache, address, (unsigned)size_bytes);
    } else if (is_scs) {
        a->value[0] = 0;
        memcpy(a->value, core->machine->scs + (address - SCS_BASE), (size_t)size_bytes);
    } else {
        // The hook runs before the load and does not get its value, so it is read from our RAM.
        a->value[0] = 0;
        memcpy(a->value, ram_at(&core->machine->image, address), (size_t)size_bytes);
        if ((core->psr & PSR_E) != 0 && core->machine->image.is_big_endian) {
            a->value[0] = __builtin_bswap64(a->value[0]) >> (64 - 8 * size_bytes);
        }
    }
    if (core->machine->truth.touched != NULL && !is_scs) {
        truth_touch(&core->machine->truth, address, (unsigned)size_bytes);
    }
}

static bool on_bad_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int size_bytes,
                          int64_t value, void *user)
{
    (void)uc;
    (void)type;
    (void)value;
    const core_t *core = user;
    fprintf(stderr, "tracer: access to 0x%llx, %d bytes, at pc 0x%llx: no memory there\n",
            (unsigned long long)address, size_bytes,
            core->step.insn == NULL ? 0 : (unsigned long long)core->step.insn->pc);
    return false;
}

// --- running -------------------------------------------------------------------------------

// Unicorn starts its 64-bit cores at EL1 without setting in EL2 and EL3 that the lower levels are
// 64-bit. An exception return then counts as illegal: it does not change the level, and leaves
// PSTATE.IL set.
static bool make_el1_64bit(core_t *core)
{
    uc_arm64_cp_reg scr_el3 = {.crn = 1, .crm = 1, .op0 = 3, .op1 = 6, .op2 = 0, .val = 1 << 10};
    uc_arm64_cp_reg hcr_el2 = {.crn = 1, .crm = 1, .op0 = 3, .op1 = 4, .op2 = 0, .val = 1u << 31};
    if (core->machine->options.signs_addresses) { // nor that they may sign addresses
        scr_el3.val |= 3 << 16 | 1;               // in the non-secure world, which EL2 controls
        hcr_el2.val |= 3ull << 40;
    }
    return uc_reg_write(core->uc, UC_ARM64_REG_CP_REG, &scr_el3) == UC_ERR_OK &&
           uc_reg_write(core->uc, UC_ARM64_REG_CP_REG, &hcr_el2) == UC_ERR_OK;
}

bool core_open(core_t *core, struct machine *machine, unsigned index)
{
    bool is_a64 = machine->image.is_64bit;
    core->machine = machine;
    core->index = index;
    core->pc = machine->image.entry;
    core->irq_at_count = machine->options.irq_every == 0 ? UINT64_MAX : machine->options.irq_every;
    bool is_m = machine->options.is_m_profile;
    uc_mode mode = is_m ? UC_MODE_THUMB | UC_MODE_MCLASS : UC_MODE_ARM;
    if (uc_open(is_a64 ? UC_ARCH_ARM64 : UC_ARCH_ARM, mode, &core->uc) != UC_ERR_OK) {
        return false;
    }
    if (!is_a64) {
        // The default core has neither Thumb-2 nor NEON.
        uc_ctl_set_cpu_model(core->uc, is_m ? UC_CPU_ARM_CORTEX_M3 : UC_CPU_ARM_CORTEX_A15);
    } else if (machine->options.signs_addresses) {
        uc_ctl_set_cpu_model(core->uc, UC_CPU_ARM64_MAX);
    }
    if (is_a64 && !make_el1_64bit(core)) {
        return false;
    }
    uc_hook hook;
    bool good =
        uc_mem_map_ptr(core->uc, RAM_BASE, RAM_BYTES, UC_PROT_ALL, machine->image.ram) == UC_ERR_OK;
    good = good && uc_hook_add(core->uc, &hook, UC_HOOK_CODE, (void *)on_code, core, 1, 0) == 0;
    good = good && uc_hook_add(core->uc, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                               (void *)on_memory, core, 1, 0) == 0;
    good = good && uc_hook_add(core->uc, &hook, UC_HOOK_MEM_INVALID, (void *)on_bad_memory, core, 1,
                               0) == 0;
    if (!good || !shadow_open(&core->shadow, core->pc)) {
        return false;
    }
    if (is_m && (uc_mem_map_ptr(core->uc, SCS_BASE, SCS_BYTES, UC_PROT_READ | UC_PROT_WRITE,
                                machine->scs) != UC_ERR_OK ||
                 !profile_m_open(core))) {
        return false;
    }
    // The first argument register of a core has its number.
    core_write_reg(core, REG_X0, index);
    core_update_mode(core);
    return true;
}

void core_close(core_t *core)
{
    if (core->el1_context != NULL) {
        uc_context_free(core->el1_context);
    }
    uc_close(core->uc);
}

static bool handle_pending(core_t *core)
{
    pending_t pending = core->pending;
    core->pending = PENDING_NONE;
    if (core->machine->options.is_m_profile && pending == PENDING_EXC_RETURN) {
        return profile_m_return(core, core->exc_return);
    }
    if (core->machine->options.is_m_profile && pending >= PENDING_SVC) {
        if (pending == PENDING_SVC) {
            profile_m_pend_svc(core);
        }
        return profile_m_enter(core);
    }
    if (pending == PENDING_IRQ) {
        const options_t *o = &core->machine->options;
        bool again = o->irq_again != 0 && ++core->irq_count % 3 == 0;
        core->irq_at_count = core->insn_count + (again ? o->irq_again : o->irq_every);
        return exception_enter(core, EXCEPTION_IRQ);
    }
    return pending != PENDING_SVC || exception_enter(core, EXCEPTION_SVC);
}

bool core_run(core_t *core, uint64_t turn_insns)
{
    machine_t *m = core->machine;
    core->stop_at_count = core->insn_count + turn_insns;
    while (!m->stopping && !core->finished && core->insn_count < core->stop_at_count) {
        if (!handle_pending(core)) {
            return false;
        }
        uc_err error = uc_emu_start(core->uc, core->pc, UINT64_MAX & ~3ull, 0, 0);
        if (error != UC_ERR_OK) {
            uint64_t pc = core->step.insn == NULL ? core->pc : core->step.insn->pc;
            fprintf(stderr, "tracer: core %u at 0x%llx: %s\n", core->index, (unsigned long long)pc,
                    uc_strerror(error));
            return false;
        }
    }
    return !m->failed;
}
