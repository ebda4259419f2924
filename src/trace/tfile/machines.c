// The registers that GDB has built in for each machine, in the order of a block: what it uses if a
// file has no description of the target, as those in the Common Trace Format, KGTP's and those of
// small stubs. For machines other than the first four, they were taken from `maint print
// remote-registers` of gdb-multiarch 13.
#include "trace/tfile/registers.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

// Consecutive registers of one type. A '*' in a name stands for numbers from `first` on; registers
// called '-' have no name.
struct run {
    const char *names;
    unsigned first, count; // of a name with '*', or '-'
    unsigned size_bytes;   // 0: that of an address
    enum tfile_register_type type;
};

// Lists of registers, one after the other.
enum { LISTS = 3 };
struct list {
    const struct run *runs; // NULL: none
    unsigned first_number;  // in the remote protocol
};

static const struct run x86_64[] = {
    {"rax rbx rcx rdx rsi rdi", 0, 0, 8, TFILE_INTEGER},
    {"rbp rsp", 0, 0, 8, TFILE_DATA},
    {"r8 r9 r10 r11 r12 r13 r14 r15", 0, 0, 8, TFILE_INTEGER},
    {"rip", 0, 0, 8, TFILE_CODE},
    {"eflags", 0, 0, 4, TFILE_VECTOR},
    {"cs ss ds es fs gs", 0, 0, 4, TFILE_INTEGER},
    {"st*", 0, 8, 10, TFILE_FLOAT},
    {"fctrl fstat ftag fiseg fioff foseg fooff fop", 0, 0, 4, TFILE_INTEGER},
    {"xmm*", 0, 16, 16, TFILE_VECTOR},
    {"mxcsr", 0, 0, 4, TFILE_VECTOR},
    {"orig_rax", 0, 0, 8, TFILE_INTEGER},
    {"fs_base gs_base", 0, 0, 8, TFILE_INTEGER},
    {0},
};

