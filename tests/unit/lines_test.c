// Lines of the images of the corpus, and the effects of damaged DWARF.
#include "dwarf/debug_info.h"
#include "elf/lines.h"
#include "elf/symbols.h"
#include "test.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define IMAGE_BYTES_MAX 32768

// An image of the corpus in memory, to be damaged.
struct copy {
    _Alignas(8) uint8_t bytes[IMAGE_BYTES_MAX];
    size_t size_bytes;
};

static struct copy read_image(const char *path)
{
    struct copy copy = {.size_bytes = 0};
    FILE *file = fopen(path, "rb");
    CHECK(file);
    if (!file)
        return copy;
    copy.size_bytes = fread(copy.bytes, 1, sizeof copy.bytes, file);
    fclose(file);
    CHECK(copy.size_bytes > sizeof(Elf64_Ehdr) && copy.size_bytes < sizeof copy.bytes);
    return copy;
}

// The header of a section. Only these images have these names.
static Elf64_Shdr *section_of(struct copy *copy, const char *name)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)copy->bytes;
    Elf64_Shdr *sections = (Elf64_Shdr *)(copy->bytes + header->e_shoff);
    const char *names = (const char *)copy->bytes + sections[header->e_shstrndx].sh_offset;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, name) == 0)
            return &sections[i];
    }
    CHECK(false); // the section must exist
    return sections;
}

// Opens the lines of the image, and finds the place of a function if there are any.
static enum status find(const struct copy *copy, const char *function,
                        struct source_location *place, char file[32], struct error *err)
{
    char path[40];
    struct image *image;
    struct symbols *symbols = NULL;
    struct lines *lines = NULL;
    int fd = memfd_create("image", MFD_CLOEXEC);
    CHECK(fd >= 0 && write(fd, copy->bytes, copy->size_bytes) == (ssize_t)copy->size_bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(image_open(&image, path, err) == STATUS_OK);
    CHECK(symbols_load(&symbols, image, SYMBOLS_RIGHT, err) == STATUS_OK);
    const struct symbol *symbol = symbols_by_name(symbols, function);
    enum status status = lines_open(&lines, image, err);
    *place = (struct source_location){.file = "none"};
    CHECK(symbol && (status == STATUS_OK || !lines));
    if (symbol)
        lines_find(lines, symbol->address, place);
    snprintf(file, 32, "%s", place->file);
    lines_close(lines);
    symbols_free(symbols);
    image_close(image);
    close(fd);
    return status;
}

static void lines_are_found(void)
{
    static const struct {
        const char *function, *file;
        uint32_t line;
    } cases[] = {{"leaf", "lines_leaf.c", 5},
                 {"_Z5otherl", "lines_other.cpp", 12},
                 {"_Z7doubledl", "lines.h", 9},
                 {"_Z4bodyl", "none", 0}};
    struct copy copy = read_image("corpus/xray/lines.elf");
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct source_location place;
        struct error err;
        char file[32];
        CHECK(find(&copy, cases[i].function, &place, file, &err) == STATUS_OK);
        CHECK_STR(file, cases[i].file);
        CHECK(place.line == cases[i].line);
    }
}

static void lines_of_damaged_sections_are_refused(void)
{
    static const char *const names[] = {".debug_info", ".debug_str_offsets", ".debug_loc"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        bool is_packed = i == 2;
        struct source_location place;
        struct error err;
        char file[32];
        struct copy copy =
            read_image(is_packed ? "corpus/xray/lines-packed.elf" : "corpus/xray/lines.elf");
        Elf64_Shdr *section = section_of(&copy, names[i]);
        if (is_packed) // claims to decompress to a terabyte
            ((Elf64_Chdr *)(copy.bytes + section->sh_offset))->ch_size = UINT64_C(1) << 40;
        else
            section->sh_size = UINT64_C(1) << 40;
        CHECK(find(&copy, "leaf", &place, file, &err) == STATUS_INPUT);
        CHECK(strstr(err.text, names[i]));
    }
}

