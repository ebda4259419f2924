#include "profile_m.h"

#include "check.h"
#include "machine.h"

#include <string.h>

enum {
    // Registers of the system control space, by their offsets.
    SYST_CSR = 0x010,
    NVIC_ISER = 0x100,
    NVIC_IPR = 0x400,
    ICSR = 0xd04,
    VTOR = 0xd08,
    SHPR1 = 0xd18,
};

enum {
    NUMBER_SVCALL = 11,
    NUMBER_PENDSV = 14,
    NUMBER_SYSTICK = 15,
    NUMBER_DEVICE = 16,
    NUMBER_END = 17
};

enum {
    EXC_RETURN_LOWEST = 0xffffffe0,
    EXC_RETURN_THREAD = 8,
    EXC_RETURN_PSP = 4,
    EXC_RETURN_BASE = 0xfffffff1,
    CONTROL_SPSEL = 2,
    PRIORITY_THREAD = 256,
    XPSR_T = 1 << 24,
    XPSR_ALIGNED = 1 << 9,
    STACKED_WORDS = 8,
};

static uint32_t read_word(const core_t *core, uint64_t address)
{
    uint32_t value;
    memcpy(&value, ram_at(&core->machine->image, address), sizeof value);
    return value;
}

static uint32_t scs_word(const core_t *core, unsigned offset)
{
    uint32_t value;
    memcpy(&value, core->machine->scs + offset, sizeof value);
    return value;
}

static uint32_t read_special(const core_t *core, int id)
{
    uint32_t value = 0;
    uc_reg_read(core->uc, id, &value);
    return value;
}

static void use_psp(core_t *core, bool uses_psp)
{
    uint32_t control = read_special(core, UC_ARM_REG_CONTROL);
    control = uses_psp ? control | CONTROL_SPSEL : control & ~(uint32_t)CONTROL_SPSEL;
    uc_reg_write(core->uc, UC_ARM_REG_CONTROL, &control);
}

bool profile_m_open(core_t *core)
{
    const image_t *image = &core->machine->image;
    core->pc = read_word(core, image->text_start + 4);
    core_write_reg(core, REG_SP, read_word(core, image->text_start));
    uint32_t vectors = (uint32_t)image->text_start;
    memcpy(core->machine->scs + VTOR, &vectors, sizeof vectors);
    core->m.device_at_count =
        core->machine->options.device_every == 0 ? UINT64_MAX : core->machine->options.device_every;
    return (core->pc & 1) != 0;
}

// --- Priorities ----------------------------------------------------------------------------------

static unsigned priority_of(const core_t *core, unsigned number)
{
    const uint8_t *scs = core->machine->scs;
    return number >= NUMBER_DEVICE ? scs[NVIC_IPR + number - NUMBER_DEVICE]
                                   : scs[SHPR1 + number - 4];
}

static unsigned priority_now(const core_t *core)
{
    unsigned priority = PRIORITY_THREAD;
    for (unsigned i = 0; i < core->m.depth; i++) {
        unsigned p = priority_of(core, core->m.active[i]);
        priority = p < priority ? p : priority;
    }
    unsigned base = read_special(core, UC_ARM_REG_BASEPRI);
    priority = base != 0 && base < priority ? base : priority;
    return (read_special(core, UC_ARM_REG_PRIMASK) & 1) != 0 ? 0 : priority;
}

static void let_time_pass(core_t *core)
{
    profile_m_t *m = &core->m;
    if (core->insn_count >= core->irq_at_count) {
        core->irq_at_count += core->machine->options.irq_every;
        bool is_on = (scs_word(core, SYST_CSR) & 3) == 3;
        m->pending |= is_on ? 1u << NUMBER_SYSTICK : 0;
    }
    if (core->insn_count >= m->device_at_count) {
        m->device_at_count += core->machine->options.device_every;
        bool is_on = (scs_word(core, NVIC_ISER) & 1) != 0;
        m->pending |= is_on ? 1u << NUMBER_DEVICE : 0;
    }
}

