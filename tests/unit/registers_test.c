// Names of registers, and the values of register lines.
#include "arch/arm/arm.h"
#include "arch/arm/isa.h"
#include "read_line.h"
#include "test.h"

#include <stdio.h>

#define ORDINARY REGISTER_ORDINARY
#define UNKNOWN REGISTER_UNKNOWN

struct known_name {
    const char *name;
    enum register_kind kind;
    uint64_t aarch32, aarch64; // offsets
    uint32_t size_bytes;
};

static struct register_name find(const char *name, enum reading reading)
{
    return register_find(name, strlen(name), reading);
}

static bool is_as_known(const struct known_name *known, enum reading reading)
{
    struct register_name found = find(known->name, reading);
    return found.kind == known->kind &&
           (known->kind == UNKNOWN || (register_offset(&found, false) == known->aarch32 &&
                                       register_offset(&found, true) == known->aarch64 &&
                                       found.size_bytes == known->size_bytes));
}

static void names_in_both_readings(void)
{
    static const struct known_name names[] = {
        {"r0", ORDINARY, 0, 0, 4},
        {"R15", ORDINARY, 0x78, 0x78, 4},
        {"r14_svc", ORDINARY, 0x70, 0x70, 4},
        {"r13_main_s", ORDINARY, 0x68, 0x68, 4},
        {"R8_fiq", ORDINARY, 0x40, 0x40, 4},
        {"r16", UNKNOWN, 0, 0, 0},
        {"w30", ORDINARY, 0xf0, 0xf0, 4},
        {"w31", UNKNOWN, 0, 0, 0},
        {"X30", ORDINARY, 0xf0, 0xf0, 8},
        {"x31", UNKNOWN, 0, 0, 0},
        {"wsp", ORDINARY, 0xf8, 0xf8, 4},
        {"XSP", ORDINARY, 0xf8, 0xf8, 8},
        {"xsp1", UNKNOWN, 0, 0, 0},
        {"v31", ORDINARY, 0x2000, 0x2000, 16},
        {"Q0", ORDINARY, 0x100, 0x100, 16},
        {"d0", ORDINARY, 0x100, 0x100, 8},
        {"d3", ORDINARY, 0x208, 0x400, 8},
        {"d31", ORDINARY, 0x1008, 0x2000, 8},
        {"s5", ORDINARY, 0x204, 0x600, 4},
        {"S31", ORDINARY, 0x80c, 0x2000, 4},
        {"s32", UNKNOWN, 0, 0, 0},
        {"z2", REGISTER_OPEN_SIZE, 0x300, 0x300, 256},
        {"psr", ORDINARY, 0x2300, 0x2300, 4},
        {"CPSR", ORDINARY, 0x2300, 0x2300, 4},
        {"cpsr_svc", ORDINARY, 0x2300, 0x2300, 4},
        {"cpsr", REGISTER_CPSR, 0x2300, 0x2300, 4},
        {"fpscr", ORDINARY, 0x2304, 0x2304, 4},
        {"FPCR", REGISTER_FPCR, 0x2308, 0x2308, 4},
        {"fpsr", ORDINARY, 0x230c, 0x230c, 4},
        {"vpr", ORDINARY, 0x2310, 0x2310, 4},
        {"pc", REGISTER_PC, 0, 0, 0},
        {"msp", ORDINARY, 0x68, 0x68, 4},
        {"MSP_ns", ORDINARY, 0x68, 0x68, 4},
        {"LR_svc", ORDINARY, 0x70, 0x70, 4},
        {"e5", ORDINARY, 0x28, 0x28, 8},
        {"E31", ORDINARY, 0xf8, 0xf8, 8},
        {"psp", UNKNOWN, 0, 0, 0},
        {"xpsr", UNKNOWN, 0, 0, 0},
        {"apsr", UNKNOWN, 0, 0, 0},
        {"elr_hyp", UNKNOWN, 0, 0, 0},
        {"spsr_svc", UNKNOWN, 0, 0, 0},
        {"sp", REGISTER_SP, 0, 0, 0},
        {"SP_EL1", REGISTER_SP, 0, 0, 0},
        {"spx", UNKNOWN, 0, 0, 0},
        {"DC", REGISTER_SYSTEM_OP, 0, 0, 0},
        {"dc", UNKNOWN, 0, 0, 0},
        {"TLBI", REGISTER_SYSTEM_OP, 0, 0, 0},
        {"DCX", UNKNOWN, 0, 0, 0},
        {"", UNKNOWN, 0, 0, 0},
        {"r", UNKNOWN, 0, 0, 0},
        {"0", UNKNOWN, 0, 0, 0},
        {"abcdefg1", UNKNOWN, 0, 0, 0},
        {"x99999999999999999999", UNKNOWN, 0, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!is_as_known(&names[i], READING_TTU) || !is_as_known(&names[i], READING_TRUE))
            test_fail(__FILE__, __LINE__, names[i].name);
    }
}

