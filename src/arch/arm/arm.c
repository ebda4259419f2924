#include "arch/arm/arm.h"

#include "arch/arm/isa.h"
#include "arch/arm/registers.h"

#include <elf.h>

_Static_assert(ISA_AARCH64 == ARCH_ISA_64, "the number of the instruction set with 64 bits");

// AAPCS64: x18 is that of the platform; x19 to x28 and the frame pointer are preserved.
static const char *const translation_controls[] = {"tcr_el1", "tcr_el2", "tcr_el3", NULL};

const struct arch_frames frames_aarch64 = {
    .machine = EM_AARCH64,
    .word_bytes = 8,
    .chain = CHAIN_RECORD,
    .sp = 31,
    .fp = 29,
    .ra = 30,
    .code_bit_fp = 29,
    .kept = FRAME_BITS(18, 29),
    .is_signed = true,
    .address_sizes = translation_controls,
};

// T32's frame pointer is r7, A32's r11. After reset, LR of the M profile has all bits set.
const struct arch_frames frames_arm = {
    .machine = EM_ARM,
    .word_bytes = 4,
    .chain = CHAIN_EITHER,
    .sp = 13,
    .fp = 11,
    .ra = 14,
    .code_bit_fp = 7,
    .kept = FRAME_BITS(4, 11),
    .has_code_bit = true,
    .has_ones_at_reset = true,
};

