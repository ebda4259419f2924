// The strict reading: by libelf, of a file that image_open has checked; any damage is an error.
#include "base/limits.h"
#include "elf/symbols_build.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

// Where a string begins that is too long for a name, and the place from which on its rest is not.
struct long_name {
    uint64_t first, end;
};

// One SHT_SYMTAB or SHT_DYNSYM and the string table with its names.
struct symtab {
    const char *path;
    size_t section;
    Elf_Data *entries;
    size_t count;
    const char *strings; // followed by a NUL that is not in the file
    uint64_t strings_bytes;
    uint64_t ended_bytes; // up to its last NUL
    VEC(, struct long_name) long_names;
    bool is_arm32;
};

// The bytes of a section, once its place is known to be within the file.
static enum status section_data(Elf_Data **out, const struct image *image, Elf_Scn *section,
                                const GElf_Shdr *header, struct error *err)
{
    size_t number = elf_ndxscn(section);
    if (!image_holds(image, header->sh_offset, header->sh_size))
        return error_set_at(err, STATUS_INPUT, header->sh_offset,
                            "%s: section %zu lies beyond the end of the file", image_path(image),
                            number);
    image_ask();
    *out = elf_getdata(section, NULL);
    if (!*out && image_lacks_memory())
        return symbols_no_memory(err);
    if (!*out || (header->sh_size > 0 && !(*out)->d_buf))
        return error_set(err, STATUS_INPUT, "%s: section %zu: %s", image_path(image), number,
                         elf_errmsg(-1));
    return STATUS_OK;
}

// Measures the strings of the table once, because many names may share bytes. False: no memory.
static bool measure_strings(struct symtab *symtab)
{
    const char *strings = symtab->strings, *nul;
    while (symtab->ended_bytes < symtab->strings_bytes &&
           (nul = memchr(strings + symtab->ended_bytes, 0,
                         symtab->strings_bytes - symtab->ended_bytes))) {
        uint64_t start = symtab->ended_bytes, end = (uint64_t)(nul - strings);
        symtab->ended_bytes = end + 1;
        if (end - start <= LIMIT_SYMBOL_NAME_BYTES)
            continue;
        if (!VEC_ROOM(&symtab->long_names, 1))
            return false;
        symtab->long_names.items[symtab->long_names.count++] =
            (struct long_name){start, end - LIMIT_SYMBOL_NAME_BYTES};
    }
    return true;
}

static enum status copy_strings(struct symbols *symbols, struct symtab *symtab,
                                const struct image *image, Elf_Scn *section,
                                const GElf_Shdr *header, struct error *err)
{
    Elf_Data *data = NULL;
    enum status status = section_data(&data, image, section, header, err);
    if (status != STATUS_OK)
        return status;
    symtab->strings_bytes = header->sh_size > 0 ? data->d_size : 0;
    const char *bytes = symtab->strings_bytes > 0 ? data->d_buf : "";
    symtab->strings = arena_copy_string(&symbols->arena, bytes, symtab->strings_bytes);
    return symtab->strings && measure_strings(symtab) ? STATUS_OK : symbols_no_memory(err);
}

static bool is_wanted(const GElf_Sym *entry)
{
    unsigned binding = GELF_ST_BIND(entry->st_info), type = GELF_ST_TYPE(entry->st_info);
    if (entry->st_shndx == SHN_UNDEF)
        return false;
    if (binding != STB_LOCAL && binding != STB_GLOBAL && binding != STB_WEAK &&
        binding != STB_GNU_UNIQUE)
        return false;
    return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC || type == STT_GNU_IFUNC;
}

// Such strings are at least this far apart.
static bool is_too_long(const struct symtab *symtab, uint64_t offset)
{
    size_t low;
    PARTITION_POINT(low, symtab->long_names.count, symtab->long_names.items[middle].end <= offset);
    return low < symtab->long_names.count && symtab->long_names.items[low].first <= offset;
}

static enum status check_name(const struct symtab *symtab, size_t number, uint64_t offset,
                              struct error *err)
{
    if (offset >= symtab->strings_bytes && offset > 0)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu, symbol %zu: name outside the string table", symtab->path,
                         symtab->section, number);
    if (offset >= symtab->ended_bytes && offset < symtab->strings_bytes)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu, symbol %zu: name without an end in the string table",
                         symtab->path, symtab->section, number);
    if (is_too_long(symtab, offset))
        return error_set(err, STATUS_LIMIT,
                         "%s: section %zu, symbol %zu: name longer than %" PRIu64 " bytes",
                         symtab->path, symtab->section, number, LIMIT_SYMBOL_NAME_BYTES);
    return STATUS_OK;
}