static void names_by_reading(void)
{
    static const struct known_name ttu[] = {
        {"p15", REGISTER_OPEN_SIZE, 0x21f0, 0x21f0, 16},
        {"lr", ORDINARY, 0x70, 0x70, 4},
        {"fp", UNKNOWN, 0, 0, 0},
        {"ip_svc", UNKNOWN, 0, 0, 0},
    };
    static const struct known_name right[] = {
        {"p15", REGISTER_OPEN_SIZE, 0x22e0, 0x22e0, 32},
        {"lr", ORDINARY, 0x70, 0xf0, 4},
        {"LR_irq", ORDINARY, 0x70, 0x70, 4},
        {"fp", ORDINARY, 0x58, 0xe8, 4},
        {"FP_svc", ORDINARY, 0x58, 0x58, 4},
        {"fp_ctrl", UNKNOWN, 0, 0, 0},
        {"sl", ORDINARY, 0x50, 0x50, 4},
        {"sb_usr", ORDINARY, 0x48, 0x48, 4},
        {"IP", ORDINARY, 0x60, 0x60, 4},
    };
    for (size_t i = 0; i < ARRAY_COUNT(ttu); i++) {
        if (!is_as_known(&ttu[i], READING_TTU))
            test_fail(__FILE__, __LINE__, ttu[i].name);
    }
    for (size_t i = 0; i < ARRAY_COUNT(right); i++) {
        if (!is_as_known(&right[i], READING_TRUE))
            test_fail(__FILE__, __LINE__, right[i].name);
    }
}

static void names_that_only_begin_like_registers(void)
{
    static const struct known_name names[] = {
        {"S3_0_C15_C2_1", ORDINARY, 0x10c, 0x400, 4},
        {"r_foo", ORDINARY, 0, 0, 4},
        {"x_foo", ORDINARY, 0, 0, 8},
        {"x3y", ORDINARY, 0x18, 0x18, 8},
        {"e", ORDINARY, 0, 0, 8},
        {"e32", ORDINARY, 0x100, 0x100, 8},
        {"d1_x", ORDINARY, 0x108, 0x200, 8},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!is_as_known(&names[i], READING_TTU) ||
            find(names[i].name, READING_TRUE).kind != UNKNOWN)
            test_fail(__FILE__, __LINE__, names[i].name);
    }
}

// --- The layout ----------------------------------------------------------------------------------

// The place where register_find has the name; for sp, lr and pc, what users mean by it.
static void expect_place(const struct register_run *run, const char *name, unsigned isa,
                         uint64_t offset)
{
    bool is_a64 = isa == ISA_AARCH64;
    char banked[32];
    snprintf(banked, sizeof banked, "%s_svc", name);
    bool has_bank = run->flags & TRAWL_REGISTER_BANKED;
    struct register_name found = find(has_bank ? banked : name, READING_TRUE);
    uint64_t expected = register_offset(&found, is_a64);
    uint32_t size_bytes = found.size_bytes;
    if (found.kind == REGISTER_SP) {
        expected = is_a64 ? REGISTER_OFFSET_XSP : REGISTER_OFFSET_X(13);
        size_bytes = is_a64 ? 8 : 4;
    } else if (found.layout >= LAYOUT_LINK && is_a64) {
        size_bytes = 8; // of a whole value
    }
    if (found.kind == UNKNOWN || offset != expected || run->size_bytes != size_bytes)
        test_fail(__FILE__, __LINE__, name);
}

static void the_layout_has_registers_where_lines_write_them(void)
{
    for (size_t i = 0; i < tarmac_registers.count; i++) {
        const struct register_run *run = &tarmac_registers.runs[i];
        for (unsigned isa = ISA_ARM; isa <= ISA_AARCH64; isa++) {
            for (uint32_t number = 0; number < register_run_length(run); number++) {
                char name[16];
                snprintf(name, sizeof name, run->count ? "%s%u" : "%s", run->name, number);
                if (run->isas >> isa & 1)
                    expect_place(run, name, isa, register_run_offset(run, number));
            }
        }
    }
}

