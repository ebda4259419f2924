#include "arch/requests.h"

#include <elf.h>

// Of Arm's M profile (Armv8-M Architecture Reference Manual, B11 and D1.2): every core sees its own
// registers at these addresses. A store of 0 to a bit does nothing.
//
// Not here: GICs, at addresses that only a board knows, whose handlers learn the number of their
// interrupt by reading it, and the harts of RISC-V, where one handler serves all interrupts.
static const struct arch_request nvic[] = {
    {"ICSR.NMIPENDSET", 0xe000ed04, 1, UINT32_C(1) << 31, 2 - 31, false},
    {"ICSR.NMIPENDCLR", 0xe000ed04, 1, UINT32_C(1) << 30, 2 - 30, true},
    {"ICSR.PENDSVSET", 0xe000ed04, 1, UINT32_C(1) << 28, 14 - 28, false},
    {"ICSR.PENDSVCLR", 0xe000ed04, 1, UINT32_C(1) << 27, 14 - 27, true},
    {"ICSR.PENDSTSET", 0xe000ed04, 1, UINT32_C(1) << 26, 15 - 26, false},
    {"ICSR.PENDSTCLR", 0xe000ed04, 1, UINT32_C(1) << 25, 15 - 25, true},
    {"ISPR", 0xe000e200, 16, UINT32_MAX, 16, false},
    {"ICPR", 0xe000e280, 16, UINT32_MAX, 16, true},
    {"STIR", 0xe000ef00, 1, 0, 16, false},
    {0},
};

static const struct arch_requests of_m_profile = {
    .vectors_at = 0xe000ed08, .vectors = 16 + 480, .rows = nvic};

const struct arch_requests *arch_requests(const struct arch *arch)
{
    return arch->machines[0] == EM_ARM || arch->machines[1] == EM_ARM ? &of_m_profile : NULL;
}
