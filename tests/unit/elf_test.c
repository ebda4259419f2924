#include "base/arena.h"
#include "elf/address_index.h"
#include "elf/image.h"
#include "elf/image_set.h"
#include "elf/symbols.h"
#include "test.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// --- A small ELF writer: header, segments, symbols, strings, section table ---

struct elf_symbol {
    const char *name;
    uint64_t value, size;
    unsigned type, binding, section;
};

struct elf_segment {
    uint64_t address, size;
};

struct elf_recipe {
    bool is_64, is_big_endian;
    unsigned machine;
    const struct elf_symbol *symbols;
    size_t symbol_count;
    const struct elf_segment *segments;
    size_t segment_count;
    bool has_no_sections;
};

// The places of the parts, for tests that change them.
struct elf_file {
    unsigned char *bytes;
    size_t size_bytes, symtab_at, strtab_at, sections_at;
    bool is_64, is_big_endian;
};

#define SECTION_COUNT 3 // null, symbols, strings
#define NULL_SECTION 0
#define SYMTAB_SECTION 1
#define STRTAB_SECTION 2

static void store(struct elf_file *file, size_t at, size_t size_bytes, uint64_t value)
{
    for (size_t i = 0; i < size_bytes; i++)
        file->bytes[file->is_big_endian ? at + size_bytes - 1 - i : at + i] =
            (unsigned char)(value >> 8 * i);
}

