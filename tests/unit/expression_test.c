// Expressions: values, precedence, faults with their places, limits. Random expressions are
// compared with the tree from which they were written.
#include "known_names.h"
#include "random.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>

static enum status evaluate(const char *text, uint64_t *value, struct error *err)
{
    struct expression expression;
    enum status status = expression_parse(&expression, text, strlen(text), &known_names, err);
    return status == STATUS_OK ? expression_evaluate(&expression, &known_registers, value, err)
                               : status;
}

struct known_value {
    const char *text;
    uint64_t value;
};

static void check_known_values(const struct known_value *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        struct error err;
        if (evaluate(known[i].text, &value, &err) != STATUS_OK || value != known[i].value)
            test_fail(__FILE__, __LINE__, known[i].text);
    }
}

static void values_of_expressions(void)
{
    static const struct known_value known[] = {
        {"0", 0},
        {" \t\n42\n", 42},
        {"010", 10},
        {"0xfF", 255},
        {"0X10", 16},
        {"0x00000000000000000000001", 1},
        {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff+2", 1},
        {"1-2", UINT64_MAX},
        {"-1", UINT64_MAX},
        {"- -3", 3},
        {"+-+3", (uint64_t)-3},
        {"10-3-2", 5},
        {"10-(3-2)", 9},
        {"2+3*4", 14},
        {"(2+3)*4", 20},
        {"-2*3", (uint64_t)-6},
        {"2*-3", (uint64_t)-6},
        {"1<<2+3", 32},
        {"1<<2<<3", 32},
        {"256>>2>>1", 32},
        {"1<<63", UINT64_C(1) << 63},
        {"1<<64", 0},
        {"-1>>64", 0},
        {"-1<<-1", 0},
        {"((((7))))", 7},
        {"-(-(5))", 5},
        {"0x100000000*0x100000000", 0},
    };
    check_known_values(known, ARRAY_COUNT(known));
}

static void values_of_names(void)
{
    static const struct known_value known[] = {
        {"x1", 0x1111},
        {"X1", 0x1111},
        {"reg::x1", 0x1111},
        {"reg :: x1", 0x1111},
        {"sym::x1", 0xc000},
        {"main", 0x8000},
        {"main+4*x1", 0x8000 + 4 * 0x1111},
        {"sp-8", 0x1fff8},
        {"pc", 0x8004},
        {"w2+1", UINT64_C(0x100000000)},
        {"counter.0+4", 0x9004},
        {"init@0xa000", 0xa000},
        {"sym::foo#1", 0xb000},
    };
    check_known_values(known, ARRAY_COUNT(known));
}

// Each byte of memory is the low byte of its address, up to 0x30000.
static bool read_memory(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value)
{
    (void)self;
    *value = 0;
    for (uint64_t i = size_bytes; i-- > 0;)
        *value = *value << 8 | ((address + i) & 0xff);
    return address < 0x30000;
}

static enum status evaluate_condition(const char *text, uint64_t *value, struct error *err)
{
    struct expression expression;
    struct expression_names names = known_names;
    struct expression_registers registers = known_registers;
    names.takes_conditions = true;
    registers.read_memory = read_memory;
    enum status status = expression_parse(&expression, text, strlen(text), &names, err);
    return status == STATUS_OK ? expression_evaluate(&expression, &registers, value, err) : status;
}

static void conditions(void)
{
    static const struct known_value known[] = {
        {"x1 == 0x1111", 1},
        {"x1 != 0x1111", 0},
        {"x1 == 0x1111 && u32(sp+8) > 4", 1},
        {"1 < 2 == 1", 1},
        {"1 | 2 ^ 3 & 1", 3},
        {"1 | 6 == 6", 1},
        {"(1 | 6) == 7", 1},
        {"1 << 2 < 5", 1},
        {"5 <= 5 && 5 >= 5 && !(5 < 5) && !(5 > 5)", 1},
        {"~0 == -1", 1},
        {"!3", 0},
        {"!!3", 1},
        {"-!0", UINT64_MAX},
        {"0 || 0 && 1 || 2", 1},
        {"0 && 1 == 0", 0},
        {"u8(0x20081)", 0x81},
        {"u16(0x20081)", 0x8281},
        {"u64(0x20081)", UINT64_C(0x8887868584838281)},
        {"s8(0x20081)", (uint64_t)-0x7f},
        {"s16(0x20001)", 0x0201},
        {"s8(0x20081) < 0", 1},
        {"u8(0x20081) < 0", 0},
        {"s8(0x20081) + 0x80 == 1", 1},
        {"-1 < 0", 1},
        {"0 > -1", 1},
        {"w2 < 0", 0},
        {"i32(w2) < 0", 1},
        {"i32(w2) == -1", 1},
        {"i8(0x80) >= 0", 0},
        {"(i8(0x80) == -128) > -1", 1},
        {"u8(u8(0x20010) + 0x20000) + 1", 0x11},
        {"u8(0x20001)*2", 2},
        // An unknown value has no effect if the other side decides.
        {"x5 == 1 && 0", 0},
        {"0 && x5 == 1", 0},
        {"x5 == 1 || 7", 1},
        {"u8(0x40000) == 1 || x1 == 0x1111", 1},
    };
    static const char *const unknown[] = {"x5 == 1", "x5 == 1 && 1", "0 || x5", "u8(0x40000)",
                                          "s64(x5)", "!x5",          "u8(v0)"};
    static const char *const faults[] = {"1 ==", "== 1",  "1 = 1", "1 &&& 1", "u8", "u8(",
                                         "u8()", "u7(1)", "1 ! 2", "u8 (1)",  "!",  "1 === 1"};
    struct error err;
    uint64_t value;
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        if (evaluate_condition(known[i].text, &value, &err) != STATUS_OK || value != known[i].value)
            test_fail(__FILE__, __LINE__, known[i].text);
    }
    for (size_t i = 0; i < ARRAY_COUNT(unknown); i++)
        CHECK(evaluate_condition(unknown[i], &value, &err) != STATUS_OK && err.text[0]);
    for (size_t i = 0; i < ARRAY_COUNT(faults); i++)
        CHECK(evaluate_condition(faults[i], &value, &err) != STATUS_OK && err.text[0]);
}