static const char *const arguments32[] = {"r0", "r1", "r2", "r3", NULL};
static const char *const arguments64[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", NULL};

// AAPCS64: x0 to x7, v0 to v7, x8 for a result in memory.
static const struct call_rules calls_aarch64 = {
    .machine = EM_AARCH64,
    .word_bytes = 8,
    .integers = 8,
    .first_vector = 64,
    .vectors = 8,
    .by_reference = 16,
    .result_bytes = 16,
    .sp = 31,
    .result_pointer = 8,
};

// AAPCS32: r0 to r3, s0 to s15 if floating point is passed in its registers, which flags of the
// image say (EF_ARM_ABI_FLOAT_HARD and SOFT).
static const struct call_rules calls_arm = {
    .machine = EM_ARM,
    .word_bytes = 4,
    .integers = 4,
    .first_vector = 64,
    .vectors = 16,
    .vector_bytes = 4,
    .result_bytes = 4,
    .sp = 13,
    .takes_pointer = true,
    .fills_gaps = true,
    .splits = true,
    .has_integer_variadics = true,
    .hard_float = 0x400,
    .soft_float = 0x200,
};

static const struct arch_numbers numbers_aarch64[] = {{64, 32, "v"}, {0}};
static const struct arch_numbers numbers_arm[] = {{64, 32, "s"}, {256, 32, "d"}, {0}};

#define A32_OR_T32                                                                                 \
    .state = "AArch32", .word_bytes = 4, .has_code_bit = true, .arguments = arguments32,           \
    .result = "r0", .frames = &frames_arm, .calls = &calls_arm, .numbers = numbers_arm

#define FLAGS ARCH_FLAGS
#define FLOAT ARCH_FLOAT

static const struct arch_group groups[ARCH_GROUPS] = {
    [ARCH_GROUP_CORE] = {.what = "core",
                         .status = "Core regs at line: ",
                         .registers = {{{"r", 15, 0}, {"psr", 0, FLAGS}},
                                       {{"x", 31, 0}, {"xsp", 0, 0}, {"psr", 0, FLAGS}}}},
    [ARCH_GROUP_SINGLE] = {.what = "FP single",
                           .status = "FP single regs at line: ",
                           .registers = {{{"s", 32, FLOAT}}, {{"s", 32, FLOAT}}},
                           .wanted = 8},
    [ARCH_GROUP_DOUBLE] = {.what = "FP double",
                           .status = "FP double regs at line: ",
                           .registers = {{{"d", 32, FLOAT}}, {{"d", 32, FLOAT}}},
                           .wanted = 4},
    [ARCH_GROUP_VECTOR] = {.what = "NEON vector",
                           .status = "NEON vector regs at line ",
                           .registers = {{{"q", 16, 0}}, {{"q", 32, 0}}},
                           .wanted = 8},
    [ARCH_GROUP_OTHER_VECTOR] = {.what = "MVE vector",
                                 .status = "MVE vector regs at line: ",
                                 .registers = {{{"q", 8, 0}, {"vpr", 0, ARCH_MASK}},
                                               {{"q", 8, 0}, {"vpr", 0, ARCH_MASK}}},
                                 .wanted = 9},
};

// An exception of the M profile puts 8 registers on the stack of a thread, with those of floating
// point 26, with those that TrustZone adds 52, and a word to align them. Vectors of A64 are tables
// with entries of 128 bytes; those of A32 are at the bottom or the top.
const struct exception_rules arm_exceptions = {
    .link_first = EXC_RETURN,
    .link_last = UINT32_MAX,
    .link_to_thread = EXC_RETURN_THREAD,
    .link_to_process = EXC_RETURN_SPSEL,
    .link_without_fp = EXC_RETURN_NO_FP,
    .stacked_bytes = 0x20,
    .stacked_with_fp_bytes = 0x68,
    .stacked_most_bytes = 0xd4,
    .gate_encoding = 0xe97fe97f, // SG
    .vector_bytes = 0x80,
    .table_bytes = 0x800,
    .low_vectors_end = 0x20,
    .interrupt_entries = 0xee,                              // A64: all but the synchronous ones
    .interrupt_words = 0xc0,                                // A32: IRQ and FIQ
    .link_distances = {[3] = 4, [4] = 8, [6] = 4, [7] = 4}, // aborts and interrupts of A32
};

const char *const arm_exception_returns[] = {"elr_el1", "elr_el2", "elr_el3", NULL};

static const char *const syndromes[] = {"esr_el1", "esr_el2", "esr_el3", NULL};
static const char *const fault_addresses[] = {"far_el1", "far_el2", "far_el3", NULL};

// Classes of exceptions (ESR_ELx.EC).
static const struct arch_cause exception_classes[] = {
    {0x00, 0x00, false, false, "unknown instruction"},
    {0x01, 0x01, false, false, "WFI or WFE"},
    {0x07, 0x07, false, false, "access to floating point"},
    {0x0d, 0x0d, false, false, "branch target"},
    {0x0e, 0x0e, false, false, "illegal state"},
    {0x11, 0x11, true, false, "syscall"},
    {0x12, 0x12, false, false, "hypervisor call"},
    {0x13, 0x13, false, false, "secure monitor call"},
    {0x15, 0x15, true, false, "syscall"},
    {0x16, 0x16, false, false, "hypervisor call"},
    {0x17, 0x17, false, false, "secure monitor call"},
    {0x18, 0x18, false, false, "access to a system register"},
    {0x19, 0x19, false, false, "access to SVE"},
    {0x1c, 0x1c, false, false, "pointer authentication"},
    {0x20, 0x21, false, true, "page fault of an instruction"},
    {0x22, 0x22, false, true, "misaligned PC"},
    {0x24, 0x25, false, true, "page fault"},
    {0x26, 0x26, false, false, "misaligned SP"},
    {0x2c, 0x2c, false, false, "floating point"},
    {0x30, 0x31, false, false, "hardware breakpoint"},
    {0x32, 0x33, false, false, "single step"},
    {0x34, 0x35, false, true, "watchpoint"},
    {0x38, 0x38, false, false, "breakpoint instruction"},
    {0x3c, 0x3c, false, false, "breakpoint instruction"},
    {0, 0, false, false, NULL},
};

static const struct arch_causes exception_causes = {
    .registers = syndromes,
    .addresses = fault_addresses,
    .mask = 0x3f,
    .shift = 26,
    .numbers = {"r7", "x8"},
    .causes = exception_classes,
};

// What kernels use for their tasks, and any other system register of an exception level.
static bool tells_tasks(const char *name, size_t length, enum task_key_kind *kind)
{
    static const struct {
        const char *start;
        enum task_key_kind kind;
    } known[] = {{"TTBR", KEY_OF_SPACE},       {"VTTBR", KEY_OF_SPACE},
                 {"CONTEXTIDR", KEY_OF_SPACE}, {"TPIDR", KEY_OF_VARIABLE},
                 {"FCSEIDR", KEY_OF_VARIABLE}, {"SP_EL0", KEY_OF_VARIABLE}};
    *kind = KEY_OF_VARIABLE;
    if (length == strlen("SP_EL0") && strncasecmp(name, "SP_EL0", length) == 0) {
        *kind = KEY_OF_KERNEL;
        return true;
    }
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        const size_t start = strlen(known[i].start);
        if (length < start || strncasecmp(name, known[i].start, start) != 0)
            continue;
        *kind = known[i].kind;
        return true;
    }
    return length > 4 && strncasecmp(name + length - 4, "_EL", 3) == 0;
}

const struct arch arch_arm = {
    .core = "an Arm core",
    .machines = {EM_AARCH64, EM_ARM},
    .isas = {[ISA_ARM] = {.name = "A32", .least_bytes = 4, A32_OR_T32},
             [ISA_THUMB] = {.name = "T32", .least_bytes = 2, A32_OR_T32},
             [ISA_AARCH64] = {.name = "A64",
                              .state = "AArch64",
                              .word_bytes = 8,
                              .least_bytes = 4,
                              .arguments = arguments64,
                              .result = "x0",
                              .frames = &frames_aarch64,
                              .calls = &calls_aarch64,
                              .numbers = numbers_aarch64}},
    .code_bits = 1,
    .banked_cells = BANKED_CELLS,
    .exception_returns = arm_exception_returns,
    .exception_returns_isas = 1 << ISA_AARCH64,
    .tells_tasks = tells_tasks,
    .refer = arm_refer,
    .exceptions = &arm_exceptions,
    .causes = &exception_causes,
    .groups = groups,
    .gdb = arm_gdb,
};
