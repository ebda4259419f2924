#include "trace/xray/map.h"

#include "elf/image.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>

// From this version on, the words of an entry are relative to their own addresses.
#define VERSION_RELATIVE 2

// The state of reading the section.
struct reader {
    struct xray_map *map;
    const struct image *image;
    const unsigned char *bytes;
    uint64_t address, size_bytes; // of the section
    uint64_t word_bytes, entry_bytes;
    VEC(, GElf_Rela) relocations; // of words in the section, by address
};

// --- Relocations ---------------------------------------------------------------------------------

// Entries of old versions contain addresses. In position-independent images these are zero in the
// file and come from relocations. Only relocations that contain the address are needed; others
// leave it in its place.
static bool add_relocations(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data;
    if (header->sh_type != SHT_RELA || !header->sh_entsize ||
        !image_holds(reader->image, header->sh_offset, header->sh_size))
        return true;
    image_ask();
    if (!(data = elf_getdata(section, NULL)))
        return !image_lacks_memory();
    uint64_t count = header->sh_size / header->sh_entsize;
    for (uint64_t i = 0; i < u64_min(count, INT32_MAX); i++) {
        GElf_Rela relocation;
        if (!gelf_getrela(data, (int)i, &relocation))
            break;
        if (GELF_R_SYM(relocation.r_info) != 0 ||
            relocation.r_offset - reader->address >= reader->size_bytes)
            continue;
        if (!VEC_ROOM(&reader->relocations, 1))
            return false;
        reader->relocations.items[reader->relocations.count++] = relocation;
    }
    return true;
}

static int compare_places(const void *a_item, const void *b_item)
{
    uint64_t a = ((const GElf_Rela *)a_item)->r_offset, b = ((const GElf_Rela *)b_item)->r_offset;
    return (a > b) - (a < b);
}

static bool read_relocations(struct reader *reader)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while ((section = elf_nextscn(image_elf(reader->image), section))) {
        if (gelf_getshdr(section, &header) && !add_relocations(reader, section, &header))
            return false;
    }
    if (reader->relocations.count)
        qsort(reader->relocations.items, reader->relocations.count, sizeof(GElf_Rela),
              compare_places);
    return true;
}

// --- Entries -------------------------------------------------------------------------------------

static uint64_t word_at(const struct reader *reader, uint64_t offset, unsigned version)
{
    uint64_t word =
        load_uint(reader->bytes + offset, reader->word_bytes, image_is_big_endian(reader->image));
    uint64_t place = reader->address + offset;
    if (version >= VERSION_RELATIVE)
        word += place;
    if (version < VERSION_RELATIVE && word == 0 && reader->relocations.count) {
        const GElf_Rela key = {.r_offset = place};
        const GElf_Rela *found = bsearch(&key, reader->relocations.items, reader->relocations.count,
                                         sizeof key, compare_places);
        word = found ? (uint64_t)found->r_addend : 0;
    }
    return reader->word_bytes == 4 ? (uint32_t)word : word;
}

static bool add_entry(struct reader *reader, uint64_t offset)
{
    struct xray_map *map = reader->map;
    const unsigned char *about = reader->bytes + offset + 2 * reader->word_bytes;
    struct xray_sled sled = {.kind = about[0], .version = about[2]};
    sled.always_instrument = about[1] != 0;
    sled.address = word_at(reader, offset, sled.version);
    sled.function = word_at(reader, offset + reader->word_bytes, sled.version);
    if (!VEC_ROOM(&map->sleds, 1) || !VEC_ROOM(&map->functions, 1))
        return false;
    // All sleds of a function are adjacent.
    sled.function_id = (uint32_t)map->functions.count;
    if (!sled.function_id || map->functions.items[sled.function_id - 1].address != sled.function)
        map->functions.items[map->functions.count++] =
            (struct xray_function){.address = sled.function, .id = ++sled.function_id};
    map->sleds.items[map->sleds.count++] = sled;
    return true;
}

static enum status no_memory(const struct image *image, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for its XRay map", image_path(image));
}

static enum status read_section(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header,
                                struct error *err)
{
    const char *path = image_path(reader->image);
    if (header->sh_type == SHT_NOBITS || header->sh_size == 0)
        return STATUS_OK;
    if (!image_holds(reader->image, header->sh_offset, header->sh_size))
        return error_set_at(err, STATUS_INPUT, header->sh_offset,
                            "%s: xray_instr_map lies beyond the end of the file", path);
    image_ask();
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf || data->d_size != header->sh_size)
        return image_fault(reader->image, "xray_instr_map", err);
    reader->bytes = data->d_buf;
    reader->address = header->sh_addr;
    reader->size_bytes = header->sh_size;
    reader->word_bytes = image_class_bits(reader->image) / 8;
    reader->entry_bytes = 4 * reader->word_bytes;
    if (header->sh_size % reader->entry_bytes)
        return error_set_at(err, STATUS_INPUT, header->sh_offset,
                            "%s: xray_instr_map has %" PRIu64
                            " bytes, which is not a multiple of the size of an entry, %" PRIu64,
                            path, (uint64_t)header->sh_size, reader->entry_bytes);
    if (!read_relocations(reader))
        return no_memory(reader->image, err);
    for (uint64_t at = 0; at < header->sh_size; at += reader->entry_bytes) {
        if (!add_entry(reader, at))
            return no_memory(reader->image, err);
    }
    return STATUS_OK;
}

// --- What has the map ----------------------------------------------------------------------------

// Whether a dynamic section says that it belongs to a position-independent program.
static bool is_of_movable_program(const struct image *image, Elf_Scn *section,
                                  const GElf_Shdr *header)
{
    Elf_Data *data;
    GElf_Dyn entry;
    if (!header->sh_entsize || !image_holds(image, header->sh_offset, header->sh_size) ||
        !(data = elf_getdata(section, NULL)))
        return false;
    uint64_t count = u64_min(header->sh_size / header->sh_entsize, INT32_MAX);
    for (uint64_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++) {
        if (entry.d_tag == DT_FLAGS_1)
            return entry.d_un.d_val & DF_1_PIE;
    }
    return false;
}

// --- Reading a map -------------------------------------------------------------------------------

enum status xray_map_read(struct xray_map *map, const struct image *image, struct error *err)
{
    struct reader reader = {.map = map, .image = image};
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    enum status status = STATUS_OK;
    *map = (struct xray_map){0};
    while (status == STATUS_OK && (section = elf_nextscn(image_elf(image), section))) {
        if (!gelf_getshdr(section, &header))
            continue;
        // Notes a section that only a program has, or also a shared object.
        if (strcmp(image_section_name(image, &header), ".interp") == 0 ||
            (header.sh_type == SHT_DYNAMIC && is_of_movable_program(image, section, &header)))
            map->of = XRAY_MAP_OF_PROGRAM;
        else if (header.sh_type == SHT_DYNAMIC && map->of == XRAY_MAP_OF_ANYTHING)
            map->of = XRAY_MAP_OF_SHARED_OBJECT;
        if (strcmp(image_section_name(image, &header), "xray_instr_map") == 0)
            status = read_section(&reader, section, &header, err);
    }
    free(reader.relocations.items);
    return status;
}