unsigned profile_m_due(core_t *core)
{
    let_time_pass(core);
    if (core->m.pending == 0) {
        return 0;
    }
    unsigned best = 0;
    unsigned limit = priority_now(core);
    for (unsigned number = NUMBER_SVCALL; number < NUMBER_END; number++) {
        if ((core->m.pending >> number & 1) != 0 && priority_of(core, number) < limit) {
            best = number;
            limit = priority_of(core, number);
        }
    }
    return best;
}

void profile_m_write(core_t *core, uint64_t address, uint32_t value)
{
    if (address == SCS_BASE + ICSR) {
        core->m.pending |= (value >> 28 & 1) << NUMBER_PENDSV | (value >> 26 & 1) << NUMBER_SYSTICK;
    }
}

void profile_m_pend_svc(core_t *core)
{
    core->m.pending |= 1u << NUMBER_SVCALL;
}

// --- Entry ---------------------------------------------------------------------------------------

static uint64_t vector_of(const core_t *core, unsigned number)
{
    return read_word(core, scs_word(core, VTOR) + 4 * number);
}

static const unsigned stacked_registers[] = {0, 1, 2, 3, 12, REG_LR32};

// Writes the frame below SP; `frame` becomes a copy.
static uint32_t stack_frame(core_t *core, uint64_t resume, uint32_t frame[STACKED_WORDS])
{
    uint32_t sp = (uint32_t)core_sp(core);
    uint32_t at = (sp - 4 * STACKED_WORDS) & ~7u;
    for (unsigned i = 0; i < 6; i++) {
        uint64_t value[2];
        core_read_reg(core, stacked_registers[i], value);
        frame[i] = (uint32_t)value[0];
    }
    frame[6] = (uint32_t)resume;
    frame[7] = profile_m_psr(core) | ((sp & 4) != 0 ? (uint32_t)XPSR_ALIGNED : 0);
    memcpy(ram_at(&core->machine->image, at), frame, 4 * STACKED_WORDS);
    return at;
}

static void go_to_vector(core_t *core, unsigned number, uint32_t exc_return)
{
    profile_m_t *m = &core->m;
    m->pending &= ~(1u << number);
    m->active[m->depth++] = number;
    core_write_reg(core, REG_LR32, exc_return);
    core->pc = vector_of(core, number);
    core_update_mode(core);
    check_forget(core);
}

bool profile_m_enter(core_t *core)
{
    profile_m_t *m = &core->m;
    unsigned number = profile_m_due(core);
    if (number == 0 || m->depth == M_DEPTH_MAX) {
        return false;
    }
    uint64_t resume = core->pc & ~1ull;
    uint64_t sp_before = core_sp(core);
    bool from_psp = (read_special(core, UC_ARM_REG_CONTROL) & CONTROL_SPSEL) != 0;
    exception_m_t e = {.number = number, .from_psp = from_psp};
    e.frame_at = stack_frame(core, resume, e.frame);
    e.exc_return = EXC_RETURN_BASE | (m->depth == 0 ? (uint32_t)EXC_RETURN_THREAD : 0) |
                   (from_psp ? (uint32_t)EXC_RETURN_PSP : 0);
    core_write_reg(core, REG_SP, e.frame_at);
    use_psp(core, false);
    go_to_vector(core, number, e.exc_return);
    e.target = core->pc & ~1ull;
    out_t *out = &core->machine->out;
    if (!out_commit(out, style_it_enter_m(core, &e, out->end))) {
        core->machine->stopping = true;
    }
    stacks_exception(core, e.target, resume, sp_before);
    return true;
}

// --- Return --------------------------------------------------------------------------------------

// The registers that POP, LDM SP! or LDR PC, [SP], #4 load, or 0.
static uint32_t popped_registers(const insn_t *in)
{
    if (in->size_bytes == 2) {
        return (in->bits & 0xff00) == 0xbd00 ? 0x8000 | (in->bits & 0xff) : 0;
    }
    if (in->bits == 0xf85dfb04) {
        return 0x8000;
    }
    return (in->bits & 0xffff8000) == 0xe8bd8000 ? in->bits & 0xffff : 0;
}

