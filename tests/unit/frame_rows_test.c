// Rows of call frame information and exception tables, the expressions in them, and stacks unwound
// with them.
#include "arch/arm/arm.h"
#include "elf/cfi_expression.h"
#include "elf/exidx.h"
#include "test.h"
#include "unwind/unwind.h"

enum { FRAMES_MAX = 8, STACK_AT = 0x8000 };

// --- Unwind instructions of Arm ------------------------------------------------------------------

#define RUN(row, ...)                                                                              \
    exidx_run((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), row)

static bool is_saved(const struct frame_row *row, unsigned number, int64_t offset)
{
    return row->registers[number].kind == FRAME_MEMORY && row->registers[number].offset == offset;
}

static void exception_tables_say_where_registers_are(void)
{
    struct frame_row row;
    // vsp = r11; pop {r11, lr}
    CHECK(RUN(&row, 0x9b, 0x84, 0x80) == EXIDX_ROW);
    CHECK(row.cfa.kind == FRAME_REGISTER && row.cfa.base == 11 && row.cfa.offset == 8);
    CHECK(is_saved(&row, 11, -8) && is_saved(&row, 14, -4) && row.ra == 14);
    // vsp += 16; pop {r4-r7, lr}; finish, and nothing after it
    CHECK(RUN(&row, 0x03, 0xab, 0xb0, 0x9b) == EXIDX_ROW);
    CHECK(row.cfa.base == 13 && row.cfa.offset == 36 && is_saved(&row, 4, -20));
    CHECK(is_saved(&row, 7, -8) && is_saved(&row, 14, -4));
    // pop {pc}; pop {r0, r1}
    CHECK(RUN(&row, 0x88, 0x00, 0xb1, 0x03) == EXIDX_ROW && row.ra == 15);
    CHECK(row.cfa.offset == 12 && is_saved(&row, 15, -12) && is_saved(&row, 1, -4));
    // Nothing is saved: a leaf.
    CHECK(RUN(&row, 0xb0) == EXIDX_ROW && row.cfa.offset == 0 && row.ra == 14);
    // pop {sp}
    CHECK(RUN(&row, 0x82, 0x00) == EXIDX_ROW && row.is_sp_known && is_saved(&row, 13, -4));
}

static int64_t bytes_of(enum exidx_kind kind, const struct frame_row *row)
{
    return kind == EXIDX_ROW ? row->cfa.offset : -1;
}

static void exception_tables_pass_over_what_is_no_core_register(void)
{
    struct frame_row row;
    CHECK(bytes_of(RUN(&row, 0x3f), &row) == 256);
    CHECK(bytes_of(RUN(&row, 0x3f, 0x41), &row) == 248);
    CHECK(bytes_of(RUN(&row, 0xb2, 0x04), &row) == 0x204 + 16);
    CHECK(bytes_of(RUN(&row, 0xb2, 0x80, 0x01), &row) == 0x204 + 512);
    CHECK(bytes_of(RUN(&row, 0xb3, 0x84), &row) == 5 * 8 + 4); // FSTMFDX
    CHECK(bytes_of(RUN(&row, 0xb9), &row) == 2 * 8 + 4);
    CHECK(bytes_of(RUN(&row, 0xb4, 0xb5), &row) == 4); // a signed return address
    CHECK(bytes_of(RUN(&row, 0xc9, 0x84), &row) == 5 * 8);
    CHECK(bytes_of(RUN(&row, 0xc8, 0x01), &row) == 2 * 8);
    CHECK(bytes_of(RUN(&row, 0xd3), &row) == 4 * 8);
    CHECK(bytes_of(RUN(&row, 0xc2), &row) == 3 * 8); // iWMMXt
    CHECK(bytes_of(RUN(&row, 0xc6, 0x12), &row) == 3 * 8);
    CHECK(bytes_of(RUN(&row, 0xc7, 0x05), &row) == 2 * 4);
}

