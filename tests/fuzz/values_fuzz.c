// An image for values by type: arguments, local variables, expressions and the signature at a PC of
// a stopped program, some of whose registers and memory are known.
//
// Input: eight bytes of PC, 64 of registers and memory, then an ELF file.
#include "fuzz.h"

#include "dwarf/debug_values.h"

#include <stdio.h>

enum { PC_BYTES = 8, STATE_BYTES = 64, HEAD_BYTES = PC_BYTES + STATE_BYTES };

// Registers and memory repeat the bytes of the input; every fifth address is unknown.
static void read_memory(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                        uint8_t *known)
{
    const uint8_t *state = self;
    for (size_t i = 0; i < size_bytes; i++) {
        bytes[i] = state[(address + i) % STATE_BYTES];
        known[i] = (address + i) % 5 != 0;
    }
}

static size_t read_register(void *self, uint64_t number, uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES])
{
    const uint8_t *state = self;
    size_t size_bytes = number < 40 ? 8 : number < 96 ? 16 : 0;
    memcpy(bytes, state + number % 4 * 16, size_bytes);
    return size_bytes;
}

static enum debug_register_kind find_register(void *self, const char *name, size_t length,
                                              uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES],
                                              size_t *size_bytes)
{
    *size_bytes = read_register(self, length, bytes);
    return (enum debug_register_kind)((unsigned char)*name % (DEBUG_REGISTER_FLOAT + 1));
}

static const char *find_symbol(void *self, uint64_t address, uint64_t *offset)
{
    (void)self;
    *offset = address % 8;
    return address % 3 ? "symbol" : NULL;
}

// Every byte of each text can be read.
static void take(void *self, const struct debug_value_text *value)
{
    size_t *count = self;
    *count += strlen(value->name) + strlen(value->value) + (value->type ? strlen(value->type) : 0);
}

static const char *const expressions[] = {"origin",  "table[1]",   "first",       "*first.next",
                                          "fields",  "third",      "complex_one", "nodes",
                                          "&word",   "(long)byte", "*node@3",     "$x0",
                                          "word[1]", "operations", "last.inner"};

static void ask(struct debug_info *info, const struct debug_point *point)
{
    size_t bytes = 0;
    const struct debug_sink sink = {&bytes, take};
    struct error err;
    struct out out;
    for (int list = DEBUG_ARGUMENTS; list <= DEBUG_LOCALS; list++)
        CLAIM(debug_values_list(info, point, (enum debug_list)list, &sink, &err) == STATUS_OK ||
              err.text[0]);
    for (size_t i = 0; i < ARRAY_COUNT(expressions); i++)
        CLAIM(debug_values_expression(info, point, expressions[i], &sink, &err) == STATUS_OK ||
              err.text[0]);
    if (out_open_memory(&out, &err) == STATUS_OK) {
        debug_signature(info, point->pc, &out);
        out_close(&out, &err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    uint8_t state[STATE_BYTES];
    struct debug_point point = {.self = state,
                                .address_mask = UINT64_MAX,
                                .read_memory = read_memory,
                                .read_register = read_register,
                                .find_register = find_register,
                                .find_symbol = find_symbol};
    struct image *image;
    struct debug_info *info;
    struct error err;
    if (size_bytes < HEAD_BYTES)
        return 0;
    memcpy(&point.pc, data, PC_BYTES);
    memcpy(state, data + PC_BYTES, STATE_BYTES);
    const char *path = fuzz_file(data + HEAD_BYTES, size_bytes - HEAD_BYTES);
    if (image_open(&image, path, &err) != STATUS_OK)
        return 0;
    if (debug_info_open(&info, image, &err) == STATUS_OK) {
        if (info)
            ask(info, &point);
        debug_info_close(info);
    } else {
        CLAIM(err.text[0]);
    }
    image_close(image);
    return 0;
}
