// Call frame information and exception tables. The first byte selects the machine of the image and
// the section; the rest is the section. The rest is also used as an expression, and as unwind
// instructions.
#include "fuzz.h"

#include "elf/cfi.h"
#include "elf/cfi_expression.h"
#include "elf/exidx.h"

enum { FUNCTIONS_MAX = 200, ROWS_MAX = 200, SECTION_AT = 0x400 };

static bool read_register(void *self, uint64_t number, uint64_t *value)
{
    (void)self;
    *value = 0x1000 * number;
    return number != 7;
}

static bool read_memory(void *self, uint64_t address, unsigned size_bytes, uint64_t *value)
{
    (void)self;
    CLAIM(size_bytes >= 1 && size_bytes <= 8);
    *value = address ^ 0x55;
    return address % 13 != 0;
}

static void evaluate(const uint8_t *bytes, size_t size_bytes, unsigned address_bytes)
{
    const struct cfi_reader reader = {NULL, read_register, read_memory};
    const struct cfi_expression expression = {bytes, size_bytes, address_bytes, size_bytes % 2};
    const uint64_t cfa = 0x8000;
    uint64_t value;
    if (cfi_expression_value(&expression, &reader, size_bytes % 3 ? &cfa : NULL, &value))
        CLAIM(address_bytes == 8 || value <= UINT32_MAX || size_bytes < 20);
}

static void check_place(const struct frame_row *row, const struct frame_location *place)
{
    CLAIM(place->kind <= FRAME_VALUE_EXPRESSION && place->base < FRAME_REGISTERS);
    if (place->kind == FRAME_MEMORY_EXPRESSION || place->kind == FRAME_VALUE_EXPRESSION)
        evaluate(row->expressions + place->offset, place->length, 8);
}

static void check_row(const struct frame_row *row)
{
    CLAIM(row->ra < FRAME_REGISTERS);
    CLAIM(row->cfa.kind == FRAME_REGISTER || row->cfa.kind == FRAME_VALUE_EXPRESSION);
    check_place(row, &row->cfa);
    for (unsigned i = 0; i < FRAME_REGISTERS; i++)
        check_place(row, &row->registers[i]);
}

static void check_cfi(struct cfi *cfi)
{
    uint64_t before = 0;
    for (size_t i = 0; i < cfi_function_count(cfi) && i < FUNCTIONS_MAX; i++) {
        uint64_t start, end, pc;
        cfi_function_at(cfi, i, &start, &end);
        CLAIM(start >= before && start < end);
        before = pc = start;
        for (unsigned rows = 0; pc < end && rows < ROWS_MAX; rows++) {
            const struct frame_row *row = cfi_find(cfi, pc);
            if (!row)
                break;
            check_row(row);
            CLAIM(row->end > row->start || row->end >= pc);
            pc = row->end > pc ? row->end : end;
        }
    }
}

static void check_exidx(const struct exidx *exidx)
{
    for (size_t i = 0; i < exidx_function_count(exidx) && i < FUNCTIONS_MAX; i++) {
        struct frame_row row;
        if (exidx_find(exidx, exidx_function_at(exidx, i), &row) == EXIDX_ROW)
            check_row(&row);
    }
}

struct field {
    size_t at, bytes;
    uint64_t value;
};

static void put_fields(uint8_t *out, const struct field *fields, size_t count, bool is_big)
{
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < fields[i].bytes; byte++)
            out[fields[i].at + (is_big ? fields[i].bytes - 1 - byte : byte)] =
                (uint8_t)(fields[i].value >> 8 * byte);
}