static void exception_tables_may_be_wrong(void)
{
    struct frame_row row;
    CHECK(RUN(&row, 0x80, 0x00) == EXIDX_CANNOT_UNWIND);
    CHECK(RUN(&row, 0x84) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xb2, 0x80) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xb2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0x9d) == EXIDX_DAMAGED && RUN(&row, 0x9f) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xb1, 0x00) == EXIDX_DAMAGED && RUN(&row, 0xb1, 0x10) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xb6) == EXIDX_DAMAGED && RUN(&row, 0xca) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xd8) == EXIDX_DAMAGED && RUN(&row, 0xff) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0xc7, 0x00) == EXIDX_DAMAGED && RUN(&row, 0xc7, 0x10) == EXIDX_DAMAGED);
    CHECK(RUN(&row, 0x84, 0x80, 0x9b) == EXIDX_UNSUPPORTED); // from a register that was restored
    CHECK(RUN(&row, 0x82, 0x00, 0x00) == EXIDX_UNSUPPORTED);
}

// --- Expressions ---------------------------------------------------------------------------------

static bool read_number(void *self, uint64_t number, uint64_t *value)
{
    (void)self;
    *value = 0x100 * number;
    return number != 9;
}

static bool read_bytes(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    (void)self;
    *value = address + size_bytes;
    return address != 0;
}

#define EVALUATE(width, value, ...)                                                                \
    evaluate((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), width, value)

static bool evaluate(const uint8_t *bytes, size_t size_bytes, unsigned width, uint64_t *value)
{
    const struct cfi_reader reader = {NULL, read_number, read_bytes};
    const struct cfi_expression expression = {bytes, size_bytes, width, false};
    const uint64_t cfa = 0x8000;
    return cfi_expression_value(&expression, &reader, &cfa, value);
}

