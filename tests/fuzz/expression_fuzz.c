// Expressions, positions and locations of any bytes: faults point into the text, and a second
// parser, which uses recursive descent, agrees on the value of every expression.
#include "fuzz.h"

#include "query/position.h"

// Names have one letter, so that the fuzzer finds them: odd ones are registers, known below 'n'.
static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    (void)self;
    *found =
        (struct trawl_register){.offset = (uint8_t)name[0], .size_bytes = name[0] == 'w' ? 16 : 8};
    return length == 1 && (name[0] & 1);
}

static bool find_symbol(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol)
{
    (void)self;
    *symbol = (struct expression_symbol){.address = (uint64_t)name[0] << 8, .size_bytes = 4};
    return length == 1;
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    (void)self;
    CLAIM(which->size_bytes <= 8);
    *value = which->offset;
    return which->offset < 'n';
}

static const struct expression_names names = {.find_register = find_register,
                                              .find_symbol = find_symbol};
static const struct expression_registers registers = {.read = read_register};

// --- The second parser: only for text that the first one accepts ---

static uint64_t read_shifts(const char **at, const char *end);

static char peek(const char **at, const char *end)
{
    while (*at < end && strchr(" \t\n", **at))
        ++*at;
    return *at < end ? **at : '\0';
}

static bool take(const char **at, const char *end, const char *symbol)
{
    if (peek(at, end) != symbol[0] || (size_t)(end - *at) < strlen(symbol) ||
        memcmp(*at, symbol, strlen(symbol)) != 0)
        return false;
    *at += strlen(symbol);
    return true;
}

static uint64_t read_number(const char **at, const char *end)
{
    char text[400] = "";
    size_t length = 0;
    bool is_hex = end - *at > 2 && ((*at)[1] | 0x20) == 'x';
    while (*at < end && length < sizeof text - 1 &&
           strchr(is_hex ? "0123456789abcdefABCDEFxX" : "0123456789", **at))
        text[length++] = *(*at)++;
    return strtoull(text, NULL, is_hex ? 16 : 10);
}

static uint64_t read_operand(const char **at, const char *end)
{
    if (take(at, end, "-"))
        return 0 - read_operand(at, end);
    if (take(at, end, "+"))
        return read_operand(at, end);
    if (take(at, end, "(")) {
        uint64_t value = read_shifts(at, end);
        CLAIM(take(at, end, ")"));
        return value;
    }
    char first = peek(at, end);
    if (first >= '0' && first <= '9')
        return read_number(at, end);
    bool is_symbol = take(at, end, "sym");
    if (is_symbol || take(at, end, "reg")) {
        CLAIM(take(at, end, "::"));
        first = peek(at, end);
    }
    ++*at;
    return !is_symbol && (first & 1) ? (uint64_t)first : (uint64_t)first << 8;
}

static uint64_t read_products(const char **at, const char *end)
{
    uint64_t value = read_operand(at, end);
    while (take(at, end, "*"))
        value *= read_operand(at, end);
    return value;
}

static uint64_t read_sums(const char **at, const char *end)
{
    uint64_t value = read_products(at, end);
    for (;;) {
        if (take(at, end, "+"))
            value += read_products(at, end);
        else if (take(at, end, "-"))
            value -= read_products(at, end);
        else
            return value;
    }
}

static uint64_t read_shifts(const char **at, const char *end)
{
    uint64_t value = read_sums(at, end);
    for (;;) {
        bool is_left = take(at, end, "<<");
        if (!is_left && !take(at, end, ">>"))
            return value;
        uint64_t amount = read_sums(at, end);
        value = amount >= 64 ? 0 : is_left ? value << amount : value >> amount;
    }
}

static void check_error(const struct error *err, enum status status, size_t length)
{
    CLAIM(err->status == status && err->offset <= length);
    CLAIM(memchr(err->text, 0, sizeof err->text) && !strchr(err->text, '\n'));
}

static void check_expression(const char *text, size_t length)
{
    struct expression expression;
    struct error err;
    uint64_t value;
    enum status status = expression_parse(&expression, text, length, &names, &err);
    if (status == STATUS_OK) {
        status = expression_evaluate(&expression, &registers, &value, &err);
        CLAIM(status == STATUS_OK || expression.has_registers);
    }
    if (status == STATUS_OK) {
        const char *at = text, *end = text + length;
        CLAIM(read_shifts(&at, end) == value);
        CLAIM(peek(&at, end) == '\0' && at == end);
    } else {
        check_error(&err, status, length);
    }
}

// All of the grammar: faults point into the text, and whatever is compiled can be evaluated.
static void check_condition(const char *text, size_t length)
{
    static struct expression_operand before[LIMIT_EXPRESSION_TERMS];
    struct expression_names all = names;
    struct expression_registers readers = registers;
    struct expression expression;
    struct error err;
    uint64_t value;
    all.takes_conditions = all.takes_events = true;
    all.takes_values = length & 1;
    all.takes_places = length & 2;
    readers.before = before;
    enum status status = expression_parse(&expression, text, length, &all, &err);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < expression.count; i++)
            CLAIM(expression_operand(&expression, i) <= i);
        status = expression_evaluate(&expression, &readers, &value, &err);
    } else {
        check_error(&err, status, length);
    }
}

static void check_position(const char *text)
{
    struct position position;
    struct error err;
    enum status status = position_parse(&position, text, &names, &err);
    if (status != STATUS_OK)
        check_error(&err, status, strlen(text));
    else if (position.kind == POSITION_PC)
        CLAIM(position.visit > 0);
    else
        CLAIM(position.kind != POSITION_LINE || position.value > 0);
}

static void check_location(const char *text)
{
    struct location location;
    struct error err;
    uint64_t address;
    enum status status = location_parse(&location, text, &names, &err);
    if (status != STATUS_OK) {
        check_error(&err, status, strlen(text));
        return;
    }
    CLAIM(location.size_bytes > 0);
    if (location.kind == LOCATION_MEMORY &&
        location_address(&location, &registers, &address, &err) == STATUS_OK)
        CLAIM(location.size_bytes - 1 <= UINT64_MAX - address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes > 400)
        return 0;
    char *bytes = fuzz_copy(data, size_bytes);
    check_expression(bytes, size_bytes);
    check_condition(bytes, size_bytes);
    free(bytes);
    char *text = calloc(1, size_bytes + 1);
    CLAIM(text);
    if (size_bytes)
        memcpy(text, data, size_bytes);
    check_position(text);
    check_location(text);
    free(text);
    return 0;
}
