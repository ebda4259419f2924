// The registers of Arm cores in GDB.
#include "arch/arm/arm.h"
#include "arch/arm/isa.h"

static const struct gdb_names aarch64_core[] = {
    {"x", 31, 64, 0, "", "x"},
    {"sp", 0, 64, 0, " type=\"data_ptr\"", "sp"},
    {"pc", 0, 64, 0, " type=\"code_ptr\"", "pc"},
    {"cpsr", 0, 32, 0, "", "psr"},
};

static const struct gdb_names aarch64_fpu[] = {
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

// In the place of the above where the trace shows vectors of SVE, of which v0 to v31 are parts that
// GDB knows itself. FFR is a register that few traces name.
static const struct gdb_names aarch64_sve[] = {
    {"z", 32, 128, 0, " type=\"svev\"", "z"},
    {"fpsr", 0, 32, 0, "", "fpsr"},
    {"fpcr", 0, 32, 0, "", "fpcr"},
    {"p", 16, 16, 0, " type=\"svep\"", "p"},
    {"ffr", 0, 16, 0, " type=\"svep\"", "ffr"},
    {"vg", 0, 64, 0, "", ""},
};

static const char *const sve_types[] = {
    "<vector id=\"svevqu\" type=\"uint128\" count=\"*1\"/>",
    "<vector id=\"svevqs\" type=\"int128\" count=\"*1\"/>",
    "<vector id=\"svevdf\" type=\"ieee_double\" count=\"*2\"/>",
    "<vector id=\"svevdu\" type=\"uint64\" count=\"*2\"/>",
    "<vector id=\"svevds\" type=\"int64\" count=\"*2\"/>",
    "<vector id=\"svevsf\" type=\"ieee_single\" count=\"*4\"/>",
    "<vector id=\"svevsu\" type=\"uint32\" count=\"*4\"/>",
    "<vector id=\"svevss\" type=\"int32\" count=\"*4\"/>",
    "<vector id=\"svevhf\" type=\"ieee_half\" count=\"*8\"/>",
    "<vector id=\"svevhu\" type=\"uint16\" count=\"*8\"/>",
    "<vector id=\"svevhs\" type=\"int16\" count=\"*8\"/>",
    "<vector id=\"svevbu\" type=\"uint8\" count=\"*16\"/>",
    "<vector id=\"svevbs\" type=\"int8\" count=\"*16\"/>",
    "<union id=\"svevnq\"><field name=\"u\" type=\"svevqu\"/>",
    "<field name=\"s\" type=\"svevqs\"/></union>",
    "<union id=\"svevnd\"><field name=\"f\" type=\"svevdf\"/>",
    "<field name=\"u\" type=\"svevdu\"/><field name=\"s\" type=\"svevds\"/></union>",
    "<union id=\"svevns\"><field name=\"f\" type=\"svevsf\"/>",
    "<field name=\"u\" type=\"svevsu\"/><field name=\"s\" type=\"svevss\"/></union>",
    "<union id=\"svevnh\"><field name=\"f\" type=\"svevhf\"/>",
    "<field name=\"u\" type=\"svevhu\"/><field name=\"s\" type=\"svevhs\"/></union>",
    "<union id=\"svevnb\"><field name=\"u\" type=\"svevbu\"/>",
    "<field name=\"s\" type=\"svevbs\"/></union>",
    "<union id=\"svev\"><field name=\"q\" type=\"svevnq\"/>",
    "<field name=\"d\" type=\"svevnd\"/><field name=\"s\" type=\"svevns\"/>",
    "<field name=\"h\" type=\"svevnh\"/><field name=\"b\" type=\"svevnb\"/></union>",
    "<vector id=\"svep\" type=\"uint8\" count=\"*2\"/>",
    NULL,
};

// CPSR is GDB's number 25, after the registers of an old FPU, which take no space here.
static const struct gdb_names arm_core[] = {
    {"r", 13, 32, 0, "", "r"},      {"sp", 0, 32, 0, " type=\"data_ptr\"", "sp"},
    {"lr", 0, 32, 0, "", "lr"},     {"pc", 0, 32, 0, " type=\"code_ptr\"", "pc"},
    {"cpsr", 0, 32, 25, "", "psr"},
};

static const struct gdb_names arm_vfp[] = {
    {"d", 32, 64, 0, " type=\"ieee_double\"", "d"},
    {"fpscr", 0, 32, 0, "", "fpscr"},
};

// The M profile has xpsr in the place of cpsr, and GDB unwinds exceptions by both stack pointers.
static const struct gdb_names m_core[] = {
    {"r", 13, 32, 0, "", "r"},      {"sp", 0, 32, 0, " type=\"data_ptr\"", "sp"},
    {"lr", 0, 32, 0, "", "lr"},     {"pc", 0, 32, 0, " type=\"code_ptr\"", "pc"},
    {"xpsr", 0, 32, 25, "", "psr"},
};

static const struct gdb_names m_system[] = {
    {"msp", 0, 32, 0, " type=\"data_ptr\"", "msp"},
    {"psp", 0, 32, 0, " type=\"data_ptr\"", "psp"},
};

static const char *const no_types[] = {NULL};

static const struct gdb_feature aarch64_features[] = {
    {GDB_FEATURE("org.gnu.gdb.aarch64.core", no_types, aarch64_core)},
    {GDB_FEATURE("org.gnu.gdb.aarch64.fpu", aarch64_types, aarch64_fpu)},
};

static const struct gdb_feature sve_features[] = {
    {GDB_FEATURE("org.gnu.gdb.aarch64.core", no_types, aarch64_core)},
    {GDB_FEATURE("org.gnu.gdb.aarch64.sve", sve_types, aarch64_sve)},
};

static const struct gdb_feature arm_features[] = {
    {GDB_FEATURE("org.gnu.gdb.arm.core", no_types, arm_core)},
    {GDB_FEATURE("org.gnu.gdb.arm.vfp", no_types, arm_vfp)},
};

static const struct gdb_feature m_features[] = {
    {GDB_FEATURE("org.gnu.gdb.arm.m-profile", no_types, m_core)},
    {GDB_FEATURE("org.gnu.gdb.arm.m-system", no_types, m_system)},
    {GDB_FEATURE("org.gnu.gdb.arm.vfp", no_types, arm_vfp)},
};

static const char *const m_stacks[] = {"msp", "psp", NULL};
static const char *const a64_programs[] = {"gdb-multiarch", "aarch64-none-elf-gdb",
                                           "aarch64-linux-gnu-gdb", "aarch64-elf-gdb", NULL};
static const char *const arm_programs[] = {"gdb-multiarch", "arm-none-eabi-gdb",
                                           "arm-linux-gnueabihf-gdb", "arm-gdb", NULL};

static const struct gdb_machine aarch64 = {
    .architecture = "aarch64",
    .features = aarch64_features,
    .feature_count = ARRAY_COUNT(aarch64_features),
    .isas = 1 << ISA_AARCH64,
    .isa = ISA_AARCH64,
    .status = "psr",
    .programs = a64_programs,
};

static const struct gdb_machine aarch64_scaled = {
    .architecture = "aarch64",
    .features = sve_features,
    .feature_count = ARRAY_COUNT(sve_features),
    .isas = 1 << ISA_AARCH64,
    .isa = ISA_AARCH64,
    .is_live_only = true,
    .is_scaled = true,
    .status = "psr",
    .programs = a64_programs,
};

static const struct gdb_machine arm_m = {
    .architecture = "arm",
    .features = m_features,
    .feature_count = ARRAY_COUNT(m_features),
    .isas = 1 << ISA_ARM | 1 << ISA_THUMB,
    .isa = ISA_THUMB,
    .needs = m_stacks,
    .needs_sp = true,
    .is_live_only = true,
    .status = "psr",
    .state_bit = 1 << 24,
    .state_isa = ISA_THUMB,
    .programs = arm_programs,
};

static const struct gdb_machine arm = {
    .architecture = "arm",
    .features = arm_features,
    .feature_count = ARRAY_COUNT(arm_features),
    .isas = 1 << ISA_ARM | 1 << ISA_THUMB,
    .isa = ISA_ARM,
    .needs_sp = true,
    .status = "psr",
    .state_bit = 1 << 5,
    .state_isa = ISA_THUMB,
    .programs = arm_programs,
};

const struct gdb_machine *const arm_gdb[] = {&aarch64_scaled, &aarch64, &arm_m, &arm, NULL};
