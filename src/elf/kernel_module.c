#include "elf/image.h"

#include "base/limits.h"
#include "base/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

// Where a section is not: in no region, or, of code and data that are loaded elsewhere, far from
// all code, so that what debug information says of it is in nobody's way.
#define NOWHERE UINT64_MAX
#define ELSEWHERE (UINT64_C(1) << 40)

struct module {
    unsigned char *bytes;
    uint64_t size_bytes;
    bool is_64, is_big_endian;
    unsigned machine;
    uint64_t sections_at, section_count;
    uint64_t *places; // of each section
};

#define FIELD(module, bytes, structure, field)                                                     \
    ELF_FIELD((module)->is_64, (module)->is_big_endian, bytes, structure, field)
#define PUT_FIELD(module, bytes, structure, field, value)                                          \
    ((module)->is_64                                                                               \
         ? store((bytes) + offsetof(Elf64_##structure, field),                                     \
                 sizeof((Elf64_##structure){0}.field), (module)->is_big_endian, value)             \
         : store((bytes) + offsetof(Elf32_##structure, field),                                     \
                 sizeof((Elf32_##structure){0}.field), (module)->is_big_endian, value))

static void store(unsigned char *bytes, size_t size_bytes, bool is_big_endian, uint64_t value)
{
    for (size_t i = 0; i < size_bytes; i++)
        bytes[is_big_endian ? size_bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static unsigned char *section_of(const struct module *module, uint64_t number)
{
    return module->bytes + module->sections_at + number * ELF_SIZE(module->is_64, Shdr);
}

// The bytes of a section. NULL: it has none in the file.
static unsigned char *content_of(const struct module *module, uint64_t number, uint64_t *size_bytes)
{
    const unsigned char *section = section_of(module, number);
    const uint64_t at = FIELD(module, section, Shdr, sh_offset);
    *size_bytes = FIELD(module, section, Shdr, sh_size);
    bool is_there = FIELD(module, section, Shdr, sh_type) != SHT_NOBITS &&
                    at <= module->size_bytes && *size_bytes <= module->size_bytes - at;
    return is_there ? module->bytes + at : NULL;
}

// Whether the name of a section begins so.
static bool is_named(const struct module *module, uint64_t number, const char *start)
{
    uint64_t size_bytes;
    const uint64_t names = FIELD(module, module->bytes, Ehdr, e_shstrndx);
    // A hostile file may have its own header among what is relocated.
    const unsigned char *text =
        names < module->section_count ? content_of(module, names, &size_bytes) : NULL;
    const uint64_t at = FIELD(module, section_of(module, number), Shdr, sh_name);
    const size_t length = strlen(start);
    return text && at <= size_bytes && length <= size_bytes - at &&
           memcmp(text + at, start, length) == 0;
}

// Reads the headers. False: it is no kernel module, or not one that can be laid out.
static bool read_headers(struct module *module)
{
    const unsigned char *header = module->bytes;
    if (module->size_bytes < sizeof(Elf64_Ehdr))
        return false;
    module->is_64 = header[EI_CLASS] == ELFCLASS64;
    module->is_big_endian = header[EI_DATA] == ELFDATA2MSB;
    module->machine = (unsigned)FIELD(module, header, Ehdr, e_machine);
    module->sections_at = FIELD(module, header, Ehdr, e_shoff);
    module->section_count = FIELD(module, header, Ehdr, e_shnum);
    const uint64_t each = ELF_SIZE(module->is_64, Shdr);
    if (FIELD(module, header, Ehdr, e_type) != ET_REL || !module->section_count ||
        FIELD(module, header, Ehdr, e_shentsize) != each ||
        FIELD(module, header, Ehdr, e_shstrndx) >= module->section_count ||
        module->sections_at > module->size_bytes ||
        module->section_count > (module->size_bytes - module->sections_at) / each)
        return false;
    for (uint64_t i = 0; i < module->section_count; i++) {
        if (is_named(module, i, ".gnu.linkonce.this_module"))
            return true;
    }
    return false;
}

// Gives code its places, one section after the other, as the kernel does. What runs only once is in
// a region of its own, and data in others.
static void place_sections(struct module *module)
{
    uint64_t end = 0, elsewhere = ELSEWHERE;
    for (uint64_t i = 0; i < module->section_count; i++) {
        unsigned char *section = section_of(module, i);
        const uint64_t flags = FIELD(module, section, Shdr, sh_flags);
        const uint64_t align = u64_max(1, FIELD(module, section, Shdr, sh_addralign));
        uint64_t size_bytes;
        module->places[i] = NOWHERE;
        if (!(flags & SHF_ALLOC))
            continue;
        const bool is_code = flags & SHF_EXECINSTR && !is_named(module, i, ".init") &&
                             align <= 4096 && content_of(module, i, &size_bytes);
        if (!is_code) {
            module->places[i] = elsewhere;
            elsewhere += UINT64_C(1) << 32;
            PUT_FIELD(module, section, Shdr, sh_flags, flags & ~(uint64_t)SHF_ALLOC);
            continue;
        }
        end = (end + align - 1) / align * align;
        module->places[i] = end;
        PUT_FIELD(module, section, Shdr, sh_addr, end);
        end += size_bytes;
    }
}

// The address of symbol `number` of a table. False: it is defined elsewhere.
static bool address_of_symbol(const struct module *module, const unsigned char *symbols,
                              uint64_t size_bytes, uint64_t number, uint64_t *address)
{
    const uint64_t each = sizeof(Elf64_Sym);
    if (number >= size_bytes / each)
        return false;
    const uint64_t section = FIELD(module, symbols + number * each, Sym, st_shndx);
    if (section == SHN_UNDEF || section >= module->section_count)
        return false;
    *address = FIELD(module, symbols + number * each, Sym, st_value);
    if (module->places[section] != NOWHERE)
        *address += module->places[section];
    return true;
}

// Applies a relocation to `at`, which has `left` bytes up to the end of its section and is at
// `place`: to branches within the module, and to debug information.
static void relocate(unsigned char *at, uint64_t left, uint64_t place, unsigned type,
                     uint64_t target)
{
    const uint64_t distance = target - place;
    const bool is_branch = type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26;
    if ((type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64) && left >= 8)
        store(at, 8, false, type == R_AARCH64_ABS64 ? target : distance);
    else if ((type == R_AARCH64_ABS32 || type == R_AARCH64_PREL32) && left >= 4)
        store(at, 4, false, type == R_AARCH64_ABS32 ? target : distance);
    else if (is_branch && left >= 4 && target < ELSEWHERE)
        store(at, 4, false, (load_uint(at, 4, false) & 0xfc000000) | (distance >> 2 & 0x03ffffff));
}

static void apply_relocations(const struct module *module, uint64_t number)
{
    const unsigned char *section = section_of(module, number);
    const uint64_t to = FIELD(module, section, Shdr, sh_info),
                   table = FIELD(module, section, Shdr, sh_link);
    uint64_t size_bytes, to_bytes, symbol_bytes;
    const unsigned char *each = content_of(module, number, &size_bytes);
    if (!each || !to || to >= module->section_count || table >= module->section_count)
        return;
    unsigned char *bytes = content_of(module, to, &to_bytes);
    const unsigned char *symbols = content_of(module, table, &symbol_bytes);
    if (!bytes || !symbols ||
        FIELD(module, section_of(module, to), Shdr, sh_flags) & SHF_COMPRESSED)
        return;
    const uint64_t place = module->places[to] == NOWHERE ? 0 : module->places[to];
    for (; size_bytes >= sizeof(Elf64_Rela); size_bytes -= sizeof(Elf64_Rela)) {
        const uint64_t at = FIELD(module, each, Rela, r_offset),
                       info = FIELD(module, each, Rela, r_info),
                       addend = FIELD(module, each, Rela, r_addend);
        uint64_t address;
        each += sizeof(Elf64_Rela);
        if (at < to_bytes &&
            address_of_symbol(module, symbols, symbol_bytes, ELF64_R_SYM(info), &address))
            relocate(bytes + at, to_bytes - at, place + at, (unsigned)ELF64_R_TYPE(info),
                     address + addend);
    }
}

// Moves the symbols of a table to where their sections are; those of other regions become
// undefined.
static void move_symbols(const struct module *module, uint64_t number)
{
    const uint64_t each = ELF_SIZE(module->is_64, Sym);
    uint64_t size_bytes;
    unsigned char *symbol = content_of(module, number, &size_bytes);
    for (; symbol && size_bytes >= each; size_bytes -= each, symbol += each) {
        const uint64_t section = FIELD(module, symbol, Sym, st_shndx);
        if (section == SHN_UNDEF || section >= module->section_count)
            continue;
        if (module->places[section] < ELSEWHERE)
            PUT_FIELD(module, symbol, Sym, st_value,
                      FIELD(module, symbol, Sym, st_value) + module->places[section]);
        else
            PUT_FIELD(module, symbol, Sym, st_shndx, SHN_UNDEF);
    }
}

static void lay_out(struct module *module)
{
    const bool is_relocated =
        module->machine == EM_AARCH64 && module->is_64 && !module->is_big_endian;
    place_sections(module);
    for (uint64_t i = 0; i < module->section_count && is_relocated; i++) {
        if (FIELD(module, section_of(module, i), Shdr, sh_type) == SHT_RELA)
            apply_relocations(module, i);
    }
    for (uint64_t i = 0; i < module->section_count; i++) {
        unsigned char *section = section_of(module, i);
        if (FIELD(module, section, Shdr, sh_type) == SHT_SYMTAB)
            move_symbols(module, i);
        // What it says of addresses is missing.
        const bool is_compressed = FIELD(module, section, Shdr, sh_flags) & SHF_COMPRESSED;
        if ((!is_relocated || is_compressed) &&
            (is_named(module, i, ".debug") || is_named(module, i, ".eh_frame")))
            PUT_FIELD(module, section, Shdr, sh_type, SHT_NULL);
    }
    PUT_FIELD(module, module->bytes, Ehdr, e_type, ET_DYN);
}

static bool write_all(int fd, const unsigned char *bytes, uint64_t size_bytes)
{
    for (uint64_t done = 0; done < size_bytes;) {
        ssize_t put = pwrite(fd, bytes + done, (size_t)(size_bytes - done), (off_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (uint64_t)put;
    }
    return true;
}

enum status kernel_module_lay_out(const struct image *image, int *image_fd, struct error *err)
{
    struct module module = {.size_bytes = image_file_bytes(image)};
    const char *path = image_path(image);
    *image_fd = -1;
    if (module.size_bytes > LIMIT_KERNEL_MODULE_BYTES)
        return STATUS_OK;
    module.bytes = malloc((size_t)module.size_bytes + 1);
    if (!module.bytes)
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    enum status status = image_read(image, 0, module.bytes, (size_t)module.size_bytes, err);
    if (status == STATUS_OK && read_headers(&module)) {
        module.places = calloc((size_t)module.section_count, sizeof *module.places);
        if (!module.places) {
            status = error_set(err, STATUS_MEMORY, "%s: no memory", path);
        } else {
            lay_out(&module);
            *image_fd = unnamed_open(unnamed_directory());
            if (*image_fd < 0 || !write_all(*image_fd, module.bytes, module.size_bytes))
                status = error_set_errno(err, path, "cannot keep its layout");
        }
    }
    if (status != STATUS_OK && *image_fd >= 0) {
        close(*image_fd);
        *image_fd = -1;
    }
    free(module.places);
    free(module.bytes);
    return status;
}
