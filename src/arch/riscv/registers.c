#include "arch/riscv/registers.h"

#include "base/characters.h"

#include <stdio.h>

// --- Names of the ABI ----------------------------------------------------------------------------

// Names that begin alike, with ascending numbers.
struct abi_run {
    char prefix[5];
    uint8_t is_single, first, count, number; // number: of the register that the first one is
};

static const struct abi_run names_x[] = {
    {"zero", 1, 0, 1, 0}, {"ra", 1, 0, 1, 1},  {"sp", 1, 0, 1, 2}, {"gp", 1, 0, 1, 3},
    {"tp", 1, 0, 1, 4},   {"fp", 1, 0, 1, 8},  {"t", 0, 0, 3, 5},  {"s", 0, 0, 2, 8},
    {"a", 0, 0, 8, 10},   {"s", 0, 2, 10, 18}, {"t", 0, 3, 4, 28},
};

static const struct abi_run names_f[] = {
    {"ft", 0, 0, 8, 0},   {"fs", 0, 0, 2, 8},  {"fa", 0, 0, 8, 10},
    {"fs", 0, 2, 10, 18}, {"ft", 0, 8, 4, 28},
};

static bool find_abi(const struct abi_run *runs, size_t count, const char *name, size_t length,
                     unsigned *number)
{
    for (size_t i = 0; i < count; i++) {
        const struct abi_run *run = &runs[i];
        const size_t prefix = strlen(run->prefix);
        unsigned index = 0;
        if (length < prefix || memcmp(name, run->prefix, prefix) != 0 ||
            (length == prefix) != run->is_single || length > prefix + 2)
            continue;
        bool is_number = length == prefix + 1 || name[prefix] != '0';
        for (size_t at = prefix; at < length; at++) {
            is_number = is_number && is_digit(name[at]);
            index = index * 10 + (unsigned)(name[at] - '0');
        }
        if (!is_number ||
            (!run->is_single && (index < run->first || index - run->first >= run->count)))
            continue;
        *number = run->number + index - run->first;
        return true;
    }
    return false;
}

bool riscv_abi_x(const char *name, size_t length, unsigned *number)
{
    return find_abi(names_x, ARRAY_COUNT(names_x), name, length, number);
}

bool riscv_abi_f(const char *name, size_t length, unsigned *number)
{
    return find_abi(names_f, ARRAY_COUNT(names_f), name, length, number);
}

// --- Control and status registers ----------------------------------------------------------------

// Registers with ascending numbers: one, or several that begin and end alike.
struct csr_run {
    uint16_t number;
    uint8_t count, first;
    const char *prefix, *suffix;
};

