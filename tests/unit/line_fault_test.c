// Every message of the line reader, with the token that it points to.
#include "read_line.h"
#include "test.h"

#include <stdio.h>

struct bad_line {
    const char *line, *text;
    uint32_t column, length;
};

static void report(const struct bad_line *bad, const struct line_read *read)
{
    char what[400];
    snprintf(what, sizeof what, "'%s': %s '%s' at %u, %u long", bad->line,
             read->is_read ? "read; or" : "refused with", read->fault.text, read->fault.column,
             read->fault.length);
    test_fail(__FILE__, __LINE__, what);
}

static bool is_bad(const struct bad_line *bad, struct line_read *read)
{
    *read = read_line(bad->line, TTU_OPTIONS);
    return !read->is_read && strcmp(read->fault.text, bad->text) == 0 &&
           read->fault.column == bad->column && read->fault.length == bad->length;
}

// What trawl says where the reference says `text`.
static const char *own_words(const char *text)
{
    return strcmp(text, "Unrecognised token") == 0 ? "unrecognized token"
           : strcmp(text, "unrecognised parenthesised keyword") == 0
               ? "unrecognized keyword in parentheses"
               : text;
}

static void check_bad(const struct bad_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct line_read read;
        if (!is_bad(&lines[i], &read))
            report(&lines[i], &read);
        struct line_read right = read_line(lines[i].line, RIGHT_OPTIONS);
        if (right.is_read || strcmp(right.fault.text, own_words(lines[i].text)) != 0)
            report(&lines[i], &right);
    }
}

static void dialects_that_only_the_reference_refuses(void)
{
    static const struct bad_line lines[] = {
        {"IT 8000:1_X e1a00000 A m : x", "expected a hex address after ':'", 8, 3},
        {"R V0<127:64> 12", "expected register contents", 15, 0},
        {"R r0 12", "expected register contents", 7, 0},
        {"R r0 zz", "expected register contents", 5, 2},
        {"R r0 0000001", "expected register contents", 12, 0},
        {"R r0 00 zz", "expected register contents", 8, 2},
        {"R sp 123", "expected register contents to be an integer number of bytes", 8, 0},
        {"R sp zz", "expected register contents", 5, 2},
        {"MR4 zz 0", "expected memory address", 4, 2},
        {"IT 0x8000 e1a00000 A m : x", "expected a hex value", 3, 6},
        {"MR32 1000 x", "unexpected memory access size: 32 bytes", 10, 1},
        {"\xef\xbb\xbf"
         "1 BR",
         "Unrecognised token", 0, 1},
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read;
        if (!is_bad(&lines[i], &read) || !read_line(lines[i].line, RIGHT_OPTIONS).is_read)
            report(&lines[i], &read);
    }
}

static void instructions_that_are_refused(void)
{
    static const struct bad_line lines[] = {
        {"ES 8000", "expected '(' to introduce instruction address and bit pattern", 3, 4},
        {"ES", "expected '(' to introduce instruction address and bit pattern", 2, 0},
        {"ES (zz:0) A x : y", "expected a hex instruction address", 4, 2},
        {"ES (", "expected a hex instruction address", 4, 0},
        {"ES (8000 e1a00000)", "expected ':' between instruction address and bit pattern", 9, 8},
        {"ES (8000:zz) A m : x", "expected a hex instruction bit pattern", 9, 2},
        {"ES (8000:-0-) A m : x", "expected a hex instruction bit pattern", 9, 3},
        {"ES (8000:e1a00000 A", "expected ')' after instruction address and bit pattern", 18, 1},
        {"ES (8000:e1a00000)", "expected instruction-set state", 18, 0},
        {"ES (8000:e1a00000) T64 m : x", "expected instruction-set state", 19, 3},
        {"IT (zz) 8000", "expected a hex or decimal number", 4, 2},
        {"IT (1:) 8000", "expected a hex or decimal number", 6, 1},
        {"IT (1 8000", "expected ')' after bracketed value", 6, 4},
        {"IT (1:2:3) 8000", "expected ')' after bracketed value", 7, 1},
        {"IT (1) zz", "expected a hex value", 7, 2},
        {"IT", "expected a hex value", 2, 0},
        {"IT 8000:zz e1a00000 A m : x", "expected a hex address after ':'", 8, 2},
        {"IT 8000:1_NS,zz e1a00000 A m : x", "expected a hex address after ','", 13, 2},
        {"IT 8000 zz A", "expected a hex instruction bit pattern", 8, 2},
        {"IT 8000 -------- A m : x", "expected a hex instruction bit pattern", 8, 8},
        {"IT 8000 e1a00000 Q m : x", "expected instruction-set state", 17, 1},
        {"IT 8000 e1a00000 a m : x", "expected instruction-set state", 17, 1},
        {"IT 8000 e1a00000", "expected instruction-set state", 16, 0},
        {"IT 8000 e1a00000 A ( x", "expected CPU mode", 19, 1},
        {"IT 8000 e1a00000 A", "expected CPU mode", 18, 0},
        {"IT (1) 8000 46c0 T16", "expected CPU mode", 20, 0},
        {"IT 8000 e1a00000 A svc_s x", "expected ':' before instruction", 25, 1},
        {"IT 8000 e1a00000 A svc_s", "expected ':' before instruction", 24, 0},
        {"IT 8000 e1a00000 A svc_s : {x}", "Unrecognised token", 27, 1},
        {"ES EXC {", "Unrecognised token", 7, 1},
        {"IS Reset ;", "Unrecognised token", 9, 1},
    };
    check_bad(lines, ARRAY_COUNT(lines));
}

