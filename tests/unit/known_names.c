#include "known_names.h"

#include <strings.h>

static const struct {
    struct trawl_register which;
    uint64_t value;
    bool is_known;
} registers[] = {
    {{.name = "x1", .offset = 8, .size_bytes = 8}, 0x1111, true},
    {{.name = "x2", .offset = 16, .size_bytes = 8}, 0, false},
    {{.name = "w2", .offset = 16, .size_bytes = 4}, 0xffffffff, true},
    {{.name = "x5", .offset = 40, .size_bytes = 8}, 0, false},
    {{.name = "x9", .offset = 72, .size_bytes = 8}, 0, false},
    {{.name = "sp", .offset = 0xf8, .size_bytes = 8}, 0x20000, true},
    {{.name = "v0", .offset = 0x100, .size_bytes = 16}, 0, false},
    {{.name = "v3", .offset = 0x400, .size_bytes = 16}, 0, false},
    {{.name = "pc", .flags = TRAWL_REGISTER_PC}, 0x8004, true},
};

static bool find_register(void *self, const char *name, size_t length, struct trawl_register *found)
{
    (void)self;
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++) {
        *found = registers[i].which;
        if (strlen(found->name) == length && strncasecmp(found->name, name, length) == 0)
            return true;
    }
    return false;
}

static bool find_symbol(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol)
{
    static const struct {
        const char *name;
        struct expression_symbol symbol;
    } symbols[] = {
        {"main", {0x8000, 64, true}},       {"counter.0", {0x9000, 4, false}},
        {"init@0xa000", {0xa000, 0, true}}, {"foo#1", {0xb000, 8, false}},
        {"x1", {0xc000, 16, false}},
    };
    (void)self;
    for (size_t i = 0; i < ARRAY_COUNT(symbols); i++) {
        if (length == strlen(symbols[i].name) && memcmp(name, symbols[i].name, length) == 0) {
            *symbol = symbols[i].symbol;
            return true;
        }
    }
    return false;
}

static bool read_register(void *self, const struct trawl_register *which, uint64_t *value)
{
    (void)self;
    for (size_t i = 0; i < ARRAY_COUNT(registers); i++) {
        if (strcmp(which->name, registers[i].which.name) == 0) {
            *value = registers[i].value;
            return registers[i].is_known;
        }
    }
    return false;
}

const struct expression_names known_names = {.find_register = find_register,
                                             .find_symbol = find_symbol};
const struct expression_registers known_registers = {.read = read_register};