static void lines_without_end_of_strings_are_refused(void)
{
    struct source_location place;
    struct error err;
    char file[32];
    struct copy copy = read_image("corpus/xray/lines.elf");
    section_of(&copy, ".debug_line_str")->sh_size -= 1;
    CHECK(find(&copy, "leaf", &place, file, &err) == STATUS_INPUT);
    CHECK(strstr(err.text, "have no end"));
}

// Units that use an abbreviation far after others: libdw would read those again for each unit.
static void lines_of_entangled_units_are_refused(void)
{
    static const uint8_t unit[] = {9, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0, 127}; // abbreviation 127
    static const uint8_t other[] = {1, DW_TAG_compile_unit, 0, DW_AT_language, DW_FORM_data1, 0, 0};
    struct source_location place;
    struct error err;
    char file[32];
    struct copy copy = read_image("corpus/xray/lines.elf");
    Elf64_Shdr *info = section_of(&copy, ".debug_info");
    Elf64_Shdr *abbrev = section_of(&copy, ".debug_abbrev");
    info->sh_offset = sizeof copy.bytes / 4;
    info->sh_size = sizeof copy.bytes / 4;
    abbrev->sh_offset = info->sh_offset + info->sh_size;
    abbrev->sh_size = sizeof copy.bytes - abbrev->sh_offset;
    copy.size_bytes = sizeof copy.bytes;
    memset(copy.bytes + info->sh_offset, 0, copy.size_bytes - info->sh_offset);
    for (uint64_t at = 0; at + sizeof unit <= info->sh_size; at += sizeof unit)
        memcpy(copy.bytes + info->sh_offset + at, unit, sizeof unit);
    for (uint64_t at = 0; at + sizeof other <= abbrev->sh_size; at += sizeof other)
        memcpy(copy.bytes + abbrev->sh_offset + at, other, sizeof other);
    CHECK(find(&copy, "leaf", &place, file, &err) == STATUS_LIMIT);
}

// As llvm-symbolizer shows them: "memcpy lib.c:33 < memmove".
static void inlined_functions_are_told(void)
{
    static const struct {
        uint64_t pc;
        const char *chain;
    } cases[] = {{0x8028c, "memmove"},
                 {0x80290, "memcpy lib.c:33 < memmove"},
                 {0x8038c, "memcpy lib.c:33 < memmove"},
                 {0x80390, "memmove"},
                 {0x80414, "memcpy lib.c:33 < memmove"},
                 {0x80484, "memmove"},
                 {0x805e0, "print lib.c:76 < print_number"},
                 {0x805ec, "print lib.c:77 < print_number"},
                 {0x805f8, "print_number"},
                 {0x10, ""}};
    struct image *image;
    struct debug_info *info = NULL;
    struct error err;
    CHECK(image_open(&image, "corpus/stacks/longjmp-a64.elf", &err) == STATUS_OK);
    CHECK(debug_info_open(&info, image, &err) == STATUS_OK && info);
    for (size_t i = 0; info && i < ARRAY_COUNT(cases); i++) {
        struct debug_inline chain[4];
        char text[128] = "";
        size_t length = 0, count = debug_inlines(info, cases[i].pc, chain, ARRAY_COUNT(chain));
        for (size_t k = 0; k < count; k++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", k ? " < " : "",
                                       chain[k].name);
            if (chain[k].file)
                length += (size_t)snprintf(text + length, sizeof text - length, " %s:%u",
                                           chain[k].file, chain[k].line);
        }
        CHECK_STR(text, cases[i].chain);
        CHECK(debug_inlines(info, cases[i].pc, chain, 1) == (count > 0));
    }
    debug_info_close(info);
    image_close(image);
}

const struct test_case lines_tests[] = {
    {"lines_are_found", lines_are_found},
    {"inlined_functions_are_told", inlined_functions_are_told},
    {"lines_of_damaged_sections_are_refused", lines_of_damaged_sections_are_refused},
    {"lines_without_end_of_strings_are_refused", lines_without_end_of_strings_are_refused},
    {"lines_of_entangled_units_are_refused", lines_of_entangled_units_are_refused},
    {NULL, NULL},
};