// Stores a field of a structure that starts at `base`.
#define STORE(file, base, structure, field, value)                                                 \
    do {                                                                                           \
        if ((file)->is_64)                                                                         \
            store((file), (base) + offsetof(Elf64_##structure, field),                             \
                  sizeof((Elf64_##structure){0}.field), (value));                                  \
        else                                                                                       \
            store((file), (base) + offsetof(Elf32_##structure, field),                             \
                  sizeof((Elf32_##structure){0}.field), (value));                                  \
    } while (0)

#define SIZE_OF(file, structure)                                                                   \
    ((file)->is_64 ? sizeof(Elf64_##structure) : sizeof(Elf32_##structure))

static size_t section_at(const struct elf_file *file, size_t number)
{
    return file->sections_at + number * SIZE_OF(file, Shdr);
}

static void write_header(struct elf_file *file, const struct elf_recipe *recipe)
{
    memcpy(file->bytes, ELFMAG, SELFMAG);
    file->bytes[EI_CLASS] = file->is_64 ? ELFCLASS64 : ELFCLASS32;
    file->bytes[EI_DATA] = file->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    file->bytes[EI_VERSION] = EV_CURRENT;
    STORE(file, 0, Ehdr, e_type, ET_EXEC);
    STORE(file, 0, Ehdr, e_machine, recipe->machine);
    STORE(file, 0, Ehdr, e_version, EV_CURRENT);
    STORE(file, 0, Ehdr, e_ehsize, SIZE_OF(file, Ehdr));
    STORE(file, 0, Ehdr, e_phoff, recipe->segment_count ? SIZE_OF(file, Ehdr) : 0);
    STORE(file, 0, Ehdr, e_phentsize, SIZE_OF(file, Phdr));
    STORE(file, 0, Ehdr, e_phnum, recipe->segment_count);
    STORE(file, 0, Ehdr, e_shentsize, SIZE_OF(file, Shdr));
    if (!recipe->has_no_sections) {
        STORE(file, 0, Ehdr, e_shoff, file->sections_at);
        STORE(file, 0, Ehdr, e_shnum, SECTION_COUNT);
    }
    for (size_t i = 0; i < recipe->segment_count; i++) {
        size_t at = SIZE_OF(file, Ehdr) + i * SIZE_OF(file, Phdr);
        STORE(file, at, Phdr, p_type, PT_LOAD);
        STORE(file, at, Phdr, p_vaddr, recipe->segments[i].address);
        STORE(file, at, Phdr, p_memsz, recipe->segments[i].size);
    }
}

static void write_symbols(struct elf_file *file, const struct elf_recipe *recipe)
{
    size_t name_at = 1;
    for (size_t i = 0; i < recipe->symbol_count; i++) {
        const struct elf_symbol *symbol = &recipe->symbols[i];
        size_t at = file->symtab_at + (i + 1) * SIZE_OF(file, Sym);
        STORE(file, at, Sym, st_name, name_at);
        STORE(file, at, Sym, st_value, symbol->value);
        STORE(file, at, Sym, st_size, symbol->size);
        STORE(file, at, Sym, st_info, symbol->binding << 4 | symbol->type);
        STORE(file, at, Sym, st_shndx, symbol->section);
        size_t room = strlen(symbol->name) + 1;
        memcpy(file->bytes + file->strtab_at + name_at, symbol->name, room);
        name_at += room;
    }
}

static void write_sections(struct elf_file *file)
{
    size_t symtab = section_at(file, SYMTAB_SECTION), strtab = section_at(file, STRTAB_SECTION);
    STORE(file, symtab, Shdr, sh_type, SHT_SYMTAB);
    STORE(file, symtab, Shdr, sh_offset, file->symtab_at);
    STORE(file, symtab, Shdr, sh_size, file->strtab_at - file->symtab_at);
    STORE(file, symtab, Shdr, sh_link, STRTAB_SECTION);
    STORE(file, symtab, Shdr, sh_entsize, SIZE_OF(file, Sym));
    STORE(file, strtab, Shdr, sh_type, SHT_STRTAB);
    STORE(file, strtab, Shdr, sh_offset, file->strtab_at);
    STORE(file, strtab, Shdr, sh_size, file->sections_at - file->strtab_at);
}

static struct elf_file make_elf(const struct elf_recipe *recipe)
{
    struct elf_file file = {.is_64 = recipe->is_64, .is_big_endian = recipe->is_big_endian};
    size_t names_bytes = 1;
    for (size_t i = 0; i < recipe->symbol_count; i++)
        names_bytes += strlen(recipe->symbols[i].name) + 1;
    file.symtab_at = SIZE_OF(&file, Ehdr) + recipe->segment_count * SIZE_OF(&file, Phdr);
    file.strtab_at = file.symtab_at + (recipe->symbol_count + 1) * SIZE_OF(&file, Sym);
    file.sections_at = (file.strtab_at + names_bytes + 7) / 8 * 8;
    file.size_bytes = file.sections_at;
    if (!recipe->has_no_sections)
        file.size_bytes += SECTION_COUNT * SIZE_OF(&file, Shdr);
    file.bytes = calloc(1, file.size_bytes);
    write_header(&file, recipe);
    write_symbols(&file, recipe);
    if (!recipe->has_no_sections)
        write_sections(&file);
    return file;
}

// --- Unnamed files in memory ---

struct memory_file {
    int fd;
    char path[40];
};

static struct memory_file make_file(const void *bytes, size_t size_bytes)
{
    struct memory_file file = {.fd = memfd_create("elf", MFD_CLOEXEC)};
    CHECK(write(file.fd, bytes, size_bytes) == (ssize_t)size_bytes);
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static enum status load_file(struct symbols **out, const char *path, enum symbols_reading reading,
                             struct error *err)
{
    struct image *image = NULL;
    bool is_big_endian;
    if (reading == SYMBOLS_AS_TTU)
        return symbols_load_as_ttu(out, path, &is_big_endian, err);
    enum status status = image_open(&image, path, err);
    CHECK((status == STATUS_OK) == (image != NULL));
    if (status == STATUS_OK)
        status = symbols_load(out, image, reading, err);
    image_close(image);
    return status;
}

// Reads the symbols of a file with these bytes. NULL: failed, for the reason in `err`.
static struct symbols *load_bytes(const void *bytes, size_t size_bytes,
                                  enum symbols_reading reading, struct error *err)
{
    struct memory_file file = make_file(bytes, size_bytes);
    struct symbols *symbols = NULL;
    *err = (struct error){0};
    enum status status = load_file(&symbols, file.path, reading, err);
    CHECK(status == err->status && (status == STATUS_OK) == (symbols != NULL));
    CHECK((status == STATUS_OK) == (err->text[0] == 0) && !strchr(err->text, '\n'));
    close(file.fd);
    return symbols;
}

static struct symbols *load_recipe(const struct elf_recipe *recipe, enum symbols_reading reading)
{
    struct error err;
    struct elf_file file = make_elf(recipe);
    struct symbols *symbols = load_bytes(file.bytes, file.size_bytes, reading, &err);
    CHECK_STR(err.text, "");
    free(file.bytes);
    return symbols;
}

// The bytes must be refused with a message that contains `reason`.
static void check_refused(const struct elf_file *file, const char *reason)
{
    struct error err;
    struct symbols *symbols = load_bytes(file->bytes, file->size_bytes, SYMBOLS_RIGHT, &err);
    CHECK(symbols == NULL);
    if (!strstr(err.text, reason))
        test_fail(__FILE__, __LINE__, err.text);
    symbols_free(symbols);
}

static void check_bytes_refused(const char *bytes, size_t size_bytes, const char *reason)
{
    struct elf_file file = {.bytes = (unsigned char *)strdup(bytes), .size_bytes = size_bytes};
    check_refused(&file, reason);
    free(file.bytes);
}

// --- Images ---

#define FUNC(name, value, size)                                                                    \
    {                                                                                              \
        name, value, size, STT_FUNC, STB_GLOBAL, 1                                                 \
    }

static const struct elf_symbol few[] = {
    FUNC("lowest", 0x7000, 0x10),
    FUNC("main", 0x8000, 0x20),
    FUNC("twice", 0x9000, 0),
    FUNC("twice", 0xa000, 4),
};

static struct elf_recipe recipe_of(const struct elf_symbol *symbols, size_t count)
{
    return (struct elf_recipe){
        .is_64 = true, .machine = EM_AARCH64, .symbols = symbols, .symbol_count = count};
}

static void elf_opens_in_both_classes_and_orders(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
        recipe.is_64 = kind & 1;
        recipe.is_big_endian = kind & 2;
        recipe.machine = kind & 1 ? EM_AARCH64 : EM_ARM;
        struct elf_file elf = make_elf(&recipe);
        struct memory_file file = make_file(elf.bytes, elf.size_bytes);
        struct image *image = NULL;
        struct symbols *symbols = NULL;
        CHECK(image_open(&image, file.path, NULL) == STATUS_OK);
        CHECK(image_is_big_endian(image) == recipe.is_big_endian);
        CHECK(image_class_bits(image) == (recipe.is_64 ? 64 : 32));
        CHECK(image_is_arm32(image) == !recipe.is_64);
        CHECK_STR(image_machine_name(image), recipe.is_64 ? "AArch64" : "Arm");
        CHECK_STR(image_path(image), file.path);
        CHECK(symbols_load(&symbols, image, SYMBOLS_AS_TTU, NULL) == STATUS_OK);
        image_close(image);
        CHECK(symbols_by_name(symbols, "main")->value == 0x8000);
        CHECK(symbols_by_name(symbols, "main")->size == 0x20);
        CHECK_STR(symbols_by_address(symbols, 0x801f)->name, "main");
        symbols_free(symbols);
        close(file.fd);
        free(elf.bytes);
    }
}

static void elf_without_symbols_has_none(void)
{
    for (int has_no_sections = 0; has_no_sections < 2; has_no_sections++) {
        struct elf_recipe recipe = recipe_of(NULL, 0);
        recipe.has_no_sections = has_no_sections;
        struct symbols *symbols = load_recipe(&recipe, SYMBOLS_RIGHT);
        size_t count = 1;
        symbols_all(symbols, &count);
        CHECK(count == 0);
        CHECK(symbols_by_name(symbols, "main") == NULL);
        CHECK(symbols_by_name(symbols, "main#0") == NULL);
        CHECK(symbols_by_name(symbols, "main@0x8000") == NULL);
        CHECK(symbols_by_address(symbols, 0x8000) == NULL);
        symbols_free(symbols);
    }
}

static void elf_refuses_what_is_no_elf_file(void)
{
    struct image *image = NULL;
    struct error err;
    CHECK(image_open(&image, "/", &err) == STATUS_IO && !image);
    CHECK_STR(err.text, "/: is a directory");
    CHECK(image_open(&image, "/dev/null", &err) == STATUS_IO && !image);
    CHECK_STR(err.text, "/dev/null: is not a regular file");
    CHECK(image_open(&image, "/no/such/file", &err) == STATUS_IO && !image);
    CHECK_STR(err.text, "/no/such/file: cannot open: No such file or directory");
    check_bytes_refused("", 0, "is empty");
    check_bytes_refused("\x7f"
                        "EL",
                        3, "not an ELF file");
    check_bytes_refused("!<arch>\n", 8, "not an ELF file");
    check_bytes_refused("\x7f"
                        "ELF",
                        4, "ends within its ELF header");
    check_bytes_refused("\x7f"
                        "ELF\3\1\1_________",
                        16, "unknown ELF class 3");
    check_bytes_refused("\x7f"
                        "ELF\2\3\1_________",
                        16, "unknown ELF byte order 3");
    check_bytes_refused("\x7f"
                        "ELF\2\1\2_________",
                        16, "unknown ELF version 2");
    check_bytes_refused("\x7f"
                        "ELF\2\1\1_________",
                        16, "ends within its ELF header");
    if (geteuid() == 0)
        return; // root may read any file
    struct memory_file file = make_file("", 0);
    CHECK(fchmod(file.fd, 0) == 0);
    CHECK(image_open(&image, file.path, &err) == STATUS_IO && !image);
    CHECK(strstr(err.text, "Permission denied") != NULL);
    close(file.fd);
}

// Makes a valid ELF file, stores `value` in one field, and expects a message.
#define CHECK_SPOILED(base, structure, field, value, reason)                                       \
    do {                                                                                           \
        struct elf_file file = make_elf(&recipe);                                                  \
        STORE(&file, base, structure, field, value);                                               \
        check_refused(&file, reason);                                                              \
        free(file.bytes);                                                                          \
    } while (0)

#define SYMTAB_AT section_at(&file, SYMTAB_SECTION)
#define STRTAB_AT section_at(&file, STRTAB_SECTION)
#define SYMBOL_AT(number) (file.symtab_at + (number)*SIZE_OF(&file, Sym))

static void elf_names_each_kind_of_damage(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
        recipe.is_64 = kind & 1;
        recipe.is_big_endian = kind & 2;
        size_t far = recipe.is_64 ? UINT64_MAX - 8 : UINT32_MAX - 8;
        CHECK_SPOILED(0, Ehdr, e_shoff, far, "section table");
        CHECK_SPOILED(0, Ehdr, e_shnum, SECTION_COUNT + 1, "section table (4 sections");
        CHECK_SPOILED(0, Ehdr, e_shentsize, 1, "section headers of 1 bytes");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_offset, far, "section 1 lies beyond the end");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_size, far / 48 * 48, "section 1");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_size, 1, "section 1: 1 bytes in symbols");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_entsize, 0, "in symbols of 0 bytes");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_entsize, 25, "in symbols of 25 bytes");
        CHECK_SPOILED(SYMTAB_AT, Shdr, sh_link, 3, "no section 3 to link to");
        CHECK_SPOILED(STRTAB_AT, Shdr, sh_offset, far, "section 2 lies beyond the end");
        CHECK_SPOILED(STRTAB_AT, Shdr, sh_size, far, "section 2 lies beyond the end");
        CHECK_SPOILED(STRTAB_AT, Shdr, sh_size, 0, "symbol 1: name outside the string table");
        CHECK_SPOILED(STRTAB_AT, Shdr, sh_size, 4, "symbol 1: name without an end");
        CHECK_SPOILED(SYMBOL_AT(2), Sym, st_name, 5000, "symbol 2: name outside");
    }
}

// If e_shnum has no room for the number of sections, the first section header contains it.
static void elf_counts_sections_beyond_the_header(void)
{
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    struct elf_file file = make_elf(&recipe);
    struct error err;
    STORE(&file, 0, Ehdr, e_shnum, 0);
    STORE(&file, section_at(&file, NULL_SECTION), Shdr, sh_size, SECTION_COUNT);
    struct symbols *symbols = load_bytes(file.bytes, file.size_bytes, SYMBOLS_RIGHT, &err);
    CHECK(symbols && symbols_by_name(symbols, "main"));
    symbols_free(symbols);
    STORE(&file, section_at(&file, NULL_SECTION), Shdr, sh_size, UINT64_C(1) << 32);
    check_refused(&file, "section table (4294967296 sections");
    STORE(&file, section_at(&file, NULL_SECTION), Shdr, sh_size, UINT64_MAX);
    check_refused(&file, "section table");
    free(file.bytes);
}

static void elf_skips_symbols_without_a_string_table(void)
{
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    struct elf_file file = make_elf(&recipe);
    struct error err;
    STORE(&file, SYMTAB_AT, Shdr, sh_link, SYMTAB_SECTION);
    struct symbols *symbols = load_bytes(file.bytes, file.size_bytes, SYMBOLS_RIGHT, &err);
    CHECK(symbols && !symbols_by_name(symbols, "main"));
    symbols_free(symbols);
    free(file.bytes);
}

// Any bytes give an answer or a message. valgrind and the sanitizers find other faults. True: the
// lenient reading accepts the file.
static bool try_bytes(const unsigned char *bytes, size_t size_bytes)
{
    struct memory_file file = make_file(bytes, size_bytes);
    struct image_set set = {0};
    struct image_symbol place;
    struct error err = {0};
    struct symbols *symbols = load_bytes(bytes, size_bytes, SYMBOLS_AS_TTU, &err);
    bool is_taken = symbols != NULL;
    if (symbols) {
        symbols_by_address(symbols, 0x8000);
        symbols_by_name(symbols, "twice#1");
    }
    symbols_free(symbols);
    if (image_set_add(&set, file.path, 0, &err) == STATUS_OK) {
        image_set_by_address(&set, 0x8000, &place);
        image_set_by_name(&set, "main", &place);
    }
    image_set_free(&set);
    close(file.fd);
    return is_taken;
}

static struct elf_file make_small_elf(int kind)
{
    static const struct elf_segment segment = {0x7000, 0x4000};
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    recipe.is_64 = kind & 1;
    recipe.is_big_endian = kind & 2;
    recipe.segments = &segment;
    recipe.segment_count = 1;
    return make_elf(&recipe);
}

static void elf_survives_truncation_at_every_byte(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_file file = make_small_elf(kind);
        size_t whole_bytes = file.size_bytes;
        for (file.size_bytes = 0; file.size_bytes < whole_bytes; file.size_bytes++)
            check_refused(&file, "");
        free(file.bytes);
    }
}

static void elf_survives_corruption_of_every_byte(void)
{
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    for (int kind = 0; kind < 4; kind++) {
        struct elf_file file = make_small_elf(kind);
        for (size_t i = 0; i < file.size_bytes * ARRAY_COUNT(flips); i++) {
            unsigned char *byte = &file.bytes[i / ARRAY_COUNT(flips)], sound = *byte;
            *byte ^= flips[i % ARRAY_COUNT(flips)];
            bool is_taken = try_bytes(file.bytes, file.size_bytes);
            CHECK(is_taken == (byte > &file.bytes[EI_DATA]) || byte == &file.bytes[EI_CLASS] ||
                  byte == &file.bytes[EI_DATA]);
            *byte = sound;
        }
        free(file.bytes);
    }
}

// --- The lenient reading ---

// The names of all symbols, each with a blank after it; "refused" if they cannot be read.
static const char *lenient_names(const struct elf_file *file)
{
    static char names[4096];
    struct error err;
    struct symbols *symbols = load_bytes(file->bytes, file->size_bytes, SYMBOLS_AS_TTU, &err);
    size_t count = 0, used = 0;
    const struct symbol *items = symbols ? symbols_all(symbols, &count) : NULL;
    names[0] = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s ", items[i].name);
    CHECK(used < sizeof names);
    symbols_free(symbols);
    return symbols ? names : "refused";
}

// Makes a valid ELF file, stores `value` in one field, and expects these names.
#define CHECK_LENIENT(base, structure, field, value, expected)                                     \
    do {                                                                                           \
        struct elf_file file = make_elf(&recipe);                                                  \
        STORE(&file, base, structure, field, value);                                               \
        CHECK_STR(lenient_names(&file), expected);                                                 \
        free(file.bytes);                                                                          \
    } while (0)

#define ALL_NAMES "lowest main twice twice "

// What Arm's tool does with each.
static void lenient_reading_takes_what_arms_tool_takes(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
        recipe.is_64 = kind & 1;
        recipe.is_big_endian = kind & 2;
        size_t far = recipe.is_64 ? UINT64_MAX - 8 : UINT32_MAX - 8;
        size_t symbol_bytes = recipe.is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
        CHECK_LENIENT(0, Ehdr, e_version, 7, ALL_NAMES);
        CHECK_LENIENT(0, Ehdr, e_shoff, far, "");
        CHECK_LENIENT(0, Ehdr, e_shoff, 0, "");
        CHECK_LENIENT(0, Ehdr, e_shnum, 0, "");
        CHECK_LENIENT(0, Ehdr, e_shnum, STRTAB_SECTION, "");
        CHECK_LENIENT(0, Ehdr, e_shnum, 0xffff, ALL_NAMES);
        CHECK_LENIENT(0, Ehdr, e_shentsize, 0, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_offset, far, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_size, 5 * symbol_bytes - 1, "lowest main twice ");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_entsize, 0, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_entsize, 2 * symbol_bytes, "main ");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_link, 0, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_link, SYMTAB_SECTION, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_link, 3, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_link, UINT32_MAX, "");
        CHECK_LENIENT(SYMTAB_AT, Shdr, sh_type, SHT_DYNSYM, "");
        CHECK_LENIENT(STRTAB_AT, Shdr, sh_size, 0, "");
        CHECK_LENIENT(STRTAB_AT, Shdr, sh_size, 4, "low ");
        CHECK_LENIENT(STRTAB_AT, Shdr, sh_size, far, ALL_NAMES);
        CHECK_LENIENT(STRTAB_AT, Shdr, sh_offset, file.size_bytes, "");
        CHECK_LENIENT(STRTAB_AT, Shdr, sh_offset, file.strtab_at + 1,
                      "lowest owest ain wice wice ");
        CHECK_LENIENT(SYMBOL_AT(0), Sym, st_name, 2, "owest " ALL_NAMES);
        CHECK_LENIENT(SYMBOL_AT(2), Sym, st_name, 5000, "lowest twice twice ");
        CHECK_LENIENT(SYMBOL_AT(2), Sym, st_name, UINT32_MAX, "lowest twice twice ");
    }
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    uint64_t symbol_bytes = sizeof(Elf64_Sym);
    CHECK_LENIENT(SYMTAB_AT, Shdr, sh_size, symbol_bytes << 32, "");
    CHECK_LENIENT(SYMTAB_AT, Shdr, sh_size, ((UINT64_C(1) << 32) + 3) * symbol_bytes,
                  "lowest main ");
    CHECK_LENIENT(SYMTAB_AT, Shdr, sh_entsize, symbol_bytes / 2, ALL_NAMES);
    // From byte -1 of the file, name 1 is the magic number and name 19 the machine.
    CHECK_LENIENT(STRTAB_AT, Shdr, sh_offset, UINT64_MAX,
                  "\x7f"
                  "ELF\2\1\1 \xb7 ");
}

