#include "arch/riscv/riscv.h"

#include "arch/riscv/references.h"
#include "arch/riscv/registers.h"

#include <elf.h>

_Static_assert(RISCV_64 == ARCH_ISA_64, "the number of the instruction set with 64 bits");

// psABI: s0 to s11 and fs0 to fs11 are preserved. A frame record is below the frame pointer, which
// is the stack pointer at entry: the return address, and below that the frame pointer of the
// caller.
#define FRAMES                                                                                     \
    .machine = EM_RISCV, .chain = CHAIN_RECORD_BELOW, .sp = 2, .fp = 8, .ra = 1, .code_bit_fp = 8, \
    .kept = FRAME_BITS(8, 9) | FRAME_BITS(18, 27) | FRAME_BITS(40, 41) | FRAME_BITS(50, 59)

static const struct arch_frames frames_32 = {FRAMES, .word_bytes = 4};
static const struct arch_frames frames_64 = {FRAMES, .word_bytes = 8};

static const char *const arguments[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", NULL};

#define ISA .least_bytes = 2, .arguments = arguments, .result = "a0"

static const struct arch_group groups[ARCH_GROUPS] = {
    [ARCH_GROUP_CORE] = {.what = "core",
                         .status = "Core regs at line: ",
                         .registers = {{{"x", 32, 0}}, {{"x", 32, 0}}}},
    [ARCH_GROUP_DOUBLE] = {.what = "FP",
                           .status = "FP regs at line: ",
                           .registers = {{{"f", 32, ARCH_FLOAT}}, {{"f", 32, ARCH_FLOAT}}},
                           .wanted = 8},
    [ARCH_GROUP_VECTOR] = {.what = "vector",
                           .status = "Vector regs at line: ",
                           .registers = {{{"v", 32, 0}}, {{"v", 32, 0}}},
                           .wanted = 8},
};

// No value of a link register returns from a trap, which has instructions of its own, and the
// machine puts nothing on a stack. Traps go to mtvec, of which only the alignment is fixed: where
// control broke off, each word may be it. Vectored interrupts have an entry of four bytes each, but
// a table has no bounds that the trace shows, so only an entry itself is known as a vector again.
const struct exception_rules riscv_exceptions = {
    .link_first = 1,
    .link_last = 0,
    .vector_bytes = 4,
    .table_bytes = 4,
    .has_one_stack = true,
    .are_silent = true, // in a commit log
};

// Where a trap returns, by the mode that it was taken to.
static const char *const exception_returns[] = {"mepc", "sepc", "vsepc", "mnepc", NULL};
static const char *const no_registers[] = {"epc", "tval", NULL};

// Address translation tells processes apart.
static bool tells_tasks(const char *name, size_t length, enum task_key_kind *kind)
{
    static const char *const known[] = {"satp", "vsatp", "hgatp"};
    *kind = KEY_OF_SPACE;
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (length == strlen(known[i]) && strncasecmp(name, known[i], length) == 0)
            return true;
    }
    return false;
}

// --- GDB -----------------------------------------------------------------------------------------

static const struct gdb_names core_32[] = {
    {"x", 32, 32, 0, "", "x"},
    {"pc", 0, 32, 0, " type=\"code_ptr\"", "pc"},
};

static const struct gdb_names core_64[] = {
    {"x", 32, 64, 0, "", "x"},
    {"pc", 0, 64, 0, " type=\"code_ptr\"", "pc"},
};

// As GDB counts registers itself.
enum { GDB_FIRST_CSR = 65, GDB_FIRST_VECTOR = GDB_FIRST_CSR + 4097 };

static const struct gdb_names fpu[] = {{"f", 32, 64, 0, " type=\"ieee_double\"", "f"}};

static const struct gdb_names vector[] = {
    {"v", 32, 0, GDB_FIRST_VECTOR, " type=\"riscv_vector\"", "v"}};

static const char *const no_types[] = {NULL};

// As QEMU's stub describes a vector.
static const char *const vector_types[] = {
    "<vector id=\"longs\" type=\"uint64\" count=\"*2\"/>",
    "<vector id=\"words\" type=\"uint32\" count=\"*4\"/>",
    "<vector id=\"shorts\" type=\"uint16\" count=\"*8\"/>",
    "<vector id=\"bytes\" type=\"uint8\" count=\"*16\"/>",
    "<union id=\"riscv_vector\"><field name=\"l\" type=\"longs\"/>",
    "<field name=\"w\" type=\"words\"/><field name=\"s\" type=\"shorts\"/>",
    "<field name=\"b\" type=\"bytes\"/></union>",
    NULL,
};

#define FEATURES(core)                                                                             \
    {                                                                                              \
        {GDB_FEATURE("org.gnu.gdb.riscv.cpu", no_types, core)},                                    \
            {GDB_FEATURE("org.gnu.gdb.riscv.fpu", no_types, fpu)},                                 \
            {.name = "org.gnu.gdb.riscv.csr",                                                      \
             .types = no_types,                                                                    \
             .number_of = riscv_csr_number,                                                        \
             .first_number = GDB_FIRST_CSR},                                                       \
            {GDB_FEATURE("org.gnu.gdb.riscv.vector", vector_types, vector), .is_optional = true},  \
    }

enum { STATIC_FEATURES = 2 }; // in trace files: the core and floating point

static const struct gdb_feature features_32[] = FEATURES(core_32);
static const struct gdb_feature features_64[] = FEATURES(core_64);

static const char *const programs[] = {"gdb-multiarch",         "riscv64-unknown-elf-gdb",
                                       "riscv64-linux-gnu-gdb", "riscv32-unknown-elf-gdb",
                                       "riscv-none-elf-gdb",    NULL};

#define MACHINE(bits, text, count, live)                                                           \
    {                                                                                              \
        .architecture = text, .features = features_##bits, .feature_count = (count),               \
        .isas = 1 << RISCV_##bits, .isa = RISCV_##bits, .is_live_only = (live),                    \
        .programs = programs,                                                                      \
    }

static const struct gdb_machine live_32 = MACHINE(32, "riscv:rv32", ARRAY_COUNT(features_32), true);
static const struct gdb_machine live_64 = MACHINE(64, "riscv:rv64", ARRAY_COUNT(features_64), true);
static const struct gdb_machine file_32 = MACHINE(32, "riscv:rv32", STATIC_FEATURES, false);
static const struct gdb_machine file_64 = MACHINE(64, "riscv:rv64", STATIC_FEATURES, false);

static const struct gdb_machine *const machines[] = {&live_64, &live_32, &file_64, &file_32, NULL};

// --- The row -------------------------------------------------------------------------------------

const struct arch arch_riscv = {
    .core = "a RISC-V core",
    .machines = {EM_RISCV},
    .isas = {[RISCV_32] = {.name = "RV32", .word_bytes = 4, .frames = &frames_32, ISA},
             [RISCV_64] = {.name = "RV64", .word_bytes = 8, .frames = &frames_64, ISA}},
    .exception_returns = exception_returns,
    .exception_returns_isas = 1 << RISCV_32 | 1 << RISCV_64,
    .no_registers = no_registers,
    .tells_tasks = tells_tasks,
    .refer = riscv_refer,
    .exceptions = &riscv_exceptions,
    .groups = groups,
    .gdb = machines,
};