static void expressions_have_values(void)
{
    uint64_t value;
    CHECK(EVALUATE(8, &value, 0x96) && value == 0x8000);             // nop
    CHECK(EVALUATE(8, &value, 0x77, 8) && value == 0x708);           // breg7 8
    CHECK(EVALUATE(8, &value, 0x77, 0x78) && value == 0x6f8);        // breg7 -8
    CHECK(EVALUATE(8, &value, 0x92, 0x12, 1) && value == 0x1201);    // bregx
    CHECK(EVALUATE(8, &value, 0x23, 0x10, 0x06) && value == 0x8018); // plus_uconst, deref
    CHECK(EVALUATE(8, &value, 0x94, 2) && value == 0x8002);          // deref_size
    // From a PLT of x86-64: rsp + 8 + ((rip & 15) >= 11) << 3
    CHECK(EVALUATE(8, &value, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
    CHECK(value == 0x708);
    CHECK(EVALUATE(8, &value, 0x0a, 0xff, 0xff, 0x0b, 0xfe, 0xff, 0x1e) &&
          value == (uint64_t)-131070);
    CHECK(EVALUATE(8, &value, 0x38, 0x1f, 0x32, 0x1b) && value == (uint64_t)-4); // -8 / 2
    CHECK(EVALUATE(4, &value, 0x38, 0x1f, 0x32, 0x1b) && value == 0xfffffffc);
    CHECK(EVALUATE(4, &value, 0x38, 0x1f, 0x31, 0x26) && value == 0xfffffffc); // shra
    CHECK(EVALUATE(8, &value, 0x31, 0x32, 0x33, 0x17) && value == 2);          // rot: 3 1 2
    CHECK(EVALUATE(8, &value, 0x31, 0x32, 0x16) && value == 1);
    CHECK(EVALUATE(8, &value, 0x31, 0x28, 1, 0, 0x35, 0x37) && value == 7); // bra over lit5
}

static void expressions_end(void)
{
    uint64_t value;
    CHECK(!EVALUATE(8, &value, 0x2f, 0xfd, 0xff));       // skip back to itself, for ever
    CHECK(!EVALUATE(8, &value, 0x12, 0x2f, 0xfc, 0xff)); // dup, for ever
    CHECK(!EVALUATE(8, &value, 0x2f, 0x00, 0x01));       // beyond the end
    CHECK(!EVALUATE(8, &value, 0x13));                   // drop: nothing is left
    CHECK(!EVALUATE(8, &value, 0x13, 0x13));
    CHECK(!EVALUATE(8, &value, 0x30, 0x1b)); // by 0
    CHECK(!EVALUATE(8, &value, 0x79, 0));    // a register that is not known
    CHECK(!EVALUATE(8, &value, 0x30, 0x06)); // memory that is not
    CHECK(!EVALUATE(8, &value, 0x94, 9) && !EVALUATE(8, &value, 0x0e, 1, 2));
    CHECK(!EVALUATE(8, &value, 0x98) && !EVALUATE(8, &value, 0x15, 5)); // call2; pick
}

// --- Stacks --------------------------------------------------------------------------------------

// A program with a function in each page from 0x1000 on, with its row.
struct program {
    struct frame_row rows[3];
    uint64_t registers[FRAME_REGISTERS];
    uint64_t words[8];
    unsigned word_bytes;
};

static bool read_register(void *self, uint32_t number, uint64_t *value)
{
    *value = ((const struct program *)self)->registers[number];
    return true;
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    const struct program *program = self;
    uint64_t number = (address - STACK_AT) / program->word_bytes;
    bool is_known = number < ARRAY_COUNT(program->words) && size_bytes == program->word_bytes;
    *value = is_known ? program->words[number] : 0;
    return is_known;
}

static const struct sframe_rule *find_rule(void *self, uint64_t pc)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    (void)self, (void)pc;
    return &miss;
}

static const struct frame_row *find_row(void *self, enum unwind_source source, uint64_t pc)
{
    const struct program *program = self;
    uint64_t number = (pc >> 12) - 1;
    bool is_there = source == UNWIND_DWARF && number < ARRAY_COUNT(program->rows);
    return is_there && program->rows[number].cfa.kind ? &program->rows[number] : NULL;
}

static bool is_code(void *self, uint64_t pc)
{
    (void)self;
    return pc >= 0x1000 && pc < 0x8000;
}

static bool find_function(void *self, uint64_t pc, uint64_t *start)
{
    (void)self;
    *start = pc & ~UINT64_C(0xfff);
    return true;
}

static struct unwind_stack unwound(struct program *program, const struct arch_frames *machine,
                                   uint64_t pc)
{
    static struct unwind_frame frames[FRAMES_MAX];
    const struct unwind_reader reader = {.self = program,
                                         .read_register = read_register,
                                         .read_memory = read_memory,
                                         .find_rule = find_rule,
                                         .find_row = find_row,
                                         .is_code = is_code,
                                         .find_function = find_function};
    struct unwind_stack stack = {.frames = frames, .capacity = FRAMES_MAX};
    unwind(&stack, &reader, machine, pc);
    return stack;
}

static struct frame_row row_at(unsigned base, int64_t offset, unsigned ra)
{
    return (struct frame_row){
        .cfa = {.kind = FRAME_REGISTER, .base = (uint16_t)base, .offset = offset}, .ra = ra};
}

// x19 contains the CFA of the second function, and the first has saved it.
static void registers_of_callers_are_restored(void)
{
    struct program program = {.word_bytes = 8, .words = {0x8020, 0x2100, 0, 0, 0, 0x3100}};
    program.registers[31] = STACK_AT;
    program.rows[0] = row_at(31, 16, 30);
    program.rows[0].registers[19] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -16};
    program.rows[0].registers[30] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -8};
    program.rows[1] = row_at(19, 16, 30);
    program.rows[1].registers[30] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -8};
    program.rows[2] = row_at(31, 0, 30);
    program.rows[2].registers[30].kind = FRAME_UNDEFINED;
    struct unwind_stack stack = unwound(&program, &frames_aarch64, 0x1100);
    CHECK(stack.count == 3 && stack.end == UNWIND_OUTERMOST);
    CHECK(stack.frames[1].pc == 0x2100 && stack.frames[1].source == UNWIND_DWARF);
    CHECK(stack.frames[2].pc == 0x3100 && stack.frames[2].sp == 0x8030);
    program.rows[1].cfa.base = 9; // not preserved by calls
    stack = unwound(&program, &frames_aarch64, 0x1100);
    CHECK(stack.count == 2 && stack.end == UNWIND_UNSAFE_REGISTER);
}

