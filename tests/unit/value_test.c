// Values that are partly unknown, and the registers that a list of names stands for.
#include "arch/arm/arm.h"
#include "arch/arm/isa.h"
#include "base/limits.h"
#include "idx/index.h"
#include "query/register_set.h"
#include "report/value.h"
#include "test.h"

static void unknown_bytes_are_dots(void)
{
    static const uint8_t values[] = {0x0d, 0xf0, 0xad, 0xde}, known[] = {1, 1, 0, 1};
    char text[VALUE_TEXT_MAX];
    CHECK(value_number(text, values, known, 4) == 10);
    CHECK(strcmp(text, "0xde..f00d") == 0);
    value_bytes(text, values, known, 4);
    CHECK(strcmp(text, "0df0..de") == 0);
    CHECK(value_number(text, values, known, 0) == 2);
    value_bytes(text, values, known, 0);
    CHECK(*text == '\0');
}

static void the_largest_value_fits(void)
{
    uint8_t values[LIMIT_VALUE_BYTES] = {0}, known[LIMIT_VALUE_BYTES] = {0};
    char text[VALUE_TEXT_MAX];
    CHECK(value_number(text, values, known, LIMIT_VALUE_BYTES) == VALUE_TEXT_MAX - 1);
}

// An index that has only the registers of an Arm core.
static void begin_view(struct index_view *view, struct trawl_index *index)
{
    const struct register_figures figures = {true, 8, 0};
    *index = (struct trawl_index){0};
    *view = (struct index_view){.index = index};
    CHECK(register_layout_make(&index->layout, tarmac_registers.runs, tarmac_registers.count,
                               &figures));
}

static enum status parse_set(struct register_set *set, const char *text, uint32_t isa,
                             struct error *err)
{
    struct index_view view;
    struct trawl_index index;
    begin_view(&view, &index);
    enum status status = register_set_parse(set, &view, text, isa, err);
    register_layout_free(&index.layout);
    return status;
}

static bool is_listed(const char *text, bool aarch64, size_t count, const char *first,
                      const char *last)
{
    struct register_set set = {0};
    bool is_same = parse_set(&set, text, aarch64 ? ISA_AARCH64 : ISA_THUMB, NULL) == STATUS_OK &&
                   set.count == count && strcmp(set.items[0].name, first) == 0 &&
                   strcmp(set.items[count - 1].name, last) == 0;
    register_set_free(&set);
    return is_same;
}

static void names_of_registers(void)
{
    static const struct {
        const char *name;
        uint64_t offsets[2], sizes[2]; // in A32 and A64; 0: there is none
    } known[] = {
        {"sp", {0x68, 0xf8}, {4, 8}},
        {"SP_EL0", {0x68, 0xf8}, {4, 8}},
        {"lr", {0x70, 0xf0}, {4, 8}},
        {"LR", {0x70, 0xf0}, {4, 8}},
        {"lr_svc", {0x70, 0x70}, {4, 4}},
        {"r14_svc", {0x70, 0x70}, {4, 4}},
        {"d3", {0x208, 0x400}, {8, 8}},
        {"s5", {0x204, 0x600}, {4, 4}},
        {"cpsr", {0x2300, 0x2300}, {4, 4}},
        {"X007", {0x38, 0x38}, {8, 8}},
        {"W7", {0x38, 0x38}, {4, 4}},
        {"q20", {0x1500, 0x1500}, {16, 16}},
        {"e31", {0xf8, 0xf8}, {8, 8}},
        {"MSP_ns", {0x68, 0x68}, {4, 4}},
        {"", {0}, {0}},
        {"x31", {0}, {0}},
        {"x7_a", {0}, {0}},
        {"x_7", {0}, {0}},
        {"lr_svc1_", {0x70, 0x70}, {4, 4}},
        {"x18446744073709551623", {0}, {0}},
        {"e32", {0}, {0}},
        {"x", {0}, {0}},
        {"7", {0}, {0}},
        {"DC", {0}, {0}},
    };
    struct index_view view;
    struct trawl_index index;
    begin_view(&view, &index);
    for (size_t i = 0; i < 2 * ARRAY_COUNT(known); i++) {
        const char *name = known[i / 2].name;
        struct trawl_register found = {0};
        trawl_register_named(&index, i % 2 ? ISA_AARCH64 : ISA_ARM, name, strlen(name), &found,
                             NULL);
        if (found.offset != known[i / 2].offsets[i % 2] ||
            found.size_bytes != known[i / 2].sizes[i % 2])
            test_fail(__FILE__, __LINE__, name);
    }
    register_layout_free(&index.layout);
}