static void lenient_reading_needs_a_header(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_file file = make_small_elf(kind);
        size_t whole_bytes = file.size_bytes, header_bytes = SIZE_OF(&file, Ehdr);
        for (file.size_bytes = 0; file.size_bytes < whole_bytes; file.size_bytes++)
            CHECK_STR(lenient_names(&file), file.size_bytes < header_bytes ? "refused" : "");
        CHECK_STR(lenient_names(&file), ALL_NAMES);
        for (size_t i = 0; i < SELFMAG; i++) {
            file.bytes[i] ^= 1;
            CHECK_STR(lenient_names(&file), "refused");
            file.bytes[i] ^= 1;
        }
        for (unsigned value = 0; value < 256; value++) {
            unsigned char class = file.bytes[EI_CLASS], data = file.bytes[EI_DATA];
            file.bytes[EI_CLASS] = (unsigned char)value;
            CHECK(!strcmp(lenient_names(&file), "refused") == (value != 1 && value != 2));
            file.bytes[EI_CLASS] = class;
            file.bytes[EI_DATA] = (unsigned char)value;
            CHECK(!strcmp(lenient_names(&file), "refused") == (value != 1 && value != 2));
            file.bytes[EI_DATA] = data;
        }
        free(file.bytes);
    }
    struct error err;
    struct symbols *symbols = NULL;
    bool is_big_endian;
    static const char *const unreadable[] = {"/", "/dev/null", "/no/such/file", ""};
    for (size_t i = 0; i < ARRAY_COUNT(unreadable); i++)
        CHECK(symbols_load_as_ttu(&symbols, unreadable[i], &is_big_endian, &err) == STATUS_IO);
}