static void pop_registers(core_t *core, uint32_t list, uint32_t sp)
{
    step_t *s = &core->step;
    for (unsigned reg = 0; reg < 16; reg++) {
        if ((list >> reg & 1) == 0) {
            continue;
        }
        uint32_t value = read_word(core, sp);
        s->accesses[s->access_count++] = (access_t){.address = sp, .value = {value}, .bytes = 4};
        if (reg < 15) {
            core_write_reg(core, reg, value);
        }
        sp += 4;
    }
    core_write_reg(core, REG_SP, sp);
}

bool profile_m_leaves(core_t *core, const insn_t *in, uint32_t *exc_return)
{
    uint64_t value[2] = {0, 0};
    uint32_t list = popped_registers(in);
    uint32_t sp = (uint32_t)core_sp(core);
    if (list != 0) {
        value[0] = read_word(core, sp + 4 * ((uint32_t)__builtin_popcount(list) - 1));
    } else if (in->size_bytes == 2 && (in->bits & 0xff87) == 0x4700) {
        core_read_reg(core, in->bits >> 3 & 15, value);
    }
    if (value[0] < EXC_RETURN_LOWEST) {
        return false;
    }
    if (list != 0) {
        pop_registers(core, list, sp);
    }
    *exc_return = (uint32_t)value[0];
    return true;
}

static bool chain(core_t *core, unsigned number, uint32_t exc_return)
{
    exception_m_t e = {.number = number, .is_chained = true, .exc_return = exc_return};
    go_to_vector(core, number, exc_return);
    e.target = core->pc & ~1ull;
    out_t *out = &core->machine->out;
    if (!out_commit(out, style_it_enter_m(core, &e, out->end))) {
        core->machine->stopping = true;
    }
    stacks_exception_chained(core, e.target);
    return true;
}

bool profile_m_return(core_t *core, uint32_t exc_return)
{
    profile_m_t *m = &core->m;
    if (m->depth == 0) {
        return false;
    }
    m->depth--;
    unsigned next = profile_m_due(core);
    if (next != 0) {
        return chain(core, next, exc_return);
    }
    exception_m_t e = {.from_psp = (exc_return & EXC_RETURN_PSP) != 0};
    use_psp(core, e.from_psp);
    e.frame_at = (uint32_t)core_sp(core);
    memcpy(e.frame, ram_at(&core->machine->image, e.frame_at), sizeof e.frame);
    for (unsigned i = 0; i < 6; i++) {
        core_write_reg(core, stacked_registers[i], e.frame[i]);
    }
    core_write_reg(core, REG_SP,
                   e.frame_at + 4 * STACKED_WORDS + ((e.frame[7] & XPSR_ALIGNED) != 0 ? 4 : 0));
    uint32_t flags = e.frame[7] & 0xf8000000;
    uc_reg_write(core->uc, UC_ARM_REG_APSR_NZCVQ, &flags);
    core->pc = e.frame[6] | 1;
    core_update_mode(core);
    check_forget(core);
    out_t *out = &core->machine->out;
    if (!out_commit(out, style_it_return_m(core, &e, out->end))) {
        core->machine->stopping = true;
    }
    stacks_exception_return(core, e.frame[6], core_sp(core), (exc_return & EXC_RETURN_THREAD) != 0);
    return true;
}

// --- State ---------------------------------------------------------------------------------------

bool profile_m_uses_psp(const core_t *core)
{
    return core->m.depth == 0 && (read_special(core, UC_ARM_REG_CONTROL) & CONTROL_SPSEL) != 0;
}

uint32_t profile_m_psr(const core_t *core)
{
    uint64_t value[2];
    core_read_reg(core, REG_CPSR, value);
    uint32_t number = core->m.depth == 0 ? 0 : core->m.active[core->m.depth - 1];
    return (uint32_t)(value[0] & 0xf8000000) | XPSR_T | number;
}
