#include "arch/arm/gdb_target.h"

#include "arch/arm/isa.h"

#include <stdio.h>

// Registers of one feature with the same prefix and numbers from 0, or a single one.
struct run {
    char prefix[6];
    uint8_t count; // 0: a single register, without a number
    uint8_t bits;
    uint8_t number;   // GDB's number of the first; 0: the one after the previous register
    const char *type; // an attribute, or ""
    char ours[6];     // the prefix in a trace
};

struct feature {
    const char *name;
    const char *const *types; // lines that come before its registers; NULL ends them
    const struct run *runs;
    size_t run_count;
};

static const struct run aarch64_core[] = {
    {"x", 31, 64, 0, "", "x"},
    {"sp", 0, 64, 0, " type=\"data_ptr\"", "sp"},
    {"pc", 0, 64, 0, " type=\"code_ptr\"", "pc"},
    {"cpsr", 0, 32, 0, "", "psr"},
};

static const struct run aarch64_fpu[] = {
    {"v", 32, 128, 0, " type=\"aarch64v\"", "v"},
    {"fpsr", 0, 32, 0, "", "fpsr"},
    {"fpcr", 0, 32, 0, "", "fpcr"},
};

// The views of a vector register, as in GDB's own description.
static const char *const aarch64_types[] = {
    "<vector id=\"v2d\" type=\"ieee_double\" count=\"2\"/>",
    "<vector id=\"v2u\" type=\"uint64\" count=\"2\"/>",
    "<vector id=\"v2i\" type=\"int64\" count=\"2\"/>",
    "<vector id=\"v4f\" type=\"ieee_single\" count=\"4\"/>",
    "<vector id=\"v4u\" type=\"uint32\" count=\"4\"/>",
    "<vector id=\"v4i\" type=\"int32\" count=\"4\"/>",
    "<vector id=\"v8u\" type=\"uint16\" count=\"8\"/>",
    "<vector id=\"v8i\" type=\"int16\" count=\"8\"/>",
    "<vector id=\"v16u\" type=\"uint8\" count=\"16\"/>",
    "<vector id=\"v16i\" type=\"int8\" count=\"16\"/>",
    "<vector id=\"v1u\" type=\"uint128\" count=\"1\"/>",
    "<vector id=\"v1i\" type=\"int128\" count=\"1\"/>",
    "<union id=\"vnd\"><field name=\"f\" type=\"v2d\"/>",
    "<field name=\"u\" type=\"v2u\"/><field name=\"s\" type=\"v2i\"/></union>",
    "<union id=\"vns\"><field name=\"f\" type=\"v4f\"/>",
    "<field name=\"u\" type=\"v4u\"/><field name=\"s\" type=\"v4i\"/></union>",
    "<union id=\"vnh\"><field name=\"u\" type=\"v8u\"/><field name=\"s\" type=\"v8i\"/></union>",
    "<union id=\"vnb\"><field name=\"u\" type=\"v16u\"/><field name=\"s\" type=\"v16i\"/></union>",
    "<union id=\"vnq\"><field name=\"u\" type=\"v1u\"/><field name=\"s\" type=\"v1i\"/></union>",
    "<union id=\"aarch64v\"><field name=\"d\" type=\"vnd\"/><field name=\"s\" type=\"vns\"/>",
    "<field name=\"h\" type=\"vnh\"/><field name=\"b\" type=\"vnb\"/>",
    "<field name=\"q\" type=\"vnq\"/></union>",
    NULL,
};

// CPSR is GDB's number 25, after the registers of an old FPU, which take no space here.
static const struct run arm_core[] = {
    {"r", 13, 32, 0, "", "r"},      {"sp", 0, 32, 0, " type=\"data_ptr\"", "sp"},
    {"lr", 0, 32, 0, "", "lr"},     {"pc", 0, 32, 0, " type=\"code_ptr\"", "pc"},
    {"cpsr", 0, 32, 25, "", "psr"},
};

static const struct run arm_vfp[] = {
    {"d", 32, 64, 0, " type=\"ieee_double\"", "d"},
    {"fpscr", 0, 32, 0, "", "fpscr"},
};

// The M profile has xpsr in the place of cpsr, and GDB unwinds exceptions by both stack pointers.
static const struct run m_core[] = {
    {"r", 13, 32, 0, "", "r"},      {"sp", 0, 32, 0, " type=\"data_ptr\"", "sp"},
    {"lr", 0, 32, 0, "", "lr"},     {"pc", 0, 32, 0, " type=\"code_ptr\"", "pc"},
    {"xpsr", 0, 32, 25, "", "psr"},
};

static const struct run m_system[] = {
    {"msp", 0, 32, 0, " type=\"data_ptr\"", "msp"},
    {"psp", 0, 32, 0, " type=\"data_ptr\"", "psp"},
};

static const char *const no_types[] = {NULL};

static const struct feature aarch64_features[] = {
    {"org.gnu.gdb.aarch64.core", no_types, aarch64_core, ARRAY_COUNT(aarch64_core)},
    {"org.gnu.gdb.aarch64.fpu", aarch64_types, aarch64_fpu, ARRAY_COUNT(aarch64_fpu)},
};

static const struct feature arm_features[] = {
    {"org.gnu.gdb.arm.core", no_types, arm_core, ARRAY_COUNT(arm_core)},
    {"org.gnu.gdb.arm.vfp", no_types, arm_vfp, ARRAY_COUNT(arm_vfp)},
};