// No two shown registers share a byte, except views. Returns the number of shown registers.
static size_t check_shown(unsigned isa)
{
    bool is_taken[REGISTER_SPACE_BYTES] = {false};
    size_t count = 0;
    for (size_t i = 0; i < tarmac_registers.count; i++) {
        const struct register_run *run = &tarmac_registers.runs[i];
        if (!(run->shown >> isa & 1) || run->flags & TRAWL_REGISTER_VIEW)
            continue;
        for (uint32_t number = 0; number < register_run_length(run); number++, count++) {
            uint64_t offset = register_run_offset(run, number);
            for (uint32_t at = 0; at < run->size_bytes; at++) {
                CHECK(!is_taken[offset + at]);
                is_taken[offset + at] = true;
            }
        }
    }
    return count;
}

static void the_layout_shows_every_register_once(void)
{
    CHECK(check_shown(ISA_AARCH64) == 31 + 2 + 32 + 2);
    CHECK(check_shown(ISA_ARM) == 14 + 2 + 32 + 2);
    CHECK(check_shown(ISA_THUMB) == 14 + 2 + 32 + 2);
}

// --- Values --------------------------------------------------------------------------------------

struct register_line {
    const char *line;
    uint64_t offset;   // of the first byte, in AArch64 state
    const char *bytes; // lowest first, -- for those that stay; NULL: no event
};

static void bytes_as_text(const struct line_register *reg, char *text)
{
    uint8_t values[512];
    uint8_t effects[512];
    size_t count = line_register_bytes(reg, values, effects, sizeof values);
    text[0] = 0;
    for (size_t i = 0; i < count; i++)
        sprintf(text + 2 * i,
                effects[i] == BYTE_KNOWN  ? "%02x"
                : effects[i] == BYTE_KEPT ? "--"
                                          : "xx",
                values[i]);
}

static void check_values(const struct register_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct line_read read = read_line(lines[i].line, TTU_OPTIONS);
        const struct line_register *reg = &read.line.reg;
        char text[1200] = "no event";
        bool is_event = read.is_read && read.line.kind == LINE_REGISTER;
        if (is_event)
            bytes_as_text(reg, text);
        if (!read.is_read || is_event != (lines[i].bytes != NULL) ||
            (is_event && (strcmp(text, lines[i].bytes) != 0 ||
                          register_offset(&reg->name, true) + reg->first_byte != lines[i].offset)))
            test_fail(__FILE__, __LINE__, lines[i].line), test_fail(__FILE__, __LINE__, text);
    }
}