static void faults_have_a_message_and_a_place(void)
{
    static const struct {
        const char *text, *message;
        uint64_t offset;
    } known[] = {
        {"", "unexpected end of expression", 0},
        {"  ", "unexpected end of expression", 2},
        {"1+", "unexpected end of expression", 2},
        {"(", "unexpected end of expression", 1},
        {"-", "unexpected end of expression", 1},
        {"1+*2", "unexpected token", 2},
        {"()", "unexpected token", 1},
        {"::x", "unexpected token", 0},
        {"&", "unexpected token", 0},
        {"1 2", "unexpected tokens after expression", 2},
        {"1)", "unexpected tokens after expression", 1},
        {"12ab", "unexpected tokens after expression", 2},
        {"1<2", "unexpected tokens after expression", 1},
        {"1/2", "unexpected tokens after expression", 1},
        {"x1:8", "unexpected tokens after expression", 2},
        {"1 0x", "unexpected tokens after expression", 2},
        {"(1", "expected closing ')'", 2},
        {"((1) 2)", "expected closing ')'", 5},
        {"reg::", "expected an identifier after '::'", 5},
        {"foo::1", "expected an identifier after '::'", 5},
        {"foo::x1", "unrecognised identifier scope 'foo'", 0},
        {"REG::x1", "unrecognised identifier scope 'REG'", 0},
        {"1+nothing", "unrecognised identifier name 'nothing'", 2},
        {"reg::main", "unrecognised register name 'main'", 5},
        {"sym::x2", "unrecognised symbol name 'x2'", 5},
        {"1+0x", "expected hexadecimal digits after '0x'", 2},
        {"0xg", "expected hexadecimal digits after '0x'", 0},
        {"0x10000000000000000", "number does not fit in 64 bits", 0},
        {"1 + 18446744073709551616", "number does not fit in 64 bits", 4},
        {"main+x5", "the value of register 'x5' is unknown at this point", 5},
        {"1+reg::v0", "register 'v0' has more than 64 bits", 7},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        uint64_t value;
        struct error err = {0};
        CHECK(evaluate(known[i].text, &value, &err) != STATUS_OK);
        if (strcmp(err.text, known[i].message) != 0 || err.offset != known[i].offset)
            test_fail(__FILE__, __LINE__, known[i].text), test_fail(__FILE__, __LINE__, err.text);
    }
}