static void signatures_are_taken_off(void)
{
    struct program program = {.word_bytes = 8, .words = {0, 0x5a12000000002100}};
    program.registers[31] = STACK_AT;
    program.rows[0] = row_at(31, 16, 30);
    program.rows[0].registers[30] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -8};
    program.rows[0].is_signed = true;
    program.rows[1] = row_at(31, 0, 30);
    program.rows[1].registers[30].kind = FRAME_UNDEFINED;
    struct unwind_stack stack = unwound(&program, &frames_aarch64, 0x1100);
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x2100);
    program.rows[0].is_signed = false;
    stack = unwound(&program, &frames_aarch64, 0x1100);
    CHECK(stack.count == 2 && stack.frames[1].pc == 0x5a12000000002100);
}

static void arm_has_words_of_four_bytes_and_thumb(void)
{
    struct program program = {.word_bytes = 4, .words = {0x8010, 0x2101, 0, 0, 0, 0x3100}};
    program.registers[13] = STACK_AT;
    program.rows[0] = row_at(13, 8, 14);
    program.rows[0].registers[7] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -8};
    program.rows[0].registers[14] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -4};
    program.rows[1] = row_at(7, 8, 14);
    program.rows[1].registers[14] = (struct frame_location){.kind = FRAME_MEMORY, .offset = -4};
    program.rows[2] = row_at(13, 0, 14);
    program.rows[2].registers[14].kind = FRAME_UNDEFINED;
    struct unwind_stack stack = unwound(&program, &frames_arm, 0x1101);
    CHECK(stack.count == 3 && stack.end == UNWIND_OUTERMOST && stack.frames[0].has_code_bit);
    CHECK(stack.frames[1].pc == 0x2100 && stack.frames[1].has_code_bit);
    CHECK(stack.frames[2].pc == 0x3100 && !stack.frames[2].has_code_bit &&
          stack.frames[2].sp == 0x8018);
}

// In clang's code, r7 (r11) points to a record; in gcc's, r11 points to the return address.
static void arm_has_two_chains_of_frame_pointers(void)
{
    struct program program = {.word_bytes = 4, .words = {0, 0x8018, 0x2101, 0, 0, 0, 0, 0x3101}};
    program.registers[13] = STACK_AT;
    program.registers[7] = 0x8004;
    struct unwind_stack stack = unwound(&program, &frames_arm, 0x1101);
    CHECK(stack.count == 3 && stack.frames[1].pc == 0x2100 && stack.frames[2].pc == 0x3100);
    CHECK(stack.frames[1].source == UNWIND_FRAME_POINTER && stack.frames[1].sp == 0x800c);
    program = (struct program){.word_bytes = 4, .words = {0, 0x801c, 0x2100, 0, 0, 0, 0, 0x3100}};
    program.registers[13] = STACK_AT;
    program.registers[11] = 0x8008;
    stack = unwound(&program, &frames_arm, 0x1100);
    CHECK(stack.count == 3 && stack.frames[1].pc == 0x2100 && stack.frames[2].pc == 0x3100);
}

const struct test_case frame_rows_tests[] = {
    {"exception_tables_say_where_registers_are", exception_tables_say_where_registers_are},
    {"exception_tables_pass_over_what_is_no_core_register",
     exception_tables_pass_over_what_is_no_core_register},
    {"exception_tables_may_be_wrong", exception_tables_may_be_wrong},
    {"expressions_have_values", expressions_have_values},
    {"expressions_end", expressions_end},
    {"registers_of_callers_are_restored", registers_of_callers_are_restored},
    {"signatures_are_taken_off", signatures_are_taken_off},
    {"arm_has_words_of_four_bytes_and_thumb", arm_has_words_of_four_bytes_and_thumb},
    {"arm_has_two_chains_of_frame_pointers", arm_has_two_chains_of_frame_pointers},
    {0},
};