static void values_of_ordinary_registers(void)
{
    static const struct register_line lines[] = {
        {"R r0 12345678", 0, "78563412"},
        {"R R1 (AA) 12345678 x", 8, "78563412"},
        {"R r0 1234_5678", 0, "78563412"},
        {"R r0 x12_3456X78", 0, "78563412"},
        {"R r0 1234 5678", 0, "78563412"},
        {"R r0 1234:5678", 0, "78563412"},
        {"R r0 12:34:56:78", 0, "78563412"},
        {"R r0 123 45678", 0, "78563412"},
        {"R r0 12345678 9a", 0, "78563412"},
        {"R x2 0123456789abcdef", 0x10, "efcdab8967452301"},
        {"R w3 01234567", 0x18, "67452301"},
        {"R lr 00008001", 0x70, "01800000"},
        {"R V1 000102030405060708090a0b0c0d0e0f", 0x200, "0f0e0d0c0b0a09080706050403020100"},
        {"R pc 1000", 0, NULL},
        {"R FOO zz", 0, NULL},
        {"R FOO", 0, NULL},
        {"R CPSR 600001d3", 0x2300, "d3010060"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void short_values_are_padded_with_what_they_consist_of(void)
{
    static const struct register_line lines[] = {
        {"R r0", 0, "00000000"},           {"R r0 0", 0, "00000000"},
        {"R r0 000", 0, "00000000"},       {"R r0 _", 0, "00000000"},
        {"R r0 0:0", 0, "00000000"},       {"R r0 -", 0, "--------"},
        {"R r0 --- -", 0, "--------"},     {"R z1 12", 0x200, "12"},
        {"R z1 1234 56", 0x200, "563412"}, {"R p0", 0x2100, ""},
        {"R p0 ----", 0x2100, "----"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void hyphens_leave_bytes_as_they_are(void)
{
    static const struct register_line lines[] = {
        {"R r0 ----5678", 0, "7856----"},
        {"R r0 12----78", 0, "78----12"},
        {"R X30 --------00001234", 0xf0, "34120000--------"},
        {"R r0 1--23456", 0, "5634fe01"}, // a digit next to a hyphen: "d-" is d, "-d" is 256 - d
        {"R r0 -0------", 0, "------00"},
        {"R r0 12 34 --:--", 0, "----3412"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void surplus_digits_are_kept(void)
{
    static const struct register_line lines[] = {
        {"R r0 0123456789abcdef", 0, "efcdab8967452301"},
        {"R r14 12 3456789a bc", 0x70, "9a78563412"},
        {"R w0 123456 789abcde f0", 0, "debc9a78563412"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void bit_ranges(void)
{
    static const struct register_line lines[] = {
        {"R V0<127:64> 0123456789abcdef", 0x108, "efcdab8967452301"},
        {"R V0 <63:0> 0123456789abcdef", 0x100, "efcdab8967452301"},
        {"R X3<7:0> 5a", 0x18, "5a"},
        {"R r0<31:24> ab", 3, "ab"},
        {"R d2<15:8>", 0x301, "00"},
        {"R z0<255:248> --", 0x11f, "--"},
        {"R r0 (x) <15:0> 1234", 0, "3412"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void values_of_special_registers(void)
{
    static const struct register_line lines[] = {
        {"R sp 00001000", 0x68, "00100000"},
        {"R SP_EL1 0000000000001000", 0xf8, "0010000000000000"},
        {"R sp_svc 0000 1000", 0x68, "00100000"},
        {"R sp 00000000:00001000 x", 0xf8, "0010000000000000"},
        {"R sp ffff----", 0x68, "----ffff"},
        {"R sp 1000", 0, NULL},
        {"R sp 000000001000", 0, NULL},
        {"R cpsr 1f", 0x2300, "1f000000"},
        {"R cpsr 123", 0x2300, "23010000"},
        {"R cpsr 1234567890", 0x2300, "90785634"},
        {"R cpsr 12345678 9", 0x2300, "89674523"},
        {"R cpsr 12345678 -", 0x2300, "78563412"},
        {"R cpsr 12345678:-", 0x2300, "08674523"}, // an odd number of digits in total: the pairs
                                                   // shift
        {"R fpcr 12", 0x2308, "12000000"},
        {"R FPCR 0000000012345678", 0x2308, "78563412"},
        {"R fpcr 00001234 56789abc", 0x2308, "bc9a7856"},
    };
    check_values(lines, ARRAY_COUNT(lines));
}

static void values_that_do_not_fit_are_counted_not_stored(void)
{
    struct line_read read = read_line("R x0 0123456789abcdef", TTU_OPTIONS);
    uint8_t values[4] = {0, 0, 0, 0x77};
    uint8_t effects[4] = {BYTE_KEPT};
    CHECK(line_register_bytes(&read.line.reg, values, effects, 3) == 8);
    CHECK(values[2] == 0xab && effects[2] == BYTE_KNOWN && values[3] == 0x77 && !effects[3]);
}

const struct test_case registers_tests[] = {
    {"names_in_both_readings", names_in_both_readings},
    {"names_by_reading", names_by_reading},
    {"names_that_only_begin_like_registers", names_that_only_begin_like_registers},
    {"the_layout_has_registers_where_lines_write_them",
     the_layout_has_registers_where_lines_write_them},
    {"the_layout_shows_every_register_once", the_layout_shows_every_register_once},
    {"values_of_ordinary_registers", values_of_ordinary_registers},
    {"short_values_are_padded_with_what_they_consist_of",
     short_values_are_padded_with_what_they_consist_of},
    {"hyphens_leave_bytes_as_they_are", hyphens_leave_bytes_as_they_are},
    {"surplus_digits_are_kept", surplus_digits_are_kept},
    {"bit_ranges", bit_ranges},
    {"values_of_special_registers", values_of_special_registers},
    {"values_that_do_not_fit_are_counted_not_stored",
     values_that_do_not_fit_are_counted_not_stored},
    {NULL, NULL},
};
