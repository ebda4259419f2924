// Images: a file that begins like an ELF file is opened. Its symbols are looked up in both readings
// and in a set of images, and so are the lines of their addresses. Anything else is demangled as a
// name.
#include "base/limits.h"
#include "fuzz.h"

#include "elf/demangle.h"
#include "elf/image_set.h"
#include "elf/lines.h"

// Finds the symbol at an address by the rule of address_index.h, without an index.
static bool covers(const struct symbol *symbol, uint64_t address)
{
    return symbol->address <= address &&
           (symbol->size == 0 || address - symbol->address < symbol->size);
}

static void look_around(const struct symbols *symbols, const struct symbol *symbol)
{
    const uint64_t around[] = {symbol->address, symbol->address - 1, symbol->address + 1,
                               symbol->address + symbol->size - 1, symbol->address + symbol->size};
    for (size_t i = 0; i < ARRAY_COUNT(around); i++) {
        const struct symbol *found = symbols_by_address(symbols, around[i]);
        CLAIM(!found || found->address <= around[i]);
        // A symbol that begins later and covers the address would be closer.
        if (found && covers(symbol, around[i]) && symbol->size)
            CLAIM(found->address >= symbol->address);
    }
}

static void check_symbols(const struct image *image, enum symbols_reading reading)
{
    struct symbols *symbols;
    struct error err;
    if (symbols_load(&symbols, image, reading, &err) != STATUS_OK) {
        CLAIM(!symbols && err.text[0]);
        return;
    }
    struct arena arena = {0};
    size_t count;
    const struct symbol *all = symbols_all(symbols, &count);
    for (size_t i = 0; i < count && i < 200; i++) {
        look_around(symbols, &all[i]);
        symbols_by_name(symbols, all[i].name);
        const struct symbol *shown = symbols_by_name(symbols, all[i].display);
        CLAIM(reading == SYMBOLS_AS_TTU || shown);
        CLAIM(demangle_symbol(&arena, all[i].display));
    }
    arena_free(&arena);
    symbols_free(symbols);
}

static void check_lines(const struct image *image)
{
    struct lines *lines;
    struct symbols *symbols;
    struct source_location place;
    struct error err;
    size_t count = 0;
    if (lines_open(&lines, image, &err) != STATUS_OK)
        CLAIM(!lines && err.text[0]);
    const struct symbol *all = NULL;
    if (symbols_load(&symbols, image, SYMBOLS_RIGHT, &err) == STATUS_OK)
        all = symbols_all(symbols, &count);
    for (size_t i = 0; i < count && i < 200; i++) {
        if (lines_find(lines, all[i].address, &place))
            CLAIM(!strchr(place.file, '/'));
    }
    symbols_free(symbols);
    lines_close(lines);
}

static void check_set(const char *path)
{
    struct image_set set = {{0}, {0}};
    struct image_symbol place;
    struct error err;
    for (uint64_t offset = 0; offset < 3; offset++) {
        if (image_set_add(&set, path, offset * UINT64_C(0xfffffffffffff000), &err) != STATUS_OK)
            break;
    }
    for (size_t i = 0; i < set.ranges.count; i++) {
        const struct image_range *range = &set.ranges.items[i];
        CLAIM(range->first <= range->last && range->member < set.members.count);
        CLAIM(i == 0 || set.ranges.items[i - 1].last < range->first);
        image_set_by_address(&set, range->first, &place);
        if (image_set_by_address(&set, range->last, &place))
            CLAIM(place.symbol && place.member < set.members.count);
    }
    image_set_by_name(&set, "main", &place);
    image_set_free(&set);
}

static void check_image(const char *path)
{
    struct image *image;
    struct error err;
    if (image_open(&image, path, &err) != STATUS_OK) {
        CLAIM(!image && err.text[0]);
        return;
    }
    CLAIM(image_class_bits(image) == 32 || image_class_bits(image) == 64);
    CLAIM(image_machine_name(image)[0]);
    check_symbols(image, SYMBOLS_AS_TTU);
    check_symbols(image, SYMBOLS_RIGHT);
    check_lines(image);
    image_close(image);
    check_set(path);
}

static void check_name(const void *bytes, size_t size_bytes)
{
    struct arena arena = {0};
    char *name = arena_copy_string(&arena, bytes, size_bytes);
    CLAIM(name);
    const char *shown = demangle_symbol(&arena, name);
    CLAIM(shown == name || strlen(shown) <= LIMIT_DEMANGLED_BYTES + size_bytes);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    if (size_bytes >= 4 && memcmp(data, "\177ELF", 4) == 0)
        check_image(fuzz_file(data, size_bytes));
    else
        check_name(data, size_bytes);
    return 0;
}