// The privileged specification and those of H, S, V, AIA, CLIC, Sdtrig, Smstateen,
// Smctr, Smrnmi, Zkr, Zcmt, Zicfiss, as simulators name them.
static const struct csr_run csrs[] = {{0x1, 1, 0, "fflags", ""},
                                      {0x2, 1, 0, "frm", ""},
                                      {0x3, 1, 0, "fcsr", ""},
                                      {0x7, 1, 0, "utvt", ""},
                                      {0x8, 1, 0, "vstart", ""},
                                      {0x9, 1, 0, "vxsat", ""},
                                      {0xa, 1, 0, "vxrm", ""},
                                      {0xf, 1, 0, "vcsr", ""},
                                      {0x11, 1, 0, "ssp", ""},
                                      {0x15, 1, 0, "seed", ""},
                                      {0x17, 1, 0, "jvt", ""},
                                      {0x45, 1, 0, "unxti", ""},
                                      {0x46, 1, 0, "uintstatus", ""},
                                      {0x48, 1, 0, "uscratchcsw", ""},
                                      {0x49, 1, 0, "uscratchcswl", ""},
                                      {0x100, 1, 0, "sstatus", ""},
                                      {0x104, 1, 0, "sie", ""},
                                      {0x105, 1, 0, "stvec", ""},
                                      {0x106, 1, 0, "scounteren", ""},
                                      {0x107, 1, 0, "stvt", ""},
                                      {0x10a, 1, 0, "senvcfg", ""},
                                      {0x10c, 4, 0, "sstateen", ""},
                                      {0x114, 1, 0, "sieh", ""},
                                      {0x120, 1, 0, "scountinhibit", ""},
                                      {0x140, 1, 0, "sscratch", ""},
                                      {0x141, 1, 0, "sepc", ""},
                                      {0x142, 1, 0, "scause", ""},
                                      {0x143, 1, 0, "stval", ""},
                                      {0x144, 1, 0, "sip", ""},
                                      {0x145, 1, 0, "snxti", ""},
                                      {0x146, 1, 0, "sintstatus", ""},
                                      {0x148, 1, 0, "sscratchcsw", ""},
                                      {0x149, 1, 0, "sscratchcswl", ""},
                                      {0x14d, 1, 0, "stimecmp", ""},
                                      {0x14e, 1, 0, "sctrctl", ""},
                                      {0x14f, 1, 0, "sctrstatus", ""},
                                      {0x150, 1, 0, "siselect", ""},
                                      {0x151, 1, 0, "sireg", ""},
                                      {0x152, 1, 0, "sireg2", ""},
                                      {0x153, 1, 0, "sireg3", ""},
                                      {0x154, 1, 0, "siph", ""},
                                      {0x155, 3, 4, "sireg", ""},
                                      {0x15c, 1, 0, "stopei", ""},
                                      {0x15d, 1, 0, "stimecmph", ""},
                                      {0x15f, 1, 0, "sctrdepth", ""},
                                      {0x180, 1, 0, "satp", ""},
                                      {0x181, 1, 0, "srmcfg", ""},
                                      {0x183, 1, 0, "spmpen", ""},
                                      {0x193, 1, 0, "spmpenh", ""},
                                      {0x200, 1, 0, "vsstatus", ""},
                                      {0x204, 1, 0, "vsie", ""},
                                      {0x205, 1, 0, "vstvec", ""},
                                      {0x214, 1, 0, "vsieh", ""},
                                      {0x240, 1, 0, "vsscratch", ""},
                                      {0x241, 1, 0, "vsepc", ""},
                                      {0x242, 1, 0, "vscause", ""},
                                      {0x243, 1, 0, "vstval", ""},
                                      {0x244, 1, 0, "vsip", ""},
                                      {0x24d, 1, 0, "vstimecmp", ""},
                                      {0x24e, 1, 0, "vsctrctl", ""},
                                      {0x250, 1, 0, "vsiselect", ""},
                                      {0x251, 1, 0, "vsireg", ""},
                                      {0x252, 1, 0, "vsireg2", ""},
                                      {0x253, 1, 0, "vsireg3", ""},
                                      {0x254, 1, 0, "vsiph", ""},
                                      {0x255, 3, 4, "vsireg", ""},
                                      {0x25c, 1, 0, "vstopei", ""},
                                      {0x25d, 1, 0, "vstimecmph", ""},
                                      {0x280, 1, 0, "vsatp", ""},
                                      {0x300, 1, 0, "mstatus", ""},
                                      {0x301, 1, 0, "misa", ""},
                                      {0x302, 1, 0, "medeleg", ""},
                                      {0x303, 1, 0, "mideleg", ""},
                                      {0x304, 1, 0, "mie", ""},
                                      {0x305, 1, 0, "mtvec", ""},
                                      {0x306, 1, 0, "mcounteren", ""},
                                      {0x307, 1, 0, "mtvt", ""},
                                      {0x308, 1, 0, "mvien", ""},
                                      {0x309, 1, 0, "mvip", ""},
                                      {0x30a, 1, 0, "menvcfg", ""},
                                      {0x30c, 4, 0, "mstateen", ""},
                                      {0x310, 1, 0, "mstatush", ""},
                                      {0x312, 1, 0, "medelegh", ""},
                                      {0x313, 1, 0, "midelegh", ""},
                                      {0x314, 1, 0, "mieh", ""},
                                      {0x316, 1, 0, "mpmpdeleg", ""},
                                      {0x318, 1, 0, "mvienh", ""},
                                      {0x319, 1, 0, "mviph", ""},
                                      {0x31a, 1, 0, "menvcfgh", ""},
                                      {0x31c, 4, 0, "mstateen", "h"},
                                      {0x320, 1, 0, "mcountinhibit", ""},
                                      {0x321, 1, 0, "mcyclecfg", ""},
                                      {0x322, 1, 0, "minstretcfg", ""},
                                      {0x323, 29, 3, "mhpmevent", ""},
                                      {0x340, 1, 0, "mscratch", ""},
                                      {0x341, 1, 0, "mepc", ""},
                                      {0x342, 1, 0, "mcause", ""},
                                      {0x343, 1, 0, "mtval", ""},
                                      {0x344, 1, 0, "mip", ""},
                                      {0x345, 1, 0, "mnxti", ""},
                                      {0x346, 1, 0, "mintstatus", ""},
                                      {0x348, 1, 0, "mscratchcsw", ""},
                                      {0x349, 1, 0, "mscratchcswl", ""},
                                      {0x34a, 1, 0, "mtinst", ""},
                                      {0x34b, 1, 0, "mtval2", ""},
                                      {0x34e, 1, 0, "mctrctl", ""},
                                      {0x350, 1, 0, "miselect", ""},
                                      {0x351, 1, 0, "mireg", ""},
                                      {0x352, 1, 0, "mireg2", ""},
                                      {0x353, 1, 0, "mireg3", ""},
                                      {0x354, 1, 0, "miph", ""},
                                      {0x355, 3, 4, "mireg", ""},
                                      {0x35c, 1, 0, "mtopei", ""},
                                      {0x3a0, 16, 0, "pmpcfg", ""},
                                      {0x3b0, 64, 0, "pmpaddr", ""},
                                      {0x5a8, 1, 0, "scontext", ""},
                                      {0x600, 1, 0, "hstatus", ""},
                                      {0x602, 1, 0, "hedeleg", ""},
                                      {0x603, 1, 0, "hideleg", ""},
                                      {0x604, 1, 0, "hie", ""},
                                      {0x605, 1, 0, "htimedelta", ""},
                                      {0x606, 1, 0, "hcounteren", ""},
                                      {0x607, 1, 0, "hgeie", ""},
                                      {0x608, 1, 0, "hvien", ""},
                                      {0x609, 1, 0, "hvictl", ""},
                                      {0x60a, 1, 0, "henvcfg", ""},
                                      {0x60c, 4, 0, "hstateen", ""},
                                      {0x612, 1, 0, "hedelegh", ""},
                                      {0x613, 1, 0, "hidelegh", ""},
                                      {0x615, 1, 0, "htimedeltah", ""},
                                      {0x618, 1, 0, "hvienh", ""},
                                      {0x61a, 1, 0, "henvcfgh", ""},
                                      {0x61c, 4, 0, "hstateen", "h"},
                                      {0x643, 1, 0, "htval", ""},
                                      {0x644, 1, 0, "hip", ""},
                                      {0x645, 1, 0, "hvip", ""},
                                      {0x646, 1, 0, "hviprio1", ""},
                                      {0x647, 1, 0, "hviprio2", ""},
                                      {0x64a, 1, 0, "htinst", ""},
                                      {0x655, 1, 0, "hviph", ""},
                                      {0x656, 1, 0, "hviprio1h", ""},
                                      {0x657, 1, 0, "hviprio2h", ""},
                                      {0x680, 1, 0, "hgatp", ""},
                                      {0x6a8, 1, 0, "hcontext", ""},
                                      {0x721, 1, 0, "mcyclecfgh", ""},
                                      {0x722, 1, 0, "minstretcfgh", ""},
                                      {0x723, 29, 3, "mhpmevent", "h"},
                                      {0x740, 1, 0, "mnscratch", ""},
                                      {0x741, 1, 0, "mnepc", ""},
                                      {0x742, 1, 0, "mncause", ""},
                                      {0x744, 1, 0, "mnstatus", ""},
                                      {0x747, 1, 0, "mseccfg", ""},
                                      {0x757, 1, 0, "mseccfgh", ""},
                                      {0x7a0, 1, 0, "tselect", ""},
                                      {0x7a1, 3, 1, "tdata", ""},
                                      {0x7a4, 1, 0, "tinfo", ""},
                                      {0x7a5, 1, 0, "tcontrol", ""},
                                      {0x7a8, 1, 0, "mcontext", ""},
                                      {0x7aa, 1, 0, "mscontext", ""},
                                      {0x7b0, 1, 0, "dcsr", ""},
                                      {0x7b1, 1, 0, "dpc", ""},
                                      {0x7b2, 1, 0, "dscratch0", ""},
                                      {0x7b3, 1, 0, "dscratch1", ""},
                                      {0xb00, 1, 0, "mcycle", ""},
                                      {0xb02, 1, 0, "minstret", ""},
                                      {0xb03, 29, 3, "mhpmcounter", ""},
                                      {0xb80, 1, 0, "mcycleh", ""},
                                      {0xb82, 1, 0, "minstreth", ""},
                                      {0xb83, 29, 3, "mhpmcounter", "h"},
                                      {0xc00, 1, 0, "cycle", ""},
                                      {0xc01, 1, 0, "time", ""},
                                      {0xc02, 1, 0, "instret", ""},
                                      {0xc03, 29, 3, "hpmcounter", ""},
                                      {0xc20, 1, 0, "vl", ""},
                                      {0xc21, 1, 0, "vtype", ""},
                                      {0xc22, 1, 0, "vlenb", ""},
                                      {0xc80, 1, 0, "cycleh", ""},
                                      {0xc81, 1, 0, "timeh", ""},
                                      {0xc82, 1, 0, "instreth", ""},
                                      {0xc83, 29, 3, "hpmcounter", "h"},
                                      {0xda0, 1, 0, "scountovf", ""},
                                      {0xdb0, 1, 0, "stopi", ""},
                                      {0xe12, 1, 0, "hgeip", ""},
                                      {0xeb0, 1, 0, "vstopi", ""},
                                      {0xf11, 1, 0, "mvendorid", ""},
                                      {0xf12, 1, 0, "marchid", ""},
                                      {0xf13, 1, 0, "mimpid", ""},
                                      {0xf14, 1, 0, "mhartid", ""},
                                      {0xf15, 1, 0, "mconfigptr", ""},
                                      {0xfb0, 1, 0, "mtopi", ""}};