static const struct feature m_features[] = {
    {"org.gnu.gdb.arm.m-profile", no_types, m_core, ARRAY_COUNT(m_core)},
    {"org.gnu.gdb.arm.m-system", no_types, m_system, ARRAY_COUNT(m_system)},
    {"org.gnu.gdb.arm.vfp", no_types, arm_vfp, ARRAY_COUNT(arm_vfp)},
};

static const struct machine {
    const char *architecture;
    const struct feature *features;
    size_t feature_count;
    uint32_t isa; // for names of registers
    uint32_t thumb_bit;
} machines[] = {
    [GDB_ARM] = {"arm", arm_features, ARRAY_COUNT(arm_features), ISA_ARM, 1 << 5},
    [GDB_ARM_M] = {"arm", m_features, ARRAY_COUNT(m_features), ISA_THUMB, 1 << 24},
    [GDB_AARCH64] = {"aarch64", aarch64_features, ARRAY_COUNT(aarch64_features), ISA_AARCH64, 0},
};

enum gdb_machine gdb_machine_of(const struct trawl_index *index, bool aarch64)
{
    struct trawl_register which;
    if (aarch64)
        return GDB_AARCH64;
    for (size_t i = 0; i < ARRAY_COUNT(m_system); i++) {
        const char *name = m_system[i].ours;
        if (trawl_register_named(index, ISA_THUMB, name, strlen(name), &which, NULL) != TRAWL_OK)
            return GDB_ARM;
    }
    return GDB_ARM_M;
}

// A single register is a run of one.
static unsigned length_of(const struct run *run)
{
    return run->count ? run->count : 1;
}

static void put_name(char text[16], const char *prefix, const struct run *run, unsigned number)
{
    if (run->count)
        snprintf(text, 16, "%s%u", prefix, number);
    else
        snprintf(text, 16, "%s", prefix);
}

// --- The block -----------------------------------------------------------------------------------

static bool add(struct gdb_target *target, const struct trawl_index *index, const char *name,
                const struct run *run, uint32_t isa)
{
    uint32_t next = target->count ? target->registers[target->count - 1].number + 1 : 0;
    struct gdb_register *added = &target->registers[target->count];
    struct trawl_register which;
    ASSERT(target->count < GDB_REGISTERS_MAX);
    if (trawl_register_named(index, isa, name, strlen(name), &which, NULL) != TRAWL_OK)
        return false;
    *added = (struct gdb_register){which.offset, target->block_bytes, run->bits / 8,
                                   run->number ? run->number : next};
    if (which.flags & TRAWL_REGISTER_SP)
        target->sp = target->count;
    else if (which.flags & TRAWL_REGISTER_PC)
        target->pc = target->count;
    else if (strcmp(name, "psr") == 0)
        target->psr = target->count;
    target->block_bytes += run->bits / 8;
    target->count++;
    return true;
}

static bool add_run(struct gdb_target *target, const struct trawl_index *index,
                    const struct run *run, uint32_t isa)
{
    bool is_known = true;
    for (unsigned i = 0; i < length_of(run) && is_known; i++) {
        char name[16];
        put_name(name, run->ours, run, i);
        is_known = add(target, index, name, run, isa);
    }
    return is_known;
}

bool gdb_target_init(struct gdb_target *target, const struct trawl_index *index,
                     enum gdb_machine machine)
{
    const struct machine *about = &machines[machine];
    *target = (struct gdb_target){.thumb_bit = about->thumb_bit};
    for (size_t f = 0; f < about->feature_count; f++) {
        const struct feature *feature = &about->features[f];
        for (size_t r = 0; r < feature->run_count; r++) {
            if (!add_run(target, index, &feature->runs[r], about->isa))
                return false;
        }
        if (f == 0)
            target->core_count = target->count;
    }
    ASSERT(target->block_bytes <= GDB_BLOCK_BYTES_MAX);
    return true;
}

size_t gdb_target_number(const struct gdb_target *target, uint64_t number)
{
    size_t i = 0;
    while (i < target->count && target->registers[i].number != number)
        i++;
    return i;
}

// --- The description -----------------------------------------------------------------------------

static void describe_run(const struct run *run, void (*put)(void *self, const char *line),
                         void *self)
{
    for (unsigned i = 0; i < length_of(run); i++) {
        char name[16], number[24] = "", line[160];
        put_name(name, run->prefix, run, i);
        if (run->number)
            snprintf(number, sizeof number, " regnum=\"%u\"", run->number + i);
        snprintf(line, sizeof line, "<reg name=\"%s\" bitsize=\"%u\"%s%s/>", name, run->bits,
                 run->type, number);
        put(self, line);
    }
}

void gdb_target_describe(enum gdb_machine machine, void (*put)(void *self, const char *line),
                         void *self)
{
    const struct machine *about = &machines[machine];
    char line[80];
    put(self, "<target version=\"1.0\">");
    snprintf(line, sizeof line, "<architecture>%s</architecture>", about->architecture);
    put(self, line);
    for (size_t f = 0; f < about->feature_count; f++) {
        const struct feature *feature = &about->features[f];
        snprintf(line, sizeof line, "<feature name=\"%s\">", feature->name);
        put(self, line);
        for (const char *const *type = feature->types; *type; type++)
            put(self, *type);
        for (size_t r = 0; r < feature->run_count; r++)
            describe_run(&feature->runs[r], put, self);
        put(self, "</feature>");
    }
    put(self, "</target>");
}
