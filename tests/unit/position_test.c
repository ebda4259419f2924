// Positions and locations as users write them.
#include "known_names.h"
#include "query/position.h"
#include "test.h"

static void positions_of_every_kind(void)
{
    static const struct {
        const char *text;
        struct position position;
    } known[] = {
        {"start", {.kind = POSITION_START, .value = 0, .visit = 0}},
        {"end", {.kind = POSITION_END, .value = 0, .visit = 0}},
        {"line:1", {.kind = POSITION_LINE, .value = 1, .visit = 0}},
        {"line:0x10", {.kind = POSITION_LINE, .value = 16, .visit = 0}},
        {"time:0", {.kind = POSITION_TIME, .value = 0, .visit = 0}},
        {"time: 1000 + 20 ", {.kind = POSITION_TIME, .value = 1020, .visit = 0}},
        {"event:18446744073709551615", {.kind = POSITION_EVENT, .value = UINT64_MAX, .visit = 0}},
        {"event:18446744073709551615+5-5",
         {.kind = POSITION_EVENT, .value = UINT64_MAX, .visit = 0}},
        {"event:-3*-2", {.kind = POSITION_EVENT, .value = 6, .visit = 0}},
        {"time:-5+7", {.kind = POSITION_TIME, .value = 2, .visit = 0}},
        {"line:1<<63>>60", {.kind = POSITION_LINE, .value = 8, .visit = 0}},
        {"byte:1>>64", {.kind = POSITION_BYTE, .value = 0, .visit = 0}},
        {"byte:0", {.kind = POSITION_BYTE, .value = 0, .visit = 0}},
        {"pc:0x8000", {.kind = POSITION_PC, .value = 0x8000, .visit = 1}},
        {"pc:main+4#3", {.kind = POSITION_PC, .value = 0x8004, .visit = 3}},
        {"pc:sym::x1#1", {.kind = POSITION_PC, .value = 0xc000, .visit = 1}},
        {"pc:x1",
         {.kind = POSITION_PC, .value = 0xc000, .visit = 1}}, // without registers, it is the symbol
        {"pc:foo#1#2", {.kind = POSITION_PC, .value = 0xb000, .visit = 2}},
        {"pc:counter.0", {.kind = POSITION_PC, .value = 0x9000, .visit = 1}},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct position position;
        struct error err = {0};
        if (position_parse(&position, known[i].text, &known_names, &err) != STATUS_OK ||
            position.kind != known[i].position.kind || position.value != known[i].position.value ||
            position.visit != known[i].position.visit)
            test_fail(__FILE__, __LINE__, known[i].text);
    }
}

struct known_fault {
    const char *text, *message;
    uint64_t offset;
};

static void faulty_positions(void)
{
    static const char no_position[] = "not a position: expected line:N, time:N, event:N, byte:N, "
                                      "pc:ADDR, pc:ADDR#K, start or end";
    static const struct known_fault known[] = {
        {"", no_position, 0},
        {"12", no_position, 0},
        {"ending", no_position, 0},
        {"end:", no_position, 0},
        {"line", no_position, 0},
        {"Line:1", no_position, 0},
        {"line:", "expected a line number", 5},
        {"line:0", "expected a line number above 0", 5},
        {"line:main", "unrecognised identifier name 'main'", 5},
        {"time:12.5.1", "expected a time with up to six digits after the point", 5},
        {"event:0x10000000000000000", "number does not fit in 64 bits", 6},
        {"byte:-", "unexpected end of expression", 6},
        {"pc:", "expected an address", 3},
        {"pc:#1", "expected an address", 3},
        {"time:-5", "expected a time from 0 on", 5},
        {"time:5-10", "expected a time from 0 on", 5},
        {"line:-1", "expected a line number above 0", 5},
        {"event:0-1", "expected an event number from 0 on", 6},
        {"byte:-1", "expected an offset in bytes from 0 on", 5},
        {"pc:main#-1", "expected the number of a visit above 0", 8},
        {"time:18446744073709551615+1", "expected a time of at most 64 bits", 5},
        {"time:1<<64", "expected a time of at most 64 bits", 5},
        {"time:1<<-1", "expected a time of at most 64 bits", 5},
        {"time:(1<<63)*(1<<63)*(1<<63)", "expected a time of at most 64 bits", 5},
        {"time:-1>>1", "expected a time of at most 64 bits", 5},
        {"pc:main#", "expected the number of a visit", 8},
        {"pc:main#0", "expected the number of a visit above 0", 8},
        {"pc:main#x", "unrecognised identifier name 'x'", 8},
        {"pc:main+lr", "unrecognised identifier name 'lr'", 8},
        {"pc:reg::x1", "unrecognised register name 'x1'", 8},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct position position;
        struct error err = {0};
        CHECK(position_parse(&position, known[i].text, &known_names, &err) != STATUS_OK);
        if (strcmp(err.text, known[i].message) != 0 || err.offset != known[i].offset)
            test_fail(__FILE__, __LINE__, known[i].text), test_fail(__FILE__, __LINE__, err.text);
    }
}