static const struct run i386[] = {
    {"eax ecx edx ebx", 0, 0, 4, TFILE_INTEGER},
    {"esp ebp", 0, 0, 4, TFILE_DATA},
    {"esi edi", 0, 0, 4, TFILE_INTEGER},
    {"eip", 0, 0, 4, TFILE_CODE},
    {"eflags", 0, 0, 4, TFILE_VECTOR},
    {"cs ss ds es fs gs", 0, 0, 4, TFILE_INTEGER},
    {"st*", 0, 8, 10, TFILE_FLOAT},
    {"fctrl fstat ftag fiseg fioff foseg fooff fop", 0, 0, 4, TFILE_INTEGER},
    {"xmm*", 0, 8, 16, TFILE_VECTOR},
    {"mxcsr", 0, 0, 4, TFILE_VECTOR},
    {"orig_eax", 0, 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run aarch64[] = {
    {"x*", 0, 31, 8, TFILE_INTEGER},
    {"sp", 0, 0, 8, TFILE_DATA},
    {"pc", 0, 0, 8, TFILE_CODE},
    {"cpsr", 0, 0, 4, TFILE_VECTOR},
    {"v*", 0, 32, 16, TFILE_VECTOR},
    {"fpsr fpcr", 0, 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run arm[] = {
    {"r*", 0, 13, 4, TFILE_INTEGER},
    {"sp", 0, 0, 4, TFILE_DATA},
    {"lr", 0, 0, 4, TFILE_INTEGER},
    {"pc", 0, 0, 4, TFILE_CODE},
    {"f*", 0, 8, 12, TFILE_FLOAT},
    {"fps cpsr", 0, 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run alpha[] = {
    {"v0", 0, 0, 8, TFILE_INTEGER},
    {"t*", 0, 8, 8, TFILE_INTEGER},
    {"s*", 0, 6, 8, TFILE_INTEGER},
    {"fp", 0, 0, 8, TFILE_DATA},
    {"a*", 0, 6, 8, TFILE_INTEGER},
    {"t*", 8, 4, 8, TFILE_INTEGER},
    {"ra t12 at", 0, 0, 8, TFILE_INTEGER},
    {"gp sp", 0, 0, 8, TFILE_DATA},
    {"zero", 0, 0, 8, TFILE_INTEGER},
    {"f*", 0, 31, 8, TFILE_FLOAT},
    {"fpcr", 0, 0, 8, TFILE_INTEGER},
    {"pc", 0, 0, 8, TFILE_CODE},
    {"-", 0, 1, 8, TFILE_INTEGER},
    {"unique", 0, 0, 8, TFILE_INTEGER},
    {0},
};

static const struct run hppa[] = {
    {"flags r1 rp", 0, 0, 4, TFILE_INTEGER},
    {"r*", 3, 24, 4, TFILE_INTEGER},
    {"dp ret0 ret1 sp r31 sar pcoqh pcsqh pcoqt pcsqt eiem iir isr ior ipsw goto sr4", 0, 0, 4,
     TFILE_INTEGER},
    {"sr*", 0, 4, 4, TFILE_INTEGER},
    {"sr5 sr6 sr7 cr0 cr8 cr9 ccr cr12 cr13 cr24 cr25 cr26 mpsfu_high mpsfu_low mpsfu_ovflo pad "
     "fpsr",
     0, 0, 4, TFILE_INTEGER},
    {"fpe*", 1, 7, 4, TFILE_INTEGER},
    {"fr4 fr4R fr5 fr5R fr6 fr6R fr7 fr7R fr8 fr8R fr9 fr9R fr10 fr10R fr11 fr11R fr12 fr12R fr13 "
     "fr13R fr14 fr14R fr15 fr15R fr16 fr16R fr17 fr17R fr18 fr18R fr19 fr19R fr20 fr20R fr21 "
     "fr21R fr22 fr22R fr23 fr23R fr24 fr24R fr25 fr25R fr26 fr26R fr27 fr27R fr28 fr28R fr29 "
     "fr29R fr30 fr30R fr31 fr31R",
     0, 0, 4, TFILE_FLOAT},
    {0},
};

static const struct run ia64[] = {
    {"r*", 0, 32, 8, TFILE_INTEGER},
    {"-", 0, 96, 8, TFILE_INTEGER},
    {"f*", 0, 128, 16, TFILE_VECTOR},
    {"-", 0, 64, 8, TFILE_INTEGER},
    {"b*", 0, 8, 8, TFILE_INTEGER},
    {"vfp vrap pr ip psr cfm", 0, 0, 8, TFILE_INTEGER},
    {"kr*", 0, 8, 8, TFILE_INTEGER},
    {"-", 0, 8, 8, TFILE_INTEGER},
    {"rsc bsp bspstore rnat", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 1, 8, TFILE_INTEGER},
    {"fcr", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 2, 8, TFILE_INTEGER},
    {"eflag csd ssd cflg fsr fir fdr", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 1, 8, TFILE_INTEGER},
    {"ccv", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 3, 8, TFILE_INTEGER},
    {"unat", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 3, 8, TFILE_INTEGER},
    {"fpsr", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 3, 8, TFILE_INTEGER},
    {"itc", 0, 0, 8, TFILE_INTEGER},
    {"-", 0, 19, 8, TFILE_INTEGER},
    {"pfs lc ec", 0, 0, 8, TFILE_INTEGER},
    {0},
};

static const struct run m32r[] = {
    {"r*", 0, 13, 4, TFILE_INTEGER},
    {"fp", 0, 0, 4, TFILE_DATA},
    {"lr", 0, 0, 4, TFILE_INTEGER},
    {"sp", 0, 0, 4, TFILE_DATA},
    {"psw cbr spi spu bpc", 0, 0, 4, TFILE_INTEGER},
    {"pc", 0, 0, 4, TFILE_CODE},
    {"accl acch", 0, 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run m68k[] = {
    {"d*", 0, 8, 4, TFILE_INTEGER},
    {"a*", 0, 6, 4, TFILE_DATA},
    {"fp sp", 0, 0, 4, TFILE_DATA},
    {"ps", 0, 0, 4, TFILE_VECTOR},
    {"pc", 0, 0, 4, TFILE_CODE},
    {"fp*", 0, 8, 12, TFILE_VECTOR},
    {"fpcontrol fpstatus", 0, 0, 4, TFILE_INTEGER},
    {"fpiaddr", 0, 0, 4, TFILE_DATA},
    {0},
};

static const struct run mips[] = {
    {"zero at v0 v1", 0, 0, 0, TFILE_INTEGER},
    {"a*", 0, 4, 0, TFILE_INTEGER},
    {"t*", 0, 8, 0, TFILE_INTEGER},
    {"s*", 0, 8, 0, TFILE_INTEGER},
    {"t8 t9 k0 k1 gp sp s8 ra sr lo hi bad cause", 0, 0, 0, TFILE_INTEGER},
    {"pc", 0, 0, 0, TFILE_CODE},
    {"f*", 0, 32, 0, TFILE_FLOAT},
    {"fsr fir", 0, 0, 0, TFILE_INTEGER},
    {0},
};

static const struct run powerpc[] = {
    {"r*", 0, 32, 0, TFILE_INTEGER},
    {"f*", 0, 32, 8, TFILE_FLOAT},
    {"pc", 0, 0, 0, TFILE_CODE},
    {"msr", 0, 0, 0, TFILE_INTEGER},
    {"cr", 0, 0, 4, TFILE_INTEGER},
    {"lr", 0, 0, 0, TFILE_CODE},
    {"ctr", 0, 0, 0, TFILE_INTEGER},
    {"xer fpscr", 0, 0, 4, TFILE_INTEGER},
    {"vr*", 0, 32, 16, TFILE_VECTOR},
    {"vscr vrsave", 0, 0, 4, TFILE_INTEGER},
    {0},
};

static const struct run riscv[] = {
    {"zero", 0, 0, 0, TFILE_INTEGER},
    {"ra", 0, 0, 0, TFILE_CODE},
    {"sp gp tp", 0, 0, 0, TFILE_DATA},
    {"t0 t1 t2", 0, 0, 0, TFILE_INTEGER},
    {"fp", 0, 0, 0, TFILE_DATA},
    {"s1", 0, 0, 0, TFILE_INTEGER},
    {"a*", 0, 8, 0, TFILE_INTEGER},
    {"s*", 2, 10, 0, TFILE_INTEGER},
    {"t*", 3, 4, 0, TFILE_INTEGER},
    {"pc", 0, 0, 0, TFILE_CODE},
    {0},
};

// RV32E.
static const struct run riscv_embedded[] = {
    {"zero", 0, 0, 0, TFILE_INTEGER},
    {"ra", 0, 0, 0, TFILE_CODE},
    {"sp gp tp", 0, 0, 0, TFILE_DATA},
    {"t0 t1 t2", 0, 0, 0, TFILE_INTEGER},
    {"fp", 0, 0, 0, TFILE_DATA},
    {"s1", 0, 0, 0, TFILE_INTEGER},
    {"a*", 0, 6, 0, TFILE_INTEGER},
    {"pc", 0, 0, 0, TFILE_CODE},
    {0},
};

// These follow if the image passes floating-point numbers in registers of this size.
#define RISCV_FLOATS(size)                                                                         \
    {                                                                                              \
        {"ft*", 0, 8, size, TFILE_FLOAT}, {"fs*", 0, 2, size, TFILE_FLOAT},                        \
            {"fa*", 0, 8, size, TFILE_FLOAT}, {"fs*", 2, 10, size, TFILE_FLOAT},                   \
            {"ft*", 8, 4, size, TFILE_FLOAT}, {0},                                                 \
    }
static const struct run riscv_single[] = RISCV_FLOATS(4), riscv_double[] = RISCV_FLOATS(8);
static const struct run riscv_status[] = {{"fcsr", 0, 0, 4, TFILE_INTEGER}, {0}};

static const struct run s390[] = {
    {"pswm pswa", 0, 0, 0, TFILE_INTEGER},
    {"r*", 0, 16, 0, TFILE_INTEGER},
    {"acr*", 0, 16, 4, TFILE_INTEGER},
    {"fpc", 0, 0, 4, TFILE_INTEGER},
    {"f*", 0, 16, 8, TFILE_FLOAT},
    {"orig_r2", 0, 0, 0, TFILE_INTEGER},
    {0},
};

static const struct run sh[] = {
    {"r*", 0, 16, 4, TFILE_INTEGER},
    {"pc pr gbr vbr mach macl sr", 0, 0, 4, TFILE_INTEGER},
    {"fpul", 0, 0, 4, TFILE_FLOAT},
    {"fpscr", 0, 0, 4, TFILE_INTEGER},
    {"fr*", 0, 16, 4, TFILE_FLOAT},
    {"ssr spc r0b0 r1b0 r2b0 r3b0 r4b0 r5b0 r6b0 r7b0 r0b1 r1b1 r2b1 r3b1 r4b1 r5b1 r6b1 r7b1", 0,
     0, 4, TFILE_INTEGER},
    {0},
};

static const struct run sparc[] = {
    {"g*", 0, 8, 4, TFILE_INTEGER},  {"o*", 0, 6, 4, TFILE_INTEGER},
    {"sp", 0, 0, 4, TFILE_DATA},     {"o7", 0, 0, 4, TFILE_INTEGER},
    {"l*", 0, 8, 4, TFILE_INTEGER},  {"i*", 0, 6, 4, TFILE_INTEGER},
    {"fp", 0, 0, 4, TFILE_DATA},     {"i7", 0, 0, 4, TFILE_INTEGER},
    {"f*", 0, 32, 4, TFILE_FLOAT},   {"y", 0, 0, 4, TFILE_INTEGER},
    {"psr", 0, 0, 4, TFILE_VECTOR},  {"wim tbr", 0, 0, 4, TFILE_INTEGER},
    {"pc npc", 0, 0, 4, TFILE_CODE}, {"fsr", 0, 0, 4, TFILE_VECTOR},
    {"csr", 0, 0, 4, TFILE_INTEGER}, {0},
};

static const struct run sparcv9[] = {
    {"g*", 0, 8, 8, TFILE_INTEGER},
    {"o*", 0, 6, 8, TFILE_INTEGER},
    {"sp", 0, 0, 8, TFILE_DATA},
    {"o7", 0, 0, 8, TFILE_INTEGER},
    {"l*", 0, 8, 8, TFILE_INTEGER},
    {"i*", 0, 6, 8, TFILE_INTEGER},
    {"fp", 0, 0, 8, TFILE_DATA},
    {"i7", 0, 0, 8, TFILE_INTEGER},
    {"f*", 0, 32, 4, TFILE_FLOAT},
    {"f32 f34 f36 f38 f40 f42 f44 f46 f48 f50 f52 f54 f56 f58 f60 f62", 0, 0, 8, TFILE_FLOAT},
    {"pc npc", 0, 0, 8, TFILE_CODE},
    {"state", 0, 0, 8, TFILE_INTEGER},
    {"fsr fprs", 0, 0, 8, TFILE_VECTOR},
    {"y", 0, 0, 8, TFILE_INTEGER},
    {0},
};

// The machines that only an image names.
static const struct other_machine {
    unsigned elf_machine;
    const struct run *runs;
    bool has_dwarf_numbers; // of the first 32 registers; otherwise r7 is number 7
} others[] = {
    {EM_SPARC, sparc, true},    {EM_SPARC32PLUS, sparc, true}, {EM_SPARCV9, sparcv9, true},
    {EM_68K, m68k, true},       {EM_MIPS, mips, true},         {EM_RISCV, riscv, true},
    {EM_ALPHA, alpha, true},    {EM_PARISC, hppa, false},      {EM_PPC, powerpc, false},
    {EM_PPC64, powerpc, false}, {EM_S390, s390, false},        {EM_SH, sh, false},
    {EM_IA_64, ia64, false},    {EM_M32R, m32r, false},
};

static void choose_riscv(const struct tfile_elf *elf, struct list lists[LISTS])
{
    enum { FLOAT_ABI = 6, FLOAT_SINGLE = 2, EMBEDDED = 8 }; // in e_flags; musl does not have them
    bool is_single = (elf->flags & FLOAT_ABI) == FLOAT_SINGLE;
    lists[0].runs = elf->flags & EMBEDDED ? riscv_embedded : riscv;
    if (!(elf->flags & FLOAT_ABI))
        return;
    // For numbers of 16 bytes, GDB takes 8.
    lists[1] = (struct list){is_single ? riscv_single : riscv_double, 33};
    lists[2] = (struct list){riscv_status, 68};
}

// The offset of the next register is in *at.
static bool add(struct tfile_registers *registers, struct arena *arena, const struct run *run,
                const char *name, size_t length, uint32_t *at)
{
    struct tfile_register item = {.type = run->type,
                                  .offset = *at,
                                  .size_bytes =
                                      run->size_bytes ? run->size_bytes : registers->address_bytes,
                                  .number = registers->built_in++};
    *at += item.size_bytes;
    if (*name == '-')
        return true;
    item.name = arena_copy_string(arena, name, length);
    if (!item.name || !VEC_ROOM(&registers->items, 1))
        return false;
    registers->items.items[registers->items.count++] = item;
    return true;
}

// Adds the registers of a list, each at *at.
static bool add_runs(struct tfile_registers *registers, struct arena *arena, const struct run *runs,
                     uint32_t register_bytes, uint32_t *at)
{
    enum { X86_64_WITHOUT_LINUX = 552 }; // without Linux, orig_rax is missing
    for (const struct run *run = runs; run && run->names; run++) {
        if (register_bytes == X86_64_WITHOUT_LINUX && strcmp(run->names, "orig_rax") == 0)
            continue;
        bool is_added = true;
        for (unsigned i = 0; i < run->count; i++) {
            char name[16];
            int length = snprintf(name, sizeof name, "%.*s%u", (int)strcspn(run->names, "*"),
                                  run->names, run->first + i);
            is_added = is_added && add(registers, arena, run, name, (size_t)length, at);
        }
        for (const char *text = run->count ? "" : run->names; *text; text += strspn(text, " ")) {
            size_t length = strcspn(text, " ");
            is_added = is_added && add(registers, arena, run, text, length, at);
            text += length;
        }
        if (!is_added)
            return false;
    }
    return true;
}

// KGTP's blocks end before the floating-point registers.
static enum tfile_machine usual_machine(uint32_t register_bytes)
{
    switch (register_bytes) {
    case 148:
    case 536:
    case 544:
    case 552:
    case 560:
        return TFILE_X86_64;
    case 64:
    case 308:
    case 312:
        return TFILE_I386;
    case 268:
    case 788:
        return TFILE_AARCH64;
    case 168:
        return TFILE_ARM;
    default:
        return TFILE_MACHINE_UNKNOWN;
    }
}

bool tfile_registers_default(struct tfile_registers *registers, enum tfile_machine machine,
                             const struct tfile_elf *elf, uint32_t register_bytes,
                             struct arena *arena)
{
    static const struct {
        const struct run *runs;
        uint32_t address_bytes;
        enum tfile_byte_order byte_order;
    } machines[] = {
        [TFILE_X86_64] = {x86_64, 8, TFILE_LITTLE_ENDIAN},
        [TFILE_I386] = {i386, 4, TFILE_LITTLE_ENDIAN},
        [TFILE_AARCH64] = {aarch64, 8, TFILE_ORDER_UNKNOWN},
        [TFILE_ARM] = {arm, 4, TFILE_ORDER_UNKNOWN},
        [TFILE_OTHER] = {NULL, 8, TFILE_ORDER_UNKNOWN},
    };
    uint32_t at = 0;
    if (machine == TFILE_MACHINE_UNKNOWN)
        machine = usual_machine(register_bytes);
    struct list lists[LISTS] = {{machines[machine].runs, 0}};
    registers->machine = machine;
    registers->address_bytes = machines[machine].address_bytes;
    registers->byte_order = machines[machine].byte_order;
    for (size_t i = 0; i < ARRAY_COUNT(others) && machine == TFILE_OTHER; i++) {
        if (others[i].elf_machine != elf->machine)
            continue;
        lists[0].runs = others[i].runs;
        registers->address_bytes = elf->address_bytes;
        registers->has_dwarf_numbers = others[i].has_dwarf_numbers;
    }
    if (machine == TFILE_OTHER && elf->machine == EM_RISCV)
        choose_riscv(elf, lists);
    for (size_t i = 0; i < LISTS; i++) {
        registers->built_in = lists[i].first_number;
        if (!add_runs(registers, arena, lists[i].runs, register_bytes, &at))
            return false;
    }
    return true;
}