static void nobody_who_knows_names(void)
{
    struct expression expression;
    struct expression_names none = {0};
    struct error err;
    uint64_t value;
    CHECK(expression_parse(&expression, "6*7", 3, &none, &err) == STATUS_OK);
    CHECK(expression_evaluate(&expression, NULL, &value, &err) == STATUS_OK && value == 42);
    CHECK(expression_parse(&expression, "x1", 2, &none, &err) == STATUS_NOT_FOUND);
    CHECK_STR(err.text, "unrecognised identifier name 'x1'");
}

static void text_ends_at_its_length(void)
{
    struct expression expression;
    uint64_t value;
    CHECK(expression_parse(&expression, "0x12", 3, &known_names, NULL) == STATUS_OK);
    CHECK(expression_evaluate(&expression, NULL, &value, NULL) == STATUS_OK && value == 1);
    CHECK(expression_parse(&expression, "1<<2", 2, &known_names, NULL) == STATUS_INPUT);
    CHECK(expression_parse(&expression, "1\0+1", 4, &known_names, NULL) == STATUS_INPUT);
}

static void lone_names_are_recognised(void)
{
    struct expression expression;
    CHECK(expression_parse(&expression, "(x1)", 4, &known_names, NULL) == STATUS_OK);
    const struct trawl_register *which = expression_as_register(&expression);
    CHECK(which && which->offset == 8 && which->size_bytes == 8 && expression.has_registers);
    CHECK(!expression_as_symbol(&expression));
    CHECK(expression_parse(&expression, "main", 4, &known_names, NULL) == STATUS_OK);
    const struct expression_symbol *symbol = expression_as_symbol(&expression);
    CHECK(symbol && symbol->size_bytes == 64 && !expression.has_registers);
    CHECK(expression_parse(&expression, "main+0", 6, &known_names, NULL) == STATUS_OK);
    CHECK(!expression_as_symbol(&expression) && !expression_as_register(&expression));
}

static void limits_are_errors(void)
{
    static char text[LIMIT_EXPRESSION_BYTES + 2];
    struct expression expression;
    struct error err;
    memset(text, '(', sizeof text);
    CHECK(expression_parse(&expression, text, 100, &known_names, &err) == STATUS_LIMIT);
    CHECK_STR(err.text, "expression is nested more than 64 deep");
    CHECK(err.offset == LIMIT_EXPRESSION_NESTING);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? '+' : '1';
    CHECK(expression_parse(&expression, text, 127, &known_names, &err) == STATUS_OK);
    CHECK(expression.count == 127);
    CHECK(expression_parse(&expression, text, 131, &known_names, &err) == STATUS_LIMIT);
    CHECK_STR(err.text, "expression has more than 128 operands and operators");
    CHECK(expression_parse(&expression, text, sizeof text, &known_names, &err) == STATUS_LIMIT);
    CHECK_STR(err.text, "expression is longer than 65536 bytes");
    memset(text, ' ', sizeof text);
    text[LIMIT_EXPRESSION_BYTES - 1] = '7';
    CHECK(expression_parse(&expression, text, LIMIT_EXPRESSION_BYTES, &known_names, &err) ==
          STATUS_OK);
}

// --- Random expressions --------------------------------------------------------------------------

// Writes text while its value is computed, recursively and without a parser.
struct writer {
    char text[4096];
    size_t length;
    struct prng prng;
};

