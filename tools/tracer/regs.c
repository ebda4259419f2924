#include "regs.h"

#include <capstone/capstone.h>
#include <unicorn/unicorn.h>

static int unicorn_id_a64(unsigned reg)
{
    if (reg <= 28) {
        return UC_ARM64_REG_X0 + (int)reg;
    }
    if (reg >= REG_V0 && reg < REG_V0 + 32) {
        return UC_ARM64_REG_Q0 + (int)(reg - REG_V0);
    }
    switch (reg) {
    case 29:
        return UC_ARM64_REG_X29;
    case 30:
        return UC_ARM64_REG_X30;
    case REG_SP:
        return UC_ARM64_REG_SP;
    case REG_CPSR:
        return UC_ARM64_REG_PSTATE;
    case REG_FPCR:
        return UC_ARM64_REG_FPCR;
    case REG_FPSR:
        return UC_ARM64_REG_FPSR;
    default:
        return 0;
    }
}

static int unicorn_id_a32(unsigned reg)
{
    if (reg <= 12) {
        return UC_ARM_REG_R0 + (int)reg;
    }
    if (reg >= REG_V0 && reg < REG_V0 + 32) {
        return UC_ARM_REG_D0 + (int)(reg - REG_V0);
    }
    if (reg >= REG_S0 && reg < REG_S0 + 32) {
        return UC_ARM_REG_S0 + (int)(reg - REG_S0);
    }
    switch (reg) {
    case REG_LR32:
        return UC_ARM_REG_LR;
    case REG_SP:
        return UC_ARM_REG_SP;
    case REG_CPSR:
        return UC_ARM_REG_CPSR;
    case REG_FPSR:
        return UC_ARM_REG_FPSCR;
    default:
        return 0;
    }
}

int regs_unicorn_id(bool is_a64, unsigned reg)
{
    return is_a64 ? unicorn_id_a64(reg) : unicorn_id_a32(reg);
}

typedef struct {
    unsigned first, count;
    uint8_t reg, bytes;
} capstone_range_t;

// Writes of less than four bytes of a vector register are shown as s registers: they clear the rest
// of the register anyway.
static const capstone_range_t ranges_a64[] = {
    {ARM64_REG_X0, 29, REG_X0, 8},    {ARM64_REG_X29, 1, 29, 8},
    {ARM64_REG_X30, 1, REG_LR64, 8},  {ARM64_REG_W0, 31, REG_X0, 4},
    {ARM64_REG_SP, 1, REG_SP, 8},     {ARM64_REG_WSP, 1, REG_SP, 8},
    {ARM64_REG_Q0, 32, REG_V0, 16},   {ARM64_REG_V0, 32, REG_V0, 16},
    {ARM64_REG_D0, 32, REG_V0, 8},    {ARM64_REG_S0, 32, REG_V0, 4},
    {ARM64_REG_H0, 32, REG_V0, 4},    {ARM64_REG_B0, 32, REG_V0, 4},
    {ARM64_REG_NZCV, 1, REG_CPSR, 4},
};

static const capstone_range_t ranges_a32[] = {
    {ARM_REG_R0, 13, REG_X0, 4},    {ARM_REG_LR, 1, REG_LR32, 4},    {ARM_REG_SP, 1, REG_SP, 4},
    {ARM_REG_D0, 32, REG_V0, 8},    {ARM_REG_S0, 32, REG_S0, 4},     {ARM_REG_Q0, 16, REG_Q0, 16},
    {ARM_REG_CPSR, 1, REG_CPSR, 4}, {ARM_REG_FPSCR, 1, REG_FPSR, 4},
};

unsigned regs_from_capstone(bool is_a64, unsigned capstone_reg, unsigned *bytes)
{
    const capstone_range_t *ranges = is_a64 ? ranges_a64 : ranges_a32;
    size_t count = is_a64 ? sizeof ranges_a64 / sizeof *ranges : sizeof ranges_a32 / sizeof *ranges;
    for (size_t i = 0; i < count; i++) {
        unsigned offset = capstone_reg - ranges[i].first;
        if (capstone_reg >= ranges[i].first && offset < ranges[i].count) {
            *bytes = ranges[i].bytes;
            return ranges[i].reg + offset;
        }
    }
    return REG_COUNT;
}
