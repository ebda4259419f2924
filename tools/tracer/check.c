#include "check.h"

#include "machine.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    bool is_valid;
    uint64_t value[REG_COUNT][2];
} snapshot_t;

static snapshot_t snapshots[CORES_MAX];

static bool covers(const insn_t *in, unsigned reg, bool is_a64)
{
    for (unsigned i = 0; i < in->write_count; i++) {
        unsigned w = in->writes[i].reg;
        bool is_same = w == reg;
        if (!is_a64 && reg >= REG_V0 && reg < REG_V0 + 32) {
            unsigned d = reg - REG_V0; // changes of s and q registers are visible in d registers,
                                       // too
            is_same = is_same || (w >= REG_S0 && w < REG_S0 + 32 && (w - REG_S0) / 2 == d) ||
                      (w >= REG_Q0 && w < REG_Q0 + 16 && w - REG_Q0 == d / 2);
        }
        if (is_same) {
            return true;
        }
    }
    return false;
}

static bool is_checked(unsigned reg, bool is_a64)
{
    return is_a64 ? reg < REG_S0 || reg == REG_CPSR : reg < REG_S0;
}

bool check_step(core_t *core)
{
    const insn_t *in = core->step.insn;
    bool is_a64 = core->machine->cache.is_a64;
    snapshot_t *old = &snapshots[core->index];
    // A change of mode switches to another bank of registers. Exceptions are only checked up to
    // that.
    bool compares =
        old->is_valid && !in->changes_mode && in->kind != KIND_SVC && in->kind != KIND_SEMIHOST;
    for (unsigned reg = 0; reg < REG_COUNT; reg++) {
        uint64_t value[2];
        if (!is_checked(reg, is_a64) || regs_unicorn_id(is_a64, reg) == 0) {
            continue;
        }
        core_read_reg(core, reg, value);
        bool differs = memcmp(value, old->value[reg], sizeof value) != 0;
        if (compares && differs && !(core->step.passed && covers(in, reg, is_a64))) {
            fprintf(stderr, "tracer: register %u changed at 0x%llx by %.*s", reg,
                    (unsigned long long)in->pc, in->tail_bytes, in->tail);
            return false;
        }
        memcpy(old->value[reg], value, sizeof value);
    }
    old->is_valid = true;
    return true;
}

void check_forget(const core_t *core)
{
    snapshots[core->index].is_valid = false;
}
