// Records of accesses and registers are compared with a simple interpretation of their digits.
#include "random.h"
#include "test.h"
#include "trace/lines/records.h"

#include <stdlib.h>

// A byte in a drawing: hex digits, or the same character twice.
struct drawn_byte {
    char text[2];
};

// Draws bytes, with the highest address first.
static size_t draw(const struct drawn_byte bytes[16], bool has_blanks, char *out)
{
    size_t at = 0;
    for (size_t i = 0; i < 16; i++) {
        if (has_blanks && i && i % 4 == 0)
            out[at++] = ' ';
        memcpy(out + at, bytes[i].text, 2);
        at += 2;
    }
    return at;
}

static void random_bytes(struct prng *prng, struct drawn_byte bytes[16], bool has_unknown)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    uint32_t more = 1 + prng_below(prng, 20); // of the same kind as the previous one
    char kind = 0;
    for (size_t i = 0; i < 16; i++) {
        if (!kind || prng_below(prng, more) == 0)
            kind = "x.x#"[prng_below(prng, has_unknown ? 4 : 3)];
        for (size_t k = 0; k < 2; k++)
            bytes[i].text[k] = kind == 'x' ? digits[prng_below(prng, 22)] : kind;
    }
}

static char kind_of(const struct drawn_byte bytes[16], int offset)
{
    char first = bytes[15 - offset].text[0];
    return first == '.' || first == '#' ? first : 'x';
}

static uint64_t number_of(const struct drawn_byte bytes[16], int low, int size, bool big_endian)
{
    char text[17] = {0};
    for (int i = 0; i < size; i++) {
        int offset = big_endian ? low + i : low + size - 1 - i; // the most significant byte first
        memcpy(text + 2 * (size_t)i, bytes[15 - offset].text, 2);
    }
    return strtoull(text, NULL, 16);
}

// Whether the records are the runs of the drawing, in descending order.
static bool are_runs(const struct records *records, const struct drawn_byte bytes[16],
                     uint64_t address, bool big_endian)
{
    size_t found = 0;
    for (int high = 15, low; high >= 0; high = low - 1) {
        char kind = kind_of(bytes, high);
        for (low = high; low > 0 && kind_of(bytes, low - 1) == kind; low--) {
            if (kind == 'x' && high - low == 7)
                break;
        }
        if (kind == '.')
            continue;
        int size = high - low + 1;
        uint64_t value = kind == 'x' ? number_of(bytes, low, size, big_endian) : 0;
        const struct memory_record *record = &records->accesses.items[found];
        if (found++ == records->accesses.count || record->address != address + (uint64_t)low ||
            record->size_bytes != size || record->is_known != (kind == 'x') ||
            record->value != value || record->line != 7 || !record->is_read)
            return false;
    }
    return found == records->accesses.count;
}

static void drawings_are_runs_of_bytes(void)
{
    struct prng prng = {11};
    struct records records = {0};
    for (int i = 0; i < 20000; i++) {
        struct drawn_byte bytes[16];
        char text[64];
        const struct record_options options = {READING_TRUE, prng_below(&prng, 2)};
        random_bytes(&prng, bytes, prng_below(&prng, 4) == 0);
        size_t length = draw(bytes, prng_below(&prng, 4) != 0, text);
        const struct line_diagram diagram = {0x1000, true, text, text + length};
        records_reset(&records);
        CHECK(records_add_diagram(&records, &diagram, 7, &options));
        CHECK(are_runs(&records, bytes, 0x1000, options.big_endian));
    }
    records_free(&records);
}

static struct register_part part_of(const char *name, const char *value, uint32_t first_byte,
                                    uint32_t size_bytes)
{
    const struct line_register reg = {
        .name = register_find(name, strlen(name), READING_TRUE),
        .value_start = value,
        .value_end = value + strlen(value),
        .is_plain = true,
        .first_byte = first_byte,
        .size_bytes = size_bytes,
    };
    return records_part_of(&reg);
}

static bool is_part(struct register_part part, unsigned cell, unsigned mask, unsigned shift,
                    unsigned lower)
{
    return part.cell == cell && part.mask == mask && part.shift == shift && part.lower == lower;
}

static void parts_of_cells(void)
{
    const unsigned psr = REGISTER_OFFSET_PSR / 8, vectors = REGISTER_OFFSET_VECTORS / 8;
    const unsigned vector_cells = (REGISTER_OFFSET_PREDICATES - REGISTER_OFFSET_VECTORS) / 8 / 32;
    const char *whole = "00112233445566778899aabbccddeeff";
    CHECK(is_part(part_of("x12", "0123456789abcdef", 0, 8), 12, 0xff, 0, 0));
    CHECK(is_part(part_of("cpsr", "600003c5", 0, 4), psr, 0x0f, 0, 0));
    CHECK(is_part(part_of("fpscr", "600003c5", 0, 4), psr, 0xf0, 4, 0));
    CHECK(is_part(part_of("x12", "beef", 2, 2), 12, 0x0c, 2, 0));
    CHECK(is_part(part_of("v1", whole, 0, 16), vectors + vector_cells, 0xff, 0, 16));
    CHECK(is_part(part_of("v0", "0011223344556677_8899aabbccddeeff", 0, 16), vectors, 0xff, 0, 17));
    CHECK(!part_of("v0", "00112233_44556677_8899aabb_ccddeeff", 0, 16).mask);
    CHECK(!part_of("x12", "01234567_89abcdef", 0, 8).mask);
    CHECK(!part_of("w12", "01234567", 0, 4).mask); // depends on the state
    CHECK(!part_of("d1", "0123456789abcdef", 0, 8).mask);
}

const struct test_case records_tests[] = {
    {"drawings_are_runs_of_bytes", drawings_are_runs_of_bytes},
    {"parts_of_cells", parts_of_cells},
    {NULL, NULL},
};