static void registers_by_what_they_are(void)
{
    struct index_view view;
    struct trawl_index index;
    struct trawl_register found;
    begin_view(&view, &index);
    CHECK(trawl_register_with(&index, ISA_AARCH64, TRAWL_REGISTER_SP, &found, NULL) == TRAWL_OK &&
          strcmp(found.name, "sp") == 0 && found.offset == 0xf8);
    CHECK(trawl_register_with(&index, ISA_ARM, TRAWL_REGISTER_LINK, &found, NULL) == TRAWL_OK &&
          strcmp(found.name, "lr") == 0 && found.offset == 0x70);
    CHECK(trawl_register_of_dwarf(&index, ISA_AARCH64, 29, &found, NULL) == TRAWL_OK &&
          strcmp(found.name, "x29") == 0);
    CHECK(trawl_register_of_dwarf(&index, ISA_AARCH64, 1000, &found, NULL) == TRAWL_NOT_FOUND);
    CHECK(trawl_register(&index, trawl_register_count(&index), &found, NULL) == TRAWL_NOT_FOUND);
    // A caller compiled with another version of the header.
    struct {
        struct trawl_register found;
        uint8_t more[8];
    } larger;
    memset(&larger, 0x55, sizeof larger);
    CHECK(trawl_register_(&index, 0, &larger.found, sizeof larger, NULL) == TRAWL_OK);
    CHECK(strcmp(larger.found.name, "x0") == 0 && larger.more[0] == 0 && larger.more[7] == 0);
    memset(&larger, 0x55, sizeof larger);
    CHECK(trawl_register_(&index, 0, &larger.found, sizeof found.name, NULL) == TRAWL_OK);
    CHECK(strcmp(larger.found.name, "x0") == 0 && larger.found.offset == 0x5555555555555555);
    register_layout_free(&index.layout);
}

static void words_stand_for_groups(void)
{
    CHECK(is_listed("general", true, 33, "x0", "psr"));
    CHECK(is_listed("vector", true, 34, "v0", "fpsr"));
    CHECK(is_listed(NULL, true, 67, "x0", "fpsr"));
    CHECK(is_listed("all", true, 115, "x0", "fpsr"));
    CHECK(is_listed("general", false, 16, "r0", "psr"));
    CHECK(is_listed("x3,general,W0", true, 35, "x3", "W0"));
}

static void faulty_lists(void)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } known[] = {{"", 0},    {"x0,", 3}, {"x0,,x1", 3},
                 {"x31", 0}, {"pc", 0},  {"x0,reallylongname", 3}};
    for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
        struct register_set set = {0};
        struct error err;
        CHECK(parse_set(&set, known[i].text, ISA_AARCH64, &err) == STATUS_INPUT);
        CHECK(err.offset == known[i].offset);
        register_set_free(&set);
    }
}

const struct test_case value_tests[] = {
    {"unknown_bytes_are_dots", unknown_bytes_are_dots},
    {"the_largest_value_fits", the_largest_value_fits},
    {"names_of_registers", names_of_registers},
    {"registers_by_what_they_are", registers_by_what_they_are},
    {"words_stand_for_groups", words_stand_for_groups},
    {"faulty_lists", faulty_lists},
    {NULL, NULL},
};