// Makes an ELF file of 32 bits for Arm, or of 64 bits for AArch64: all of it is one executable
// segment, with a section of that name. Code comes before the section, whose values are relative to
// its address.
static size_t wrap(uint8_t *out, const uint8_t *data, size_t size_bytes, bool is_arm, bool is_big,
                   const char *name)
{
    size_t names_at = SECTION_AT + size_bytes, table = (names_at + 40 + 7) & ~(size_t)7;
    size_t width = is_arm ? 4 : 8, entry = is_arm ? 40 : 64;
    memset(out, 0, table + 3 * entry);
    memcpy(out, "\177ELF\1\1\1", 7);
    out[4] = is_arm ? 1 : 2;
    out[5] = is_big ? 2 : 1;
    memcpy(out + SECTION_AT, data, size_bytes);
    strcpy((char *)out + names_at + 1, name);
    const struct field head[] = {{16, 2, 2},
                                 {18, 2, is_arm ? 40 : 183},
                                 {20, 4, 1},
                                 {24 + width, width, is_arm ? 52 : 64},
                                 {24 + 2 * width, width, table},
                                 {28 + 3 * width, 2, is_arm ? 52 : 64},
                                 {30 + 3 * width, 2, is_arm ? 32 : 56},
                                 {32 + 3 * width, 2, 1},
                                 {34 + 3 * width, 2, entry},
                                 {36 + 3 * width, 2, 3},
                                 {38 + 3 * width, 2, 1}};
    put_fields(out, head, ARRAY_COUNT(head), is_big);
    const struct field segment_64[] = {{64, 4, 1},     {68, 4, 5},        {72, 8, 0}, {80, 8, 0},
                                       {96, 8, table}, {104, 8, 1 << 30}, {112, 8, 1}};
    const struct field segment_32[] = {{52, 4, 1},     {56, 4, 0},       {60, 4, 0},
                                       {68, 4, table}, {72, 4, 1 << 30}, {76, 4, 5}};
    put_fields(out, is_arm ? segment_32 : segment_64,
               is_arm ? ARRAY_COUNT(segment_32) : ARRAY_COUNT(segment_64), is_big);
    size_t first = table + entry, second = table + 2 * entry;
    const bool is_exidx = strcmp(name, ".ARM.exidx") == 0;
    const uint64_t kind = is_exidx ? 0x70000001 : 1, address = is_exidx ? SECTION_AT : 1 << 20;
    const struct field sections[] = {{first + 4, 4, 3},
                                     {first + 8 + 2 * width, width, names_at},
                                     {first + 8 + 3 * width, width, 40},
                                     {second, 4, 1},
                                     {second + 4, 4, kind},
                                     {second + 8 + width, width, address},
                                     {second + 8 + 2 * width, width, SECTION_AT},
                                     {second + 8 + 3 * width, width, size_bytes}};
    put_fields(out, sections, ARRAY_COUNT(sections), is_big);
    return table + 3 * entry;
}

static void check_image(const uint8_t *data, size_t size_bytes, bool is_arm, bool is_big,
                        const char *name)
{
    struct image *image;
    struct cfi *cfi;
    struct exidx *exidx;
    struct error err;
    uint8_t *elf = malloc(size_bytes + SECTION_AT + 512);
    CLAIM(elf);
    const char *path = fuzz_file(elf, wrap(elf, data, size_bytes, is_arm, is_big, name));
    free(elf);
    CLAIM(image_open(&image, path, &err) == STATUS_OK);
    CLAIM(cfi_open(&cfi, image, &err) == STATUS_OK);
    CLAIM(exidx_open(&exidx, image, &err) == STATUS_OK);
    if (cfi)
        check_cfi(cfi);
    if (exidx)
        check_exidx(exidx);
    cfi_close(cfi);
    exidx_close(exidx);
    image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const char *const names[] = {".eh_frame", ".debug_frame", ".ARM.exidx", ".eh_frame"};
    struct frame_row row;
    if (size_bytes == 0)
        return 0;
    bool is_arm = data[0] & 1, is_big = data[0] & 2;
    evaluate(data + 1, size_bytes - 1, is_arm ? 4 : 8);
    if (exidx_run(data + 1, size_bytes - 1, &row) == EXIDX_ROW)
        check_row(&row);
    check_image(data + 1, size_bytes - 1, is_arm, is_big, names[data[0] >> 2 & 3]);
    return 0;
}