static void registers_that_are_refused(void)
{
    static const struct bad_line lines[] = {
        {"R", "expected register name", 1, 0},
        {"R (x)", "expected register name", 2, 1},
        {"R r0 ( 0", "expected ')' after extra register identification details", 8, 0},
        {"R r0 -0", "expected register contents", 7, 0},
        {"R r0 000000123", "expected register contents to be an integer number of bytes", 14, 0},
        {"R fpcr<31:0> 0", "cannot handle register bit range for this register", 6, 1},
        {"R sp <31:0> 0", "cannot handle register bit range for this register", 5, 1},
        {"R V0<x:0> 0", "expected bit offset within register", 5, 1},
        {"R V0<126:64> 0", "expected high bit offset within register to be at the top of a byte", 5,
         3},
        {"R V0<135:64> 0", "high bit offset is larger than containing register", 5, 3},
        {"R pc<7:0> 0", "high bit offset is larger than containing register", 5, 1},
        {"R V0<127 64> 0", "expected ':' separating bit offsets in register bit range", 9, 2},
        {"R V0<127:x> 0", "expected bit offset within register", 9, 1},
        {"R V0<127:63> 0", "expected low bit offset within register to be at the bottom of a byte",
         9, 2},
        {"R V0<63:64> 0", "low bit offset is higher than high bit offset", 8, 2},
        {"R V0<127:64 0", "expected '>' after register bit range", 12, 1},
        {"R r0 () 0", "expected extra register identification details", 6, 1},
        {"R r0 (a b) 0", "expected ')' after extra register identification details", 8, 1},
        {"R cpsr", "expected register contents", 6, 0},
        {"R sp 00000000:zz", "expected additional register contents after ':'", 14, 2},
        {"R cpsr 0:", "expected additional register contents after ':'", 9, 0},
        {"R r0 00000001 {", "Unrecognised token", 14, 1},
        {"R FOO {", "Unrecognised token", 6, 1},
        {"R DC {", "Unrecognised token", 5, 1},
    };
    check_bad(lines, ARRAY_COUNT(lines));
}

static void memory_that_is_refused(void)
{
    static const struct bad_line lines[] = {
        {"MR4 (1000", "unclosed '(' in memory operation", 4, 1},
        {"MR4 X (1000", "unclosed '(' in memory operation", 6, 1},
        {"MR4", "expected memory address", 3, 0},
        {"MR4 TRANSFER", "expected memory address", 4, 8},
        {"MR4 X X 0", "expected memory address", 6, 1},
        {"MR4 1000:zz 0", "expected physical memory address after ':'", 9, 2},
        {"MR4 1000 (ABORTED", "expected closing parenthesis", 17, 0},
        {"MR4 1000 (FOO)", "unrecognised parenthesised keyword", 10, 3},
        {"MR4 1000:2000 (FOO)", "unrecognised parenthesised keyword", 15, 3},
        {"MR4 1000:2000 (ABORTED", "expected closing parenthesis", 22, 0},
        {"MR4 1000:2000 (", "unrecognised parenthesised keyword", 15, 0},
        {"MR4 1000:2000 )", "expected memory contents in hex", 14, 1},
        {"MR4 1000", "expected memory contents in hex", 8, 0},
        {"MR4 1000 ( 0", "unrecognised parenthesised keyword", 11, 1},
        {"MR4 1000 __", "expected memory contents in hex", 9, 2},
        {"MR16 1000 0 zz", "expected second word of memory contents", 10, 1},
        {"MR16 1000 0", "expected second word of memory contents", 10, 1},
        {"MR24 1000 0", "unexpected memory access size: 24 bytes", 10, 1},
        {"MW9 1000 0", "unexpected memory access size: 9 bytes", 9, 1},
        {"LD zz", "expected load/store memory address", 3, 2},
        {"ST", "expected load/store memory address", 2, 0},
        {"LD 1000 zz", "expected a word of data bytes, '.' and '#'", 8, 2},
        {"LD 1000 ...", "expected data word to cover a whole number of bytes", 8, 3},
        {"LD 1000 ........", "expected a word of data bytes, '.' and '#'", 16, 0},
        {"LD 1000 ................................00", "expected exactly 16 data bytes", 8 + 272,
         2},
        {"LD 1000 ..#.............................",
         "expected each byte to be only one of '.', '#' and hex", 8 + 2, 2},
        {"LD 1000 .0", "expected each byte to be only one of '.', '#' and hex", 8, 2},
    };
    check_bad(lines, ARRAY_COUNT(lines));
}