static void locations_of_registers(void)
{
    struct location location;
    CHECK(location_parse(&location, "x1", &known_names, NULL) == STATUS_OK);
    CHECK(location.kind == LOCATION_REGISTER && location.size_bytes == 8);
    CHECK(location.which.offset == 8 && location.which.size_bytes == 8);
    CHECK(location_parse(&location, "reg::v3", &known_names, NULL) == STATUS_OK);
    CHECK(location.kind == LOCATION_REGISTER && location.size_bytes == 16);
}

static void locations_in_memory(void)
{
    static const struct {
        const char *text;
        uint64_t address, size_bytes;
    } known[] = {
        {"0x1000", 0x1000, 1},        {"0x1000:16", 0x1000, 16}, {"main", 0x8000, 64},
        {"main:4", 0x8000, 4},        {"main+0", 0x8000, 1},     {"sym::x1", 0xc000, 16},
        {"counter.0", 0x9000, 4},     {"x1:0x20", 0x1111, 0x20}, {"init@0xa000", 0xa000, 1},
        {"sp-16:2*8", 0x1fff0, 16},   {"reg::x1:1", 0x1111, 1},  {"x1+0", 0x1111, 1},
        {"sym::main : 8", 0x8000, 8}, {"-1:1", UINT64_MAX, 1},   {"-16:16", (uint64_t)-16, 16},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct location location;
        uint64_t address;
        if (location_parse(&location, known[i].text, &known_names, NULL) != STATUS_OK ||
            location.kind != LOCATION_MEMORY || location.size_bytes != known[i].size_bytes ||
            location_address(&location, &known_registers, &address, NULL) != STATUS_OK ||
            address != known[i].address)
            test_fail(__FILE__, __LINE__, known[i].text);
    }
}

static void faulty_locations(void)
{
    static const struct known_fault known[] = {
        {"", "unexpected end of expression", 0},
        {":4", "unexpected end of expression", 0},
        {"main:", "expected a size in bytes", 5},
        {"main:0", "expected a size in bytes above 0", 5},
        {"main:-1", "expected a size in bytes above 0", 5},
        {"main:0-4", "expected a size in bytes above 0", 5},
        {"main:x1", "unrecognised identifier name 'x1'", 5},
        {"nothing:4", "unrecognised identifier name 'nothing'", 0},
        {"main:4:8", "unexpected tokens after expression", 4},
        {"reg::", "expected an identifier after '::'", 5},
        {"x9:8", "the value of register 'x9' is unknown at this point", 0},
        {"-1:2", "0x2 bytes from 0xffffffffffffffff on pass the end of the address space",
         ERROR_NO_OFFSET},
    };
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct location location;
        struct error err = {0};
        uint64_t address;
        enum status status = location_parse(&location, known[i].text, &known_names, &err);
        if (status == STATUS_OK)
            status = location_address(&location, &known_registers, &address, &err);
        CHECK(status != STATUS_OK);
        if (strcmp(err.text, known[i].message) != 0 || err.offset != known[i].offset)
            test_fail(__FILE__, __LINE__, known[i].text), test_fail(__FILE__, __LINE__, err.text);
    }
}

const struct test_case position_tests[] = {
    {"positions_of_every_kind", positions_of_every_kind},
    {"faulty_positions", faulty_positions},
    {"locations_of_registers", locations_of_registers},
    {"locations_in_memory", locations_in_memory},
    {"faulty_locations", faulty_locations},
    {NULL, NULL},
};