static const struct csr_run *run_of(unsigned number)
{
    for (size_t i = 0; i < ARRAY_COUNT(csrs); i++) {
        if (number - csrs[i].number < csrs[i].count && number >= csrs[i].number)
            return &csrs[i];
    }
    return NULL;
}

void riscv_csr_name(unsigned number, char name[RISCV_CSR_NAME_BYTES])
{
    const struct csr_run *run = run_of(number & 0xfff);
    if (!run)
        snprintf(name, RISCV_CSR_NAME_BYTES, "csr_%03x", number & 0xfff);
    else if (run->count == 1)
        snprintf(name, RISCV_CSR_NAME_BYTES, "%s", run->prefix);
    else
        snprintf(name, RISCV_CSR_NAME_BYTES, "%s%u%s", run->prefix,
                 run->first + (number & 0xfff) - run->number, run->suffix);
}

bool riscv_csr_number(const char *name, size_t length, unsigned *number)
{
    char each[RISCV_CSR_NAME_BYTES];
    if (length >= sizeof each)
        return false;
    for (size_t i = 0; i < ARRAY_COUNT(csrs); i++) {
        if (memcmp(name, csrs[i].prefix, u64_min(length, strlen(csrs[i].prefix))) != 0)
            continue;
        for (unsigned n = 0; n < csrs[i].count; n++) {
            riscv_csr_name(csrs[i].number + n, each);
            if (strlen(each) == length && memcmp(each, name, length) == 0) {
                *number = csrs[i].number + n;
                return true;
            }
        }
    }
    return false;
}