static void numbers_beyond_64_bits_are_refused(void)
{
    static const struct bad_line lines[] = {
        {"18446744073709551616 BR", "number does not fit 64 bits", 0, 20},
        {"99999999999999999999999 BR", "number does not fit 64 bits", 0, 23},
        {"MR4 10000000000000000 0", "hexadecimal number does not fit 64 bits", 4, 17},
        {"MR4 0 10000000000000000", "memory contents do not fit 64 bits", 6, 17},
        {"MR16 0 0 10000000000000000", "expected second word of memory contents", 7, 1},
        {"IT 10000000000000000 e1a00000 A : x", "hexadecimal number does not fit 64 bits", 3, 17},
        {"IT 0 10000000000000000 A : x", "hexadecimal number does not fit 64 bits", 5, 17},
        {"ES (10000000000000000:e1a00000) A : x", "hexadecimal number does not fit 64 bits", 4, 17},
        {"IT (10000000000000000) 0 0 A : x", "hexadecimal number does not fit 64 bits", 4, 17},
        {"LD 10000000000000000 00", "hexadecimal number does not fit 64 bits", 3, 17},
        {"R V0<18446744073709551623:0> 0", "number does not fit 64 bits", 5, 20},
        {". BR", "expected digits in a fractional time", 0, 1},
        {"..5 BR", "expected digits in a fractional time", 0, 3},
        {"IT 8000 A : x", "expected an instruction address in parentheses", 3, 4},
    };
    check_bad(lines, ARRAY_COUNT(lines));
}

static void other_characters_are_refused_where_they_are_reached(void)
{
    static const struct bad_line lines[] = {
        {"{", "Unrecognised token", 0, 1},       {"5 {", "Unrecognised token", 2, 1},
        {"5 clk {", "Unrecognised token", 6, 1}, {"cpu0 =", "Unrecognised token", 5, 1},
        {"FOO ;", "Unrecognised token", 4, 1},   {"E \"", "Unrecognised token", 2, 1},
    };
    check_bad(lines, ARRAY_COUNT(lines));
}

static void characters_that_no_rule_reaches_do_no_harm(void)
{
    static const char *const lines[] = {
        "EXC {",
        "Tarmac {",
        "FOO x {",
        "R FOO 1 {",
        "R r0 00000000 x {",
        "R pc 1000 {",
        "IT 8000 e1a00000 A : x {",
        "MR4 1000 0 {",
        "MR16 1000 0 0 {",
        "MR4xxxxI {",
        "LD 1000 ................................ {",
        "ES EXC x {",
        "MR4C TRANSFER {",
        "R DC x {",
    };
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_read read = read_line(lines[i], TTU_OPTIONS);
        if (!read.is_read)
            test_fail(__FILE__, __LINE__, lines[i]);
    }
}

static void fault_leaves_the_context(void)
{
    static const char *const lines[] = {
        "99 clk R r0 12", "99 clk cpu1 IT", "99 LD 1000 zz", "99 {", "99 LD 1000 ..",
    };
    const struct reading_options options = TTU_OPTIONS;
    for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
        struct line_context context = {7, 30, 0, true};
        struct trace_line line;
        struct text_fault fault;
        CHECK(!tarmac_line_read(lines[i], lines[i] + strlen(lines[i]), &options, &context, &line,
                                &fault));
        CHECK(context.time == 7 && context.address_column == 30 && context.address_is_read);
    }
}

static void refused_instructions_are_known_as_such(void)
{
    CHECK(read_line("5 clk cpu1 IT zz", TTU_OPTIONS).line.looks_like_instruction);
    CHECK(read_line("ES", TTU_OPTIONS).line.looks_like_instruction);
    CHECK(!read_line("R r0 12", TTU_OPTIONS).line.looks_like_instruction);
    CHECK(!read_line("{", TTU_OPTIONS).line.looks_like_instruction);
}

const struct test_case line_fault_tests[] = {
    {"dialects_that_only_the_reference_refuses", dialects_that_only_the_reference_refuses},
    {"instructions_that_are_refused", instructions_that_are_refused},
    {"registers_that_are_refused", registers_that_are_refused},
    {"memory_that_is_refused", memory_that_is_refused},
    {"numbers_beyond_64_bits_are_refused", numbers_beyond_64_bits_are_refused},
    {"other_characters_are_refused_where_they_are_reached",
     other_characters_are_refused_where_they_are_reached},
    {"characters_that_no_rule_reaches_do_no_harm", characters_that_no_rule_reaches_do_no_harm},
    {"fault_leaves_the_context", fault_leaves_the_context},
    {"refused_instructions_are_known_as_such", refused_instructions_are_known_as_such},
    {NULL, NULL},
};