// Moves symbols and strings after the section table, so that truncation cuts them.
static void move_to_end(struct elf_file *file)
{
    size_t moved_bytes = file->sections_at - file->symtab_at, old_bytes = file->size_bytes;
    file->bytes = realloc(file->bytes, old_bytes + moved_bytes);
    memcpy(file->bytes + old_bytes, file->bytes + file->symtab_at, moved_bytes);
    file->strtab_at += old_bytes - file->symtab_at;
    file->symtab_at = old_bytes;
    file->size_bytes = old_bytes + moved_bytes;
    STORE(file, section_at(file, SYMTAB_SECTION), Shdr, sh_offset, file->symtab_at);
    STORE(file, section_at(file, STRTAB_SECTION), Shdr, sh_offset, file->strtab_at);
}

// A truncated part is missing at the end, and nothing else changes.
static void lenient_reading_keeps_what_a_cut_leaves(void)
{
    for (int kind = 0; kind < 4; kind++) {
        struct elf_file file = make_small_elf(kind);
        size_t first_cut = file.size_bytes, longest = 0;
        move_to_end(&file);
        size_t whole_bytes = file.size_bytes;
        for (file.size_bytes = first_cut; file.size_bytes <= whole_bytes; file.size_bytes++) {
            char names[100];
            size_t length = strlen(lenient_names(&file));
            snprintf(names, sizeof names, "%s", lenient_names(&file));
            CHECK(length == 0 || strncmp(names, ALL_NAMES, length - 1) == 0);
            CHECK(length >= longest);
            longest = length;
        }
        CHECK(longest == strlen(ALL_NAMES));
        free(file.bytes);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// --- The lenient reading by its rule: each structure separately, from bytes in memory ---

static uint64_t fetch(const struct elf_file *file, uint64_t at, size_t size_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | file->bytes[file->is_big_endian ? at + i : at + size_bytes - 1 - i];
    return value;
}

#define FETCH(file, base, structure, field)                                                        \
    ((file)->is_64 ? fetch((file), (base) + offsetof(Elf64_##structure, field),                    \
                           sizeof((Elf64_##structure){0}.field))                                   \
                   : fetch((file), (base) + offsetof(Elf32_##structure, field),                    \
                           sizeof((Elf32_##structure){0}.field)))

static bool is_within(const struct elf_file *file, uint64_t at, uint64_t size_bytes)
{
    return at <= file->size_bytes && size_bytes <= file->size_bytes - at;
}

// The place of the header of section `number`, if it can be read.
static bool place_section(const struct elf_file *file, uint64_t number, uint64_t *at)
{
    *at = FETCH(file, 0, Ehdr, e_shoff) + number * FETCH(file, 0, Ehdr, e_shentsize);
    return number < FETCH(file, 0, Ehdr, e_shnum) && is_within(file, *at, SIZE_OF(file, Shdr));
}

static size_t append_name(const struct elf_file *file, uint64_t symbol, uint64_t strtab,
                          char *names)
{
    uint64_t name = FETCH(file, symbol, Sym, st_name), size = FETCH(file, strtab, Shdr, sh_size);
    uint64_t at = FETCH(file, strtab, Shdr, sh_offset) + name;
    unsigned info = (unsigned)FETCH(file, symbol, Sym, st_info);
    size_t length = 0;
    if (info >> 4 > STB_WEAK || (info & 15) > STT_FUNC)
        return 0;
    for (; name < size && at < file->size_bytes && file->bytes[at]; name++, at++)
        names[length++] = (char)file->bytes[at];
    names[length] = 0;
    if (length == 0 || (names[0] == '$' && strchr("atxd", names[1]) && names[1]))
        return names[0] = 0;
    names[length++] = ' ';
    names[length] = 0;
    return length;
}

// False for tables for which this would take too long.
static bool names_by_rule(const struct elf_file *file, char *names)
{
    names[0] = 0;
    for (uint64_t i = 0; i < FETCH(file, 0, Ehdr, e_shnum); i++) {
        uint64_t symtab, strtab;
        if (!place_section(file, i, &symtab) || FETCH(file, symtab, Shdr, sh_type) != SHT_SYMTAB ||
            !place_section(file, FETCH(file, symtab, Shdr, sh_link), &strtab) ||
            FETCH(file, strtab, Shdr, sh_type) != SHT_STRTAB)
            continue;
        uint64_t stride = FETCH(file, symtab, Shdr, sh_entsize);
        uint32_t count = stride ? (uint32_t)(FETCH(file, symtab, Shdr, sh_size) / stride) : 0;
        if (count > 100000)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            uint64_t at = FETCH(file, symtab, Shdr, sh_offset) + k * stride;
            if (is_within(file, at, SIZE_OF(file, Sym)))
                names += append_name(file, at, strtab, names);
        }
    }
    return true;
}

// A number that may be critical: small, close to the size of the file, or close to overflow.
static uint64_t odd_number(const struct elf_file *file, uint64_t *random)
{
    uint64_t bases[] = {0,
                        file->size_bytes,
                        file->symtab_at,
                        file->sections_at,
                        SIZE_OF(file, Sym),
                        SIZE_OF(file, Shdr),
                        UINT64_C(1) << 31,
                        UINT64_C(1) << 63,
                        -(uint64_t)file->size_bytes,
                        next_random(random) % file->size_bytes};
    return bases[next_random(random) % ARRAY_COUNT(bases)] + next_random(random) % 5 -
           next_random(random) % 5 * (next_random(random) % 2 ? 1 : SIZE_OF(file, Sym));
}

static void spoil(struct elf_file *file, uint64_t *random)
{
    size_t section = section_at(file, next_random(random) % SECTION_COUNT);
    uint64_t value = odd_number(file, random);
    switch (next_random(random) % 9) {
    case 0:
        STORE(file, section, Shdr, sh_type, value % 4);
        break;
    case 1:
        STORE(file, section, Shdr, sh_link, value % 4);
        break;
    case 2:
        STORE(file, section, Shdr, sh_entsize, value);
        break;
    case 3:
        STORE(file, section, Shdr, sh_size, value);
        break;
    case 4:
        STORE(file, section, Shdr, sh_offset, value);
        break;
    case 5:
        STORE(file, 0, Ehdr, e_shoff, value);
        break;
    case 6:
        STORE(file, 0, Ehdr, e_shnum, value);
        break;
    case 7:
        STORE(file, 0, Ehdr, e_shentsize, value);
        break;
    default:
        file->bytes[SIZE_OF(file, Ehdr) + value % (file->size_bytes - 64)] ^= 1;
        break;
    }
}

static void lenient_reading_follows_the_rule(void)
{
    static char wanted[1 << 20];
    uint64_t random = 0x9e3779b97f4a7c15;
    int compared = 0;
    for (int round = 0; round < 8000; round++) {
        struct elf_file file = make_small_elf((int)(next_random(&random) % 4));
        if (next_random(&random) % 2)
            move_to_end(&file);
        for (uint64_t i = 1 + next_random(&random) % 3; i-- > 0;)
            spoil(&file, &random);
        if (next_random(&random) % 8 == 0)
            file.size_bytes -= next_random(&random) % (file.size_bytes - SIZE_OF(&file, Ehdr));
        if (names_by_rule(&file, wanted)) {
            CHECK_STR(lenient_names(&file), wanted);
            compared++;
        }
        free(file.bytes);
    }
    CHECK(compared > 4000);
}

// Sixty thousand tables of symbols, which begin at every byte of the file.
static void lenient_reading_is_bounded(void)
{
    enum { TABLES = 0xffff };
    struct elf_file file = make_small_elf(1);
    size_t old_bytes = file.size_bytes;
    clock_t start = clock();
    file.size_bytes += TABLES * sizeof(Elf64_Shdr);
    file.bytes = realloc(file.bytes, file.size_bytes);
    STORE(&file, SYMTAB_AT, Shdr, sh_link, 0);
    STORE(&file, SYMTAB_AT, Shdr, sh_offset, 0);
    STORE(&file, SYMTAB_AT, Shdr, sh_size, file.size_bytes);
    STORE(&file, SYMTAB_AT, Shdr, sh_entsize, 1);
    STORE(&file, 0, Ehdr, e_shoff, old_bytes);
    STORE(&file, 0, Ehdr, e_shnum, TABLES);
    for (size_t i = 0; i < TABLES; i++)
        memcpy(file.bytes + old_bytes + i * sizeof(Elf64_Shdr),
               file.bytes + (i ? SYMTAB_AT : STRTAB_AT), sizeof(Elf64_Shdr));
    struct error err;
    CHECK(!load_bytes(file.bytes, file.size_bytes, SYMBOLS_AS_TTU, &err));
    CHECK(err.status == STATUS_LIMIT);
    CHECK(clock() - start < 20 * CLOCKS_PER_SEC);
    free(file.bytes);
}

// --- Names ---

static const struct elf_symbol named[] = {
    FUNC("f", 0x8000, 4), FUNC("x#0", 0x8004, 4), FUNC("f", 0x9000, 4),
    FUNC("x", 0xa000, 4), FUNC("fa", 0xb000, 4),  FUNC("F", 0xc000, 4),
};

// The value of the symbol that `name` finds; 0: none.
static uint64_t value_of(const struct symbols *symbols, const char *name)
{
    const struct symbol *symbol = symbols_by_name(symbols, name);
    return symbol ? symbol->value : 0;
}

static void symbols_names_are_found_in_both_readings(void)
{
    struct elf_recipe recipe = recipe_of(named, ARRAY_COUNT(named));
    for (int i = 0; i < 2; i++) {
        struct symbols *symbols = load_recipe(&recipe, i ? SYMBOLS_RIGHT : SYMBOLS_AS_TTU);
        CHECK(value_of(symbols, "f") == 0x8000);
        CHECK(value_of(symbols, "f#0") == 0x8000);
        CHECK(value_of(symbols, "f#1") == 0x9000);
        CHECK(value_of(symbols, "f# 1") == 0x9000);
        CHECK(value_of(symbols, "f#+1abc") == 0x9000);
        CHECK(value_of(symbols, "f#01") == 0x9000);
        CHECK(value_of(symbols, "f#-0") == 0x8000);
        CHECK(value_of(symbols, "f#0x1") == 0x8000);
        CHECK(value_of(symbols, "x#0#0") == 0x8004);
        CHECK(value_of(symbols, "F") == 0xc000);
        static const char *const missing[] = {
            "f#2", "f#", "f#-1", "f#x", "f#4294967296", "f#99999999999999999999",
            "#0",  "",   "g",    "E",   "fa#1",         "f@0x8001",
        };
        for (size_t k = 0; k < ARRAY_COUNT(missing); k++)
            CHECK(symbols_by_name(symbols, missing[k]) == NULL);
        CHECK_STR(symbols_by_name(symbols, "f#1")->name, "f");
        CHECK_STR(symbols_by_name(symbols, "f#1")->display, "f@0x9000");
        CHECK_STR(symbols_by_name(symbols, "fa")->display, "fa");
        symbols_free(symbols);
    }
}

static void symbols_names_differ_between_readings(void)
{
    struct elf_recipe recipe = recipe_of(named, ARRAY_COUNT(named));
    struct symbols *ttu = load_recipe(&recipe, SYMBOLS_AS_TTU);
    struct symbols *right = load_recipe(&recipe, SYMBOLS_RIGHT);
    CHECK(value_of(ttu, "x#0") == 0xa000);
    CHECK(value_of(right, "x#0") == 0x8004);
    CHECK(value_of(ttu, "f@0x9000") == 0);
    CHECK(value_of(right, "f@0x9000") == 0x9000);
    symbols_free(ttu);
    symbols_free(right);
}

static void symbols_are_those_of_section_7(void)
{
    static const struct elf_symbol all[] = {
        {"undefined", 0, 0, STT_NOTYPE, STB_GLOBAL, SHN_UNDEF},
        {"absolute", 0x10, 0, STT_NOTYPE, STB_GLOBAL, SHN_ABS},
        {"weak", 0x20, 0, STT_OBJECT, STB_WEAK, 1},
        {"local", 0x30, 0, STT_FUNC, STB_LOCAL, 1},
        {"$d.1", 0x40, 0, STT_NOTYPE, STB_LOCAL, 1},
        {"$x", 0x40, 0, STT_NOTYPE, STB_LOCAL, 1},
        {"$money", 0x50, 0, STT_NOTYPE, STB_LOCAL, 1},
        {"", 0x60, 0, STT_FUNC, STB_GLOBAL, 1},
        {"section", 0x60, 0, STT_SECTION, STB_LOCAL, 1},
        {"file", 0x60, 0, STT_FILE, STB_LOCAL, SHN_ABS},
        {"tls", 0x60, 0, STT_TLS, STB_GLOBAL, 1},
        {"indirect", 0x60, 0, STT_GNU_IFUNC, STB_GLOBAL, 1},
        {"unique", 0x70, 0, STT_OBJECT, STB_GNU_UNIQUE, 1},
    };
    static const char *const wanted[] = {
        "undefined absolute weak local $money ",
        "absolute weak local $money indirect unique ",
    };
    struct elf_recipe recipe = recipe_of(all, ARRAY_COUNT(all));
    for (int i = 0; i < 2; i++) {
        struct symbols *symbols = load_recipe(&recipe, i ? SYMBOLS_RIGHT : SYMBOLS_AS_TTU);
        char names[200] = "";
        size_t count;
        const struct symbol *items = symbols_all(symbols, &count);
        for (size_t k = 0; k < count; k++)
            strcat(strcat(names, items[k].name), " ");
        CHECK_STR(names, wanted[i]);
        symbols_free(symbols);
    }
}

// --- Addresses ---

static const char *name_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbol *symbol = symbols_by_address(symbols, address);
    return symbol ? symbol->name : "-";
}

static void symbols_at_the_lowest_address_depend_on_the_reading(void)
{
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    struct symbols *ttu = load_recipe(&recipe, SYMBOLS_AS_TTU);
    struct symbols *right = load_recipe(&recipe, SYMBOLS_RIGHT);
    CHECK_STR(name_at(ttu, 0x7000), "-");
    CHECK_STR(name_at(ttu, 0x7fff), "-");
    CHECK_STR(name_at(right, 0x6fff), "-");
    CHECK_STR(name_at(right, 0x7000), "lowest");
    CHECK_STR(name_at(right, 0x700f), "lowest");
    CHECK_STR(name_at(ttu, 0x8000), "main");
    CHECK_STR(name_at(right, 0x8000), "main");
    CHECK(symbols_by_name(ttu, "lowest") != NULL);
    symbols_free(ttu);
    symbols_free(right);
}

static void symbols_prefer_functions_where_right(void)
{
    static const struct elf_symbol same[] = {
        FUNC("low", 0, 0),
        {"label", 0x100, 0, STT_NOTYPE, STB_LOCAL, 1},
        FUNC("function", 0x100, 0),
        {"data", 0x200, 8, STT_OBJECT, STB_LOCAL, 1},
        FUNC("code", 0x200, 8),
        FUNC("alias", 0x200, 8),
        {"wide", 0x300, 16, STT_NOTYPE, STB_LOCAL, 1},
        FUNC("narrow", 0x300, 8),
    };
    struct elf_recipe recipe = recipe_of(same, ARRAY_COUNT(same));
    struct symbols *ttu = load_recipe(&recipe, SYMBOLS_AS_TTU);
    struct symbols *right = load_recipe(&recipe, SYMBOLS_RIGHT);
    CHECK_STR(name_at(ttu, 0x100), "label");
    CHECK_STR(name_at(right, 0x100), "function");
    CHECK_STR(name_at(ttu, 0x204), "data");
    CHECK_STR(name_at(right, 0x204), "code");
    CHECK_STR(name_at(ttu, 0x304), "wide");
    CHECK_STR(name_at(right, 0x304), "wide");
    symbols_free(ttu);
    symbols_free(right);
}

static void symbols_ignore_the_thumb_bit_where_right(void)
{
    static const struct elf_symbol thumb[] = {
        FUNC("low", 0, 0),
        FUNC("function", 0x8001, 0x10),
        {"byte", 0x9001, 1, STT_OBJECT, STB_LOCAL, 1},
    };
    struct elf_recipe recipe = recipe_of(thumb, ARRAY_COUNT(thumb));
    recipe.is_64 = false;
    recipe.machine = EM_ARM;
    struct symbols *ttu = load_recipe(&recipe, SYMBOLS_AS_TTU);
    struct symbols *right = load_recipe(&recipe, SYMBOLS_RIGHT);
    CHECK_STR(name_at(ttu, 0x8000), "-");
    CHECK_STR(name_at(ttu, 0x8001), "function");
    CHECK_STR(name_at(right, 0x8000), "function");
    CHECK_STR(name_at(right, 0x8001), "function");
    CHECK(value_of(right, "function") == 0x8001);
    CHECK(symbols_by_name(right, "function")->address == 0x8000);
    CHECK(symbols_by_name(right, "byte")->address == 0x9001);
    symbols_free(ttu);
    recipe.machine = EM_386;
    symbols_free(right);
    right = load_recipe(&recipe, SYMBOLS_RIGHT);
    CHECK_STR(name_at(right, 0x8000), "low");
    symbols_free(right);
}

// Neither reaches beyond its end, but without a size up to the next symbol.
static void symbols_name_nothing_beyond_their_ends(void)
{
    static const struct elf_symbol all[] = {
        FUNC("low", 0, 0),
        FUNC("sized", 0x100, 8),
        {"inner", 0x104, 0, STT_NOTYPE, STB_LOCAL, 1}, // ends with the function that it is in
        FUNC("wide", 0x200, 0x100),
        FUNC("nested", 0x220, 8),
        {"label", 0x400, 0, STT_NOTYPE, STB_LOCAL, 1},
        {"number", 0x410, 0, STT_NOTYPE, STB_GLOBAL, SHN_ABS},
        {"number_with_size", 0x410, 8, STT_FUNC, STB_GLOBAL, SHN_ABS},
        {"data", 0x500, 4, STT_OBJECT, STB_LOCAL, 1},
    };
    static const struct {
        uint64_t address;
        const char *ttu, *right;
    } wanted[] = {
        {0xff, "-", "low"},         {0x107, "sized", "sized"}, {0x108, "inner", "-"},
        {0x1ff, "inner", "-"},      {0x21f, "wide", "wide"},   {0x227, "nested", "nested"},
        {0x228, "wide", "wide"},    {0x2ff, "wide", "wide"},   {0x300, "nested", "-"},
        {0x400, "label", "label"},  {0x40f, "label", "label"}, {0x410, "number_with_size", "label"},
        {0x4ff, "number", "label"}, {0x500, "data", "data"},   {0x504, "data", "-"},
        {UINT64_MAX, "data", "-"},
    };
    struct elf_recipe recipe = recipe_of(all, ARRAY_COUNT(all));
    struct symbols *ttu = load_recipe(&recipe, SYMBOLS_AS_TTU);
    struct symbols *right = load_recipe(&recipe, SYMBOLS_RIGHT);
    for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
        CHECK_STR(name_at(ttu, wanted[i].address), wanted[i].ttu);
        CHECK_STR(name_at(right, wanted[i].address), wanted[i].right);
    }
    CHECK(value_of(right, "number") == 0x410);
    symbols_free(ttu);
    symbols_free(right);
}

// A symbol without a size names nothing beyond its section, and one at the end of its section only
// that address.
static void symbols_without_sizes_end_with_their_sections(void)
{
    static const struct elf_symbol all[] = {
        FUNC("low", 0, 4),
        {"label", 0x1004, 0, STT_NOTYPE, STB_LOCAL, STRTAB_SECTION},
        {"the_end", 0x1100, 0, STT_NOTYPE, STB_LOCAL, STRTAB_SECTION},
        {"marks_the_end", 0x2000, 0, STT_FUNC, STB_LOCAL, STRTAB_SECTION},
        {"other", 0x2000, 0, STT_NOTYPE, STB_LOCAL, SHN_COMMON},
    };
    struct elf_recipe recipe = recipe_of(all, ARRAY_COUNT(all));
    struct elf_file file = make_elf(&recipe);
    size_t section = section_at(&file, STRTAB_SECTION);
    struct error err;
    STORE(&file, section, Shdr, sh_flags, SHF_ALLOC);
    STORE(&file, section, Shdr, sh_addr, 0x1000);
    uint64_t end = 0x1000 + (file.sections_at - file.strtab_at);
    struct symbols *symbols = load_bytes(file.bytes, file.size_bytes, SYMBOLS_RIGHT, &err);
    CHECK(symbols && end < 0x1100);
    CHECK_STR(name_at(symbols, 0x1003), "-");
    CHECK_STR(name_at(symbols, 0x1004), "label");
    CHECK_STR(name_at(symbols, end - 1), "label");
    CHECK_STR(name_at(symbols, end), "-");
    CHECK_STR(name_at(symbols, 0x1100), "the_end");
    CHECK_STR(name_at(symbols, 0x1101), "-");
    CHECK_STR(name_at(symbols, 0x2000), "other");
    CHECK_STR(name_at(symbols, 0x2100), "other");
    symbols_free(symbols);
    free(file.bytes);
}

// The rule of Arm's Tarmac Trace Utilities (elf/address_index.h), literally. Ids are in the order
// of the table.
static bool find_by_rule(const struct address_span *spans, size_t count, enum address_gaps gaps,
                         uint64_t address, uint32_t *id)
{
    bool is_found = false, is_inside = false;
    uint64_t best_start = 0;
    for (size_t i = 0; i < count; i++) {
        if (spans[i].start > address)
            continue;
        bool holds = spans[i].size > 0 && address - spans[i].start < spans[i].size;
        if (!holds && gaps == ADDRESS_GAPS_UNNAMED)
            continue;
        bool is_better = !is_found || (holds && !is_inside) ||
                         (holds == is_inside && spans[i].start > best_start);
        if (!is_better)
            continue;
        is_found = true;
        is_inside = holds;
        best_start = spans[i].start;
        *id = spans[i].id;
    }
    return is_found;
}

// A table of few or many addresses, near the start, the middle or the end of the address space,
// with sizes from zero to beyond the end.
static size_t make_spans(struct address_span *spans, size_t room, uint64_t *random)
{
    static const uint64_t bases[] = {0, 0x8000, UINT64_MAX - 63, UINT64_MAX - 15};
    size_t count = next_random(random) % (room + 1);
    uint64_t base = bases[next_random(random) % ARRAY_COUNT(bases)];
    uint64_t spread = 1 + next_random(random) % 64;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = next_random(random) % 40;
        if (size > 30)
            size = next_random(random) % 8 ? 0 : UINT64_MAX - next_random(random) % 70;
        uint64_t start = base + next_random(random) % spread;
        spans[i] = (struct address_span){.start = start, .size = size, .id = (uint32_t)i};
    }
    return count;
}

static void check_index(const struct address_index *index, const struct address_span *spans,
                        size_t count, enum address_gaps gaps, uint64_t address)
{
    uint32_t wanted = 0, got = 0;
    bool is_wanted = find_by_rule(spans, count, gaps, address, &wanted);
    CHECK(address_index_find(index, address, &got) == is_wanted);
    CHECK(got == wanted);
}

static void address_index_follows_the_rule(void)
{
    uint64_t random = 0x9e3779b97f4a7c15;
    for (int table = 0; table < 20000; table++) {
        struct address_span spans[24], sorted[24];
        struct address_index index;
        enum address_gaps gaps = table % 2 ? ADDRESS_GAPS_UNNAMED : ADDRESS_GAPS_TO_NEAREST;
        size_t count = make_spans(spans, ARRAY_COUNT(spans), &random);
        memcpy(sorted, spans, sizeof sorted);
        CHECK(address_index_build(&index, sorted, count, gaps));
        for (size_t i = 0; i < count; i++) {
            uint64_t start = spans[i].start, end = start + spans[i].size;
            for (uint64_t near = 0; near < 5; near++) {
                check_index(&index, spans, count, gaps, start + near - 2);
                check_index(&index, spans, count, gaps, end + near - 2);
            }
        }
        check_index(&index, spans, count, gaps, 0);
        check_index(&index, spans, count, gaps, UINT64_MAX);
        address_index_free(&index);
    }
}

// The number of pieces, and the time, must be proportional to the number of spans: these inputs
// would take minutes if each span was examined for each other one.
static void address_index_is_fast_for_any_nesting(void)
{
    enum { COUNT = 200000, SHAPES = 4 };
    struct address_span *spans = calloc(COUNT, sizeof *spans);
    clock_t start = clock();
    for (int shape = 0; shape < SHAPES; shape++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint64_t nested = 2 * (uint64_t)(COUNT - i), sizes[SHAPES] = {0, nested, 3, UINT64_MAX};
            spans[i] = (struct address_span){.start = i, .size = sizes[shape], .id = i};
        }
        struct address_index index;
        CHECK(address_index_build(&index, spans, COUNT, ADDRESS_GAPS_TO_NEAREST));
        CHECK(index.count <= 2 * COUNT);
        for (uint64_t address = 0; address < 2 * COUNT; address++) {
            uint32_t id;
            CHECK(address_index_find(&index, address, &id));
        }
        address_index_free(&index);
    }
    CHECK(clock() - start < 20 * CLOCKS_PER_SEC);
    free(spans);
}

// --- Several images ---

// Adds an image with these symbols and segments, moved by `offset`.
static void add_image(struct image_set *set, struct elf_recipe recipe,
                      const struct elf_segment *segments, size_t segment_count, uint64_t offset)
{
    recipe.segments = segments;
    recipe.segment_count = segment_count;
    struct elf_file elf = make_elf(&recipe);
    struct memory_file file = make_file(elf.bytes, elf.size_bytes);
    struct error err = {0};
    CHECK(image_set_add(set, file.path, offset, &err) == STATUS_OK);
    CHECK_STR(err.text, "");
    close(file.fd);
    free(elf.bytes);
}

static void check_place(const struct image_set *set, uint64_t address, const char *name,
                        size_t member, uint64_t symbol_address)
{
    struct image_symbol place = {0};
    CHECK(image_set_by_address(set, address, &place));
    CHECK_STR(place.symbol ? place.symbol->name : "-", name);
    CHECK(place.member == member);
    CHECK(place.address == symbol_address);
}

static void image_set_finds_the_image_that_covers_an_address(void)
{
    static const struct elf_symbol kernel[] = {FUNC("kernel", 0x1000, 0), FUNC("both", 0x1800, 0)};
    static const struct elf_symbol app[] = {FUNC("app", 0x1000, 0), FUNC("both", 0x1100, 0)};
    static const struct elf_segment kernel_at[] = {{0x1000, 0x1000}, {0x4000, 0x1000}};
    static const struct elf_segment app_at[] = {{0x1000, 0x4000}};
    struct image_set set = {0};
    struct image_symbol place;
    add_image(&set, recipe_of(kernel, 2), kernel_at, 2, 0);
    add_image(&set, recipe_of(app, 2), app_at, 1, 0x10000);
    add_image(&set, recipe_of(app, 2), app_at, 1, 0); // applies only to addresses that the kernel
                                                      // does not use
    check_place(&set, 0x1000, "kernel", 0, 0x1000);
    check_place(&set, 0x1fff, "both", 0, 0x1800);
    check_place(&set, 0x2000, "both", 2, 0x1100);
    check_place(&set, 0x3fff, "both", 2, 0x1100);
    check_place(&set, 0x4000, "both", 0, 0x1800);
    check_place(&set, 0x11000, "app", 1, 0x11000);
    check_place(&set, 0x14fff, "both", 1, 0x11100);
    CHECK(!image_set_by_address(&set, 0x15000, &place));
    CHECK(!image_set_by_address(&set, 0xfff, &place));
    CHECK(image_set_by_name(&set, "app", &place) && place.member == 1 && place.address == 0x11000);
    CHECK(image_set_by_name(&set, "both", &place) && place.member == 0);
    CHECK(!image_set_by_name(&set, "nobody", &place));
    image_set_free(&set);
}

static void image_set_wraps_addresses_as_the_machine_does(void)
{
    static const struct elf_symbol symbols[] = {FUNC("f", 0x1000, 0), FUNC("g", 0x3000, 0)};
    static const struct elf_segment at[] = {{0x1000, 0x4000}};
    struct elf_recipe recipe = recipe_of(symbols, 2);
    struct image_set set = {0};
    struct image_symbol place;
    recipe.is_64 = false;
    add_image(&set, recipe, at, 1, -UINT64_C(0x2000));
    check_place(&set, 0xfffff000, "f", 0, 0xfffff000);
    check_place(&set, 0xfff, "f", 0, 0xfffff000);
    check_place(&set, 0x1000, "g", 0, 0x1000);
    CHECK(!image_set_by_address(&set, 0x3000, &place));
    CHECK(!image_set_by_address(&set, UINT64_C(0x100001000), &place));
    image_set_free(&set);
}

static void image_set_asks_images_without_ranges_last(void)
{
    static const struct elf_symbol loose[] = {FUNC("loose", 0x1000, 0)};
    static const struct elf_symbol fixed[] = {FUNC("fixed", 0x2000, 0)};
    static const struct elf_segment at[] = {{0x2000, 0x1000}};
    struct image_set set = {0};
    struct image_symbol place;
    add_image(&set, recipe_of(loose, 1), NULL, 0, 0x100);
    add_image(&set, recipe_of(fixed, 1), at, 1, 0);
    check_place(&set, 0x1100, "loose", 0, 0x1100);
    check_place(&set, 0x2000, "fixed", 1, 0x2000);
    check_place(&set, 0x3000, "loose", 0, 0x1100);
    CHECK(!image_set_by_address(&set, 0x10ff, &place));
    image_set_free(&set);
}

// Compared with a simple table of the owner of each address: images of random segments in a small
// address space.
static void image_set_ranges_follow_the_rule(void)
{
    enum { SPACE = 64, IMAGES = 4 };
    static const struct elf_symbol symbols[] = {FUNC("f", 0, 0)};
    uint64_t random = 12345;
    for (int round = 0; round < 300; round++) {
        struct image_set set = {0};
        int owners[SPACE];
        memset(owners, -1, sizeof owners);
        for (int image = 0; image < IMAGES; image++) {
            struct elf_segment segments[3];
            for (size_t i = 0; i < ARRAY_COUNT(segments); i++) {
                uint64_t at = next_random(&random) % SPACE;
                segments[i] = (struct elf_segment){at, next_random(&random) % (SPACE - at) / 2 + 1};
                for (uint64_t a = at; a < at + segments[i].size; a++)
                    owners[a] = owners[a] < 0 ? image : owners[a];
            }
            add_image(&set, recipe_of(symbols, 1), segments, ARRAY_COUNT(segments), 0);
        }
        for (uint64_t a = 0; a < SPACE; a++) {
            struct image_symbol place;
            int owner = image_set_by_address(&set, a, &place) ? (int)place.member : -1;
            CHECK(owner == owners[a]);
        }
        image_set_free(&set);
    }
}

static void image_set_reads_its_argument(void)
{
    struct elf_recipe recipe = recipe_of(few, ARRAY_COUNT(few));
    struct elf_file elf = make_elf(&recipe);
    char directory[] = "/tmp/trawl-unit-XXXXXX", plain[64], with_at[64], argument[96];
    CHECK(mkdtemp(directory) != NULL);
    snprintf(plain, sizeof plain, "%s/a", directory);
    snprintf(with_at, sizeof with_at, "%s/a@0x10", directory);
    static const struct {
        const char *ending;
        uint64_t offset;
    } sound[] = {{"", 0},       {"@0x20", 0x20}, {"@-0x1000", -UINT64_C(0x1000)},
                 {"@+8", 8},    {"@010", 8},     {"@0xffffffff80000000", 0xffffffff80000000},
                 {"@0x10", 0}, // a file with that name
                 {"@0x10@1", 1}};
    static const char *const bad[] = {"@",   "@x", "@1x",  "@ 1", "@--1",
                                      "@0x", "@1", "@0xg", "@-",  "@99999999999999999999"};
    const char *const paths[] = {plain, with_at};
    for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
        FILE *file = fopen(paths[i], "wb");
        CHECK(file && fwrite(elf.bytes, 1, elf.size_bytes, file) == elf.size_bytes);
        fclose(file);
    }
    struct image_set set = {0};
    for (size_t i = 0; i < ARRAY_COUNT(sound); i++) {
        snprintf(argument, sizeof argument, "%s%s", plain, sound[i].ending);
        CHECK(image_set_add_argument(&set, argument, 0, NULL) == STATUS_OK);
        CHECK(set.members.count == i + 1 && set.members.items[i].offset == sound[i].offset);
    }
    for (size_t i = 0; i < ARRAY_COUNT(bad); i++) {
        struct error err;
        bool is_missing_file = strcmp(bad[i], "@1") == 0;
        snprintf(argument, sizeof argument, "%s%s%s", plain, is_missing_file ? "b" : "", bad[i]);
        enum status status = image_set_add_argument(&set, argument, 0, &err);
        CHECK(status == (is_missing_file ? STATUS_IO : STATUS_INPUT));
        CHECK(set.members.count == ARRAY_COUNT(sound));
    }
    image_set_free(&set);
    unlink(plain);
    unlink(with_at);
    rmdir(directory);
    free(elf.bytes);
}

const struct test_case elf_tests[] = {
    {"elf_opens_in_both_classes_and_orders", elf_opens_in_both_classes_and_orders},
    {"elf_without_symbols_has_none", elf_without_symbols_has_none},
    {"elf_refuses_what_is_no_elf_file", elf_refuses_what_is_no_elf_file},
    {"elf_names_each_kind_of_damage", elf_names_each_kind_of_damage},
    {"elf_counts_sections_beyond_the_header", elf_counts_sections_beyond_the_header},
    {"elf_skips_symbols_without_a_string_table", elf_skips_symbols_without_a_string_table},
    {"elf_survives_truncation_at_every_byte", elf_survives_truncation_at_every_byte},
    {"elf_survives_corruption_of_every_byte", elf_survives_corruption_of_every_byte},
    {"lenient_reading_takes_what_arms_tool_takes", lenient_reading_takes_what_arms_tool_takes},
    {"lenient_reading_needs_a_header", lenient_reading_needs_a_header},
    {"lenient_reading_keeps_what_a_cut_leaves", lenient_reading_keeps_what_a_cut_leaves},
    {"lenient_reading_follows_the_rule", lenient_reading_follows_the_rule},
    {"lenient_reading_is_bounded", lenient_reading_is_bounded},
    {"symbols_names_are_found_in_both_readings", symbols_names_are_found_in_both_readings},
    {"symbols_names_differ_between_readings", symbols_names_differ_between_readings},
    {"symbols_are_those_of_section_7", symbols_are_those_of_section_7},
    {"symbols_at_the_lowest_address_depend_on_the_reading",
     symbols_at_the_lowest_address_depend_on_the_reading},
    {"symbols_prefer_functions_where_right", symbols_prefer_functions_where_right},
    {"symbols_name_nothing_beyond_their_ends", symbols_name_nothing_beyond_their_ends},
    {"symbols_without_sizes_end_with_their_sections",
     symbols_without_sizes_end_with_their_sections},
    {"symbols_ignore_the_thumb_bit_where_right", symbols_ignore_the_thumb_bit_where_right},
    {"address_index_follows_the_rule", address_index_follows_the_rule},
    {"address_index_is_fast_for_any_nesting", address_index_is_fast_for_any_nesting},
    {"image_set_finds_the_image_that_covers_an_address",
     image_set_finds_the_image_that_covers_an_address},
    {"image_set_wraps_addresses_as_the_machine_does",
     image_set_wraps_addresses_as_the_machine_does},
    {"image_set_asks_images_without_ranges_last", image_set_asks_images_without_ranges_last},
    {"image_set_ranges_follow_the_rule", image_set_ranges_follow_the_rule},
    {"image_set_reads_its_argument", image_set_reads_its_argument},
    {NULL, NULL},
};
