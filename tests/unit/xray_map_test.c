// Instrumentation maps of hand-made images: both classes and byte orders, all versions of entries,
// and what is refused.
#include "test.h"
#include "trace/xray/map.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

// The layout of the image.
enum {
    MAP_AT = 0x100,
    RELA_AT = 0x300,
    NAMES_AT = 0x400,
    SECTIONS_AT = 0x480,
    IMAGE_BYTES = 0x600,
    MAP_ADDRESS = 0x10100,
    ENTRIES = 3,
};

struct maker {
    uint8_t bytes[IMAGE_BYTES];
    bool is_64, is_big;
    unsigned version;      // of entries
    bool is_relocated;     // old versions: words come from relocations
    uint64_t map_bytes;    // in the section header; 0: the true value
    uint64_t map_position; // likewise
};

static void put(struct maker *maker, size_t at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        maker->bytes[at + (maker->is_big ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

#define PUT(maker, at, structure, field, value)                                                    \
    put(maker,                                                                                     \
        (at) + ((maker)->is_64 ? offsetof(Elf64_##structure, field)                                \
                               : offsetof(Elf32_##structure, field)),                              \
        value,                                                                                     \
        (maker)->is_64 ? sizeof((Elf64_##structure){0}.field)                                      \
                       : sizeof((Elf32_##structure){0}.field))

static void put_header(struct maker *maker)
{
    static const uint8_t ident[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3};
    memcpy(maker->bytes, ident, sizeof ident);
    maker->bytes[EI_CLASS] = maker->is_64 ? ELFCLASS64 : ELFCLASS32;
    maker->bytes[EI_DATA] = maker->is_big ? ELFDATA2MSB : ELFDATA2LSB;
    maker->bytes[EI_VERSION] = EV_CURRENT;
    PUT(maker, 0, Ehdr, e_type, ET_DYN);
    PUT(maker, 0, Ehdr, e_machine, EM_X86_64);
    PUT(maker, 0, Ehdr, e_version, EV_CURRENT);
    PUT(maker, 0, Ehdr, e_shoff, SECTIONS_AT);
    PUT(maker, 0, Ehdr, e_ehsize, maker->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
    PUT(maker, 0, Ehdr, e_shentsize, maker->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
    PUT(maker, 0, Ehdr, e_shnum, 4);
    PUT(maker, 0, Ehdr, e_shstrndx, 3);
}

static void put_section(struct maker *maker, unsigned number, uint32_t name, uint32_t type,
                        uint64_t address, uint64_t offset, uint64_t size, uint64_t entry_bytes)
{
    size_t at = SECTIONS_AT + number * (maker->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
    PUT(maker, at, Shdr, sh_name, name);
    PUT(maker, at, Shdr, sh_type, type);
    PUT(maker, at, Shdr, sh_addr, address);
    PUT(maker, at, Shdr, sh_offset, offset);
    PUT(maker, at, Shdr, sh_size, size);
    PUT(maker, at, Shdr, sh_entsize, entry_bytes);
}

// Writes a word of the map with the meaning `value`.
static void put_word(struct maker *maker, uint64_t offset, uint64_t value, unsigned number)
{
    size_t word_bytes = maker->is_64 ? 8 : 4;
    if (maker->version >= 2)
        value -= MAP_ADDRESS + offset;
    if (maker->is_relocated) {
        size_t at = RELA_AT + number * (maker->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela));
        PUT(maker, at, Rela, r_offset, MAP_ADDRESS + offset);
        PUT(maker, at, Rela, r_info, R_X86_64_RELATIVE);
        PUT(maker, at, Rela, r_addend, value);
        value = 0;
    }
    put(maker, MAP_AT + offset, value, word_bytes);
}

// Sleds at 0x2000 and 0x2010 of the function at 0x2000, and at 0x1000 of the function at 0x1000.
static void put_map(struct maker *maker)
{
    static const uint64_t sleds[ENTRIES] = {0x2000, 0x2010, 0x1000};
    static const uint8_t kinds[ENTRIES] = {0, 1, 3};
    uint64_t word_bytes = maker->is_64 ? 8 : 4;
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t at = i * 4 * word_bytes;
        put_word(maker, at, sleds[i], 2 * i);
        put_word(maker, at + word_bytes, sleds[i] & ~UINT64_C(0xff), 2 * i + 1);
        maker->bytes[MAP_AT + at + 2 * word_bytes] = kinds[i];
        maker->bytes[MAP_AT + at + 2 * word_bytes + 1] = i == 2;
        maker->bytes[MAP_AT + at + 2 * word_bytes + 2] = (uint8_t)maker->version;
    }
}

static void put_all(struct maker *maker)
{
    uint64_t word_bytes = maker->is_64 ? 8 : 4;
    uint64_t rela_bytes = maker->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
    put_header(maker);
    put_map(maker);
    memcpy(maker->bytes + NAMES_AT, "\0xray_instr_map\0.rela.dyn\0", 26);
    put_section(maker, 1, 1, SHT_PROGBITS, MAP_ADDRESS,
                maker->map_position ? maker->map_position : MAP_AT,
                maker->map_bytes ? maker->map_bytes : ENTRIES * 4 * word_bytes, 0);
    put_section(maker, 2, 16, SHT_RELA, 0, RELA_AT, maker->is_relocated ? 6 * rela_bytes : 0,
                rela_bytes);
    put_section(maker, 3, 0, SHT_STRTAB, 0, NAMES_AT, 26, 0);
}

// Reads the map of the image; `err` gets the reason for a failure.
static enum status read_made(struct maker *maker, struct xray_map *map, struct error *err)
{
    char path[40];
    struct image *image;
    int fd = memfd_create("map", MFD_CLOEXEC);
    put_all(maker);
    CHECK(fd >= 0 && write(fd, maker->bytes, IMAGE_BYTES) == IMAGE_BYTES);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    *map = (struct xray_map){0};
    enum status status = image_open(&image, path, err);
    if (status == STATUS_OK)
        status = xray_map_read(map, image, err);
    image_close(image);
    close(fd);
    return status;
}

static void map_is_read_in_every_form(void)
{
    for (unsigned form = 0; form < 24; form++) {
        struct maker maker = {.is_64 = form & 1, .is_big = form & 2, .is_relocated = form & 4};
        struct xray_map map;
        struct error err;
        maker.version = form / 8;
        maker.is_relocated = maker.is_relocated && maker.version < 2;
        CHECK(read_made(&maker, &map, &err) == STATUS_OK);
        CHECK(map.sleds.count == ENTRIES && map.functions.count == 2);
        if (map.sleds.count != ENTRIES || map.functions.count != 2)
            continue;
        CHECK(map.functions.items[0].address == 0x2000 && map.functions.items[1].address == 0x1000);
        CHECK(map.sleds.items[1].address == 0x2010 && map.sleds.items[1].function == 0x2000);
        CHECK(map.sleds.items[1].function_id == 1 && map.sleds.items[1].kind == XRAY_SLED_EXIT);
        CHECK(map.sleds.items[2].function_id == 2 && map.sleds.items[2].always_instrument);
        CHECK(map.sleds.items[2].version == maker.version);
        xray_map_free(&map);
    }
}

static void map_out_of_place_is_refused(void)
{
    struct xray_map map;
    struct error err;
    struct maker maker = {.is_64 = true, .version = 2, .map_bytes = 33};
    CHECK(read_made(&maker, &map, &err) == STATUS_INPUT);
    CHECK(strstr(err.text, "33 bytes, which is not a multiple of the size of an entry, 32"));
    xray_map_free(&map);
    maker = (struct maker){.is_64 = true, .version = 2, .map_position = IMAGE_BYTES - 1};
    CHECK(read_made(&maker, &map, &err) == STATUS_INPUT);
    CHECK(strstr(err.text, "beyond the end of the file"));
    xray_map_free(&map);
}

const struct test_case xray_map_tests[] = {
    {"xray_map_is_read_in_every_form", map_is_read_in_every_form},
    {"xray_map_out_of_place_is_refused", map_out_of_place_is_refused},
    {NULL, NULL},
};