static enum status add_entry(struct symbols *symbols, const struct symtab *symtab,
                             const struct image *image, size_t number, struct error *err)
{
    GElf_Sym entry;
    if (!gelf_getsym(symtab->entries, (int)number, &entry))
        return error_set(err, STATUS_INPUT, "%s: section %zu, symbol %zu: %s", symtab->path,
                         symtab->section, number, elf_errmsg(-1));
    if (!is_wanted(&entry))
        return STATUS_OK;
    enum status status = check_name(symtab, number, entry.st_name, err);
    if (status != STATUS_OK)
        return status;
    const char *name = symtab->strings + entry.st_name;
    if (!symbols_want_name(name))
        return STATUS_OK;
    unsigned type = GELF_ST_TYPE(entry.st_info);
    struct symbol symbol = {
        .name = name,
        .value = entry.st_value,
        .address = entry.st_value,
        .size = entry.st_size,
        .is_function = type == STT_FUNC || type == STT_GNU_IFUNC,
    };
    if (symbol.is_function && symtab->is_arm32)
        symbol.address &= ~UINT64_C(1);
    // Finds what the section of a symbol says: whether it is data, and the most bytes that it may
    // name: none of an absolute one, which is a number; of one without a size, up to the end of
    // its section; and of a mark after that (_etext, _end) only its place.
    GElf_Shdr header;
    Elf_Scn *section =
        entry.st_shndx < SHN_LORESERVE ? elf_getscn(image_elf(image), entry.st_shndx) : NULL;
    bool has_section = section && gelf_getshdr(section, &header) && header.sh_flags & SHF_ALLOC;
    symbol.is_data = GELF_ST_TYPE(entry.st_info) == STT_OBJECT ||
                     (has_section && !(header.sh_flags & SHF_EXECINSTR) && !symbol.is_function);
    if (entry.st_shndx == SHN_ABS)
        symbol.reach = 0;
    else if (entry.st_size > 0)
        symbol.reach = entry.st_size;
    else if (!has_section)
        symbol.reach = UINT64_MAX;
    else if (symbol.address >= header.sh_addr && symbol.address - header.sh_addr < header.sh_size)
        symbol.reach = header.sh_size - (symbol.address - header.sh_addr);
    else
        symbol.reach = 1;
    return symbols_add(symbols, &symbol) ? STATUS_OK : symbols_no_memory(err);
}

static enum status check_shape(const struct symbols *symbols, struct symtab *symtab,
                               const struct image *image, const GElf_Shdr *header,
                               struct error *err)
{
    size_t entry_bytes = gelf_fsize(image_elf(image), ELF_T_SYM, 1, EV_CURRENT);
    if (header->sh_entsize != entry_bytes || header->sh_size % entry_bytes != 0)
        return error_set(err, STATUS_INPUT,
                         "%s: section %zu: %" PRIu64 " bytes in symbols of %" PRIu64
                         " bytes where %zu are due",
                         symtab->path, symtab->section, (uint64_t)header->sh_size,
                         (uint64_t)header->sh_entsize, entry_bytes);
    uint64_t count = header->sh_size / entry_bytes;
    if (count > LIMIT_SYMBOLS - symbols->table.count)
        return error_set(err, STATUS_LIMIT, "%s: section %zu: more than %" PRIu64 " symbols",
                         symtab->path, symtab->section, LIMIT_SYMBOLS);
    symtab->count = count;
    return STATUS_OK;
}

static enum status read_symtab(struct symbols *symbols, const struct image *image, Elf_Scn *section,
                               const GElf_Shdr *header, struct error *err)
{
    struct symtab symtab = {
        .path = image_path(image),
        .section = elf_ndxscn(section),
        .is_arm32 = image_is_arm32(image),
    };
    GElf_Shdr strings_header;
    Elf_Scn *strings = elf_getscn(image_elf(image), header->sh_link);
    if (!strings || !gelf_getshdr(strings, &strings_header))
        return error_set(err, STATUS_INPUT, "%s: section %zu: there is no section %u to link to",
                         symtab.path, symtab.section, header->sh_link);
    if (strings_header.sh_type != SHT_STRTAB)
        return STATUS_OK;
    enum status status = check_shape(symbols, &symtab, image, header, err);
    if (status == STATUS_OK)
        status = section_data(&symtab.entries, image, section, header, err);
    if (status == STATUS_OK)
        status = copy_strings(symbols, &symtab, image, strings, &strings_header, err);
    for (size_t i = 0; status == STATUS_OK && i < symtab.count; i++)
        status = add_entry(symbols, &symtab, image, i, err);
    free(symtab.long_names.items);
    return status;
}

// Reads all tables of a type; *any: there are some.
static enum status read_tables(struct symbols *symbols, const struct image *image, uint32_t type,
                               bool *any, struct error *err)
{
    Elf_Scn *section = NULL;
    *any = false;
    while ((section = elf_nextscn(image_elf(image), section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return error_set(err, STATUS_INPUT, "%s: section table: %s", image_path(image),
                             elf_errmsg(-1));
        if (header.sh_type != type)
            continue;
        *any = true;
        enum status status = read_symtab(symbols, image, section, &header, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status symbols_load(struct symbols **out, const struct image *image,
                         enum symbols_reading reading, struct error *err)
{
    *out = NULL;
    if (reading == SYMBOLS_AS_TTU) {
        bool is_big_endian;
        return symbols_load_as_ttu(out, image_path(image), &is_big_endian, err);
    }
    struct symbols *symbols = symbols_create(SYMBOLS_RIGHT);
    if (!symbols)
        return symbols_no_memory(err);
    symbols->display_bytes_max =
        u64_min(symbols->display_bytes_max, LIMIT_IMAGE_NAME_TEXT(image_file_bytes(image)));
    // An image without its own symbols only has exported ones.
    bool any;
    enum status status = read_tables(symbols, image, SHT_SYMTAB, &any, err);
    if (status == STATUS_OK && !any)
        status = read_tables(symbols, image, SHT_DYNSYM, &any, err);
    return symbols_finish(out, symbols, status, err);
}