static void put(struct writer *writer, const char *text)
{
    size_t length = strlen(text);
    ASSERT(writer->length + length + 2 < sizeof writer->text);
    while (prng_percent(&writer->prng, 10))
        writer->text[writer->length++] = " \t\n"[prng_below(&writer->prng, 3)];
    memcpy(writer->text + writer->length, text, length);
    writer->length += length;
}

static uint64_t write_operand(struct writer *writer)
{
    static const struct known_value names[] = {
        {"x1", 0x1111}, {"sym::x1", 0xc000}, {"main", 0x8000}, {"reg::sp", 0x20000}};
    char number[32];
    uint64_t value = prng_next(&writer->prng) >> prng_below(&writer->prng, 64);
    switch (prng_below(&writer->prng, 4)) {
    case 0: {
        const struct known_value *name = &names[prng_below(&writer->prng, ARRAY_COUNT(names))];
        put(writer, name->text);
        return name->value;
    }
    case 1:
        snprintf(number, sizeof number, "0x%" PRIx64, value);
        break;
    default:
        if (prng_percent(&writer->prng, 50))
            value %= 70; // the amount of a shift
        snprintf(number, sizeof number, "%" PRIu64, value);
    }
    put(writer, number);
    return value;
}

static uint64_t write_tree(struct writer *writer, int depth, int context);

// Writes left OP right without parentheses around it. The right side binds tighter than the left,
// which makes it left-associative.
static uint64_t write_binary(struct writer *writer, int depth, int level)
{
    static const char *const ops[3][2] = {{"<<", ">>"}, {"+", "-"}, {"*", "*"}};
    uint32_t which = prng_below(&writer->prng, 2);
    uint64_t left = write_tree(writer, depth - 1, level);
    put(writer, ops[level][which]);
    uint64_t right = write_tree(writer, depth - 1, level + 1);
    switch (level) {
    case 0:
        return right >= 64 ? 0 : which ? left >> right : left << right;
    case 1:
        return which ? left - right : left + right;
    default:
        return left * right;
    }
}

// Writes an expression where only operators of `context` and above need no parentheses: 0 for
// shifts, 1 sums, 2 products, 3 signs.
static uint64_t write_tree(struct writer *writer, int depth, int context)
{
    int level = (int)prng_below(&writer->prng, 5);
    if (depth == 0 || level == 4)
        return write_operand(writer);
    bool in_parentheses = level < context || prng_percent(&writer->prng, 10);
    uint64_t value;
    if (in_parentheses)
        put(writer, "(");
    if (level < 3) {
        value = write_binary(writer, depth, level);
    } else {
        bool is_minus = prng_percent(&writer->prng, 70);
        put(writer, is_minus ? "-" : "+");
        value = write_tree(writer, depth - 1, 3);
        value = is_minus ? 0 - value : value;
    }
    if (in_parentheses)
        put(writer, ")");
    return value;
}

static void random_expressions_have_the_value_of_their_tree(void)
{
    static struct writer writer = {.prng = {20}};
    for (int round = 0; round < 100000; round++) {
        writer.length = 0;
        uint64_t expected = write_tree(&writer, (int)prng_below(&writer.prng, 6), 0), value;
        writer.text[writer.length] = 0;
        struct error err = {0};
        if (evaluate(writer.text, &value, &err) != STATUS_OK || value != expected)
            test_fail(__FILE__, __LINE__, writer.text);
    }
}

const struct test_case expression_tests[] = {
    {"expression: conditions", conditions},
    {"values_of_expressions", values_of_expressions},
    {"values_of_names", values_of_names},
    {"faults_have_a_message_and_a_place", faults_have_a_message_and_a_place},
    {"nobody_who_knows_names", nobody_who_knows_names},
    {"text_ends_at_its_length", text_ends_at_its_length},
    {"lone_names_are_recognised", lone_names_are_recognised},
    {"limits_are_errors", limits_are_errors},
    {"random_expressions_have_the_value_of_their_tree",
     random_expressions_have_the_value_of_their_tree},
    {NULL, NULL},
};
