#include "elf/sframe_section.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>

#define SHT_SFRAME 0x6ffffff4
#define PT_SFRAME 0x6474e554
#define SECTION_NAME ".sframe"

// Where the tables are in the file.
struct section_extent {
    uint64_t offset, size_bytes, address;
    const char *name;
    size_t number; // of the section, 0 for a segment
};

static enum status no_memory(const struct image *image, struct error *err)
{
    return error_set(err, STATUS_MEMORY, "%s: no memory for SFrame", image_path(image));
}

// --- Finding it ----------------------------------------------------------------------------------

static bool find_section(const struct image *image, bool by_name, struct section_extent *place)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image_elf(image), section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = image_section_name(image, &header);
        if (by_name ? strcmp(name, SECTION_NAME) != 0 : header.sh_type != SHT_SFRAME)
            continue;
        *place = (struct section_extent){header.sh_offset, header.sh_size, header.sh_addr, name,
                                         elf_ndxscn(section)};
        return true;
    }
    return false;
}

static bool find_segment(const struct image *image, struct section_extent *place)
{
    size_t count = 0;
    if (elf_getphdrnum(image_elf(image), &count) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image_elf(image), (int)i, &segment) || segment.p_type != PT_SFRAME)
            continue;
        *place =
            (struct section_extent){segment.p_offset, segment.p_filesz, segment.p_vaddr, "", 0};
        return true;
    }
    return false;
}

static enum status copy_bytes(struct sframe_section *section, const struct image *image,
                              const struct section_extent *place, struct error *err)
{
    if (!image_holds(image, place->offset, place->size_bytes))
        return error_set_at(err, STATUS_INPUT, place->offset,
                            "%s: SFrame of %" PRIu64 " bytes lies beyond the end of the file",
                            image_path(image), place->size_bytes);
    section->size_bytes = place->size_bytes;
    section->bytes = calloc(1, place->size_bytes + SFRAME_PADDING_BYTES);
    section->name = strdup(place->name);
    if (!section->bytes || !section->name)
        return no_memory(image, err);
    if (place->size_bytes == 0)
        return STATUS_OK;
    image_ask();
    Elf_Data *data = elf_getdata_rawchunk(image_elf(image), (int64_t)place->offset,
                                          place->size_bytes, ELF_T_BYTE);
    if (!data || data->d_size != place->size_bytes)
        return image_fault(image, "SFrame", err);
    memcpy(section->bytes, data->d_buf, place->size_bytes);
    return STATUS_OK;
}

// --- The image's code ----------------------------------------------------------------------------

static bool add_code(struct sframe_section *section, uint64_t first, uint64_t size, uint32_t number,
                     const char *name)
{
    uint64_t end = first + size < first ? UINT64_MAX : first + size;
    if (size == 0)
        return true;
    char *copy = VEC_ROOM(&section->code, 1) ? strdup(name) : NULL;
    if (!copy)
        return false;
    section->code.items[section->code.count++] = (struct sframe_code){first, end, number, copy};
    return true;
}

static bool add_range(struct sframe_section *section, uint64_t first, uint64_t size)
{
    if (size == 0)
        return true;
    if (!VEC_ROOM(&section->ranges, 1))
        return false;
    section->ranges.items[section->ranges.count++] =
        (struct sframe_range){first, first + size < first ? UINT64_MAX : first + size};
    return true;
}

static bool add_code_sections(struct sframe_section *section, const struct image *image)
{
    Elf_Scn *at = NULL;
    bool has_room = true;
    while (has_room && (at = elf_nextscn(image_elf(image), at)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(at, &header) || !(header.sh_flags & SHF_EXECINSTR))
            continue;
        has_room = add_code(section, section->is_object ? 0 : header.sh_addr, header.sh_size,
                            (uint32_t)elf_ndxscn(at), image_section_name(image, &header)) &&
                   add_range(section, header.sh_addr, header.sh_size);
    }
    return has_room;
}

static bool add_code_segments(struct sframe_section *section, const struct image *image)
{
    size_t count = 0;
    bool has_room = true, has_sections = section->code.count > 0;
    if (elf_getphdrnum(image_elf(image), &count) != 0)
        return true;
    for (size_t i = 0; has_room && i < count; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image_elf(image), (int)i, &segment) || segment.p_type != PT_LOAD ||
            !(segment.p_flags & PF_X))
            continue;
        has_room = (has_sections || add_code(section, segment.p_vaddr, segment.p_memsz, 0, "")) &&
                   add_range(section, segment.p_vaddr, segment.p_memsz);
    }
    return has_room;
}

ORDER_BY(compare_code, struct sframe_code, first)

ORDER_BY(compare_ranges, struct sframe_range, first)

static enum status read_code(struct sframe_section *section, const struct image *image,
                             struct error *err)
{
    if (!add_code_sections(section, image) ||
        (!section->is_object && !add_code_segments(section, image)))
        return no_memory(image, err);
    if (!section->is_object) {
        // Sorts both, and merges ranges that overlap or touch.
        size_t kept = 0;
        if (section->code.count)
            qsort(section->code.items, section->code.count, sizeof *section->code.items,
                  compare_code);
        if (section->ranges.count != 0) {
            struct sframe_range *ranges = section->ranges.items;
            qsort(ranges, section->ranges.count, sizeof *ranges, compare_ranges);
            for (size_t i = 1; i < section->ranges.count; i++) {
                if (ranges[i].first <= ranges[kept].end)
                    ranges[kept].end = u64_max(ranges[kept].end, ranges[i].end);
                else
                    ranges[++kept] = ranges[i];
            }
            section->ranges.count = kept + 1;
        }
    }
    return STATUS_OK;
}

uint64_t sframe_function_total(const struct sframe_section *section)
{
    uint64_t count = 0;
    for (size_t i = 0; i < section->tables.count; i++)
        count += section->tables.items[i].function_count;
    return count;
}

uint64_t sframe_code_bytes(const struct sframe_section *section)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < section->code.count; i++)
        bytes += section->code.items[i].end - section->code.items[i].first;
    return bytes;
}

bool sframe_is_code(const struct sframe_section *section, uint64_t address)
{
    size_t low;
    PARTITION_POINT(low, section->ranges.count, section->ranges.items[middle].first <= address);
    return section->ranges.count == 0 || (low > 0 && address < section->ranges.items[low - 1].end);
}

const struct sframe_code *sframe_code_at(const struct sframe_section *section, uint64_t address)
{
    size_t low;
    PARTITION_POINT(low, section->code.count, section->code.items[middle].first <= address);
    const struct sframe_code *code = low > 0 ? &section->code.items[low - 1] : NULL;
    return code && address < code->end ? code : NULL;
}

// --- Tables --------------------------------------------------------------------------------------

// Some linkers put the tables of their inputs one after the other.
static enum status read_tables(struct sframe_section *section, const struct image *image,
                               const struct sframe_faults *faults, struct error *err)
{
    uint64_t at = 0, functions = 0;
    while (at == 0
               ? section->size_bytes > 0
               : at < section->size_bytes && (memcmp(section->bytes + at, "\xe2\xde", 2) == 0 ||
                                              memcmp(section->bytes + at, "\xde\xe2", 2) == 0)) {
        struct sframe_table table;
        struct error why;
        if (!VEC_ROOM(&section->tables, 1))
            return no_memory(image, err);
        if (sframe_table_read(&table, section->bytes, section->size_bytes, at, section->address,
                              &why) != STATUS_OK) {
            if (at == 0)
                return error_set_at(err, STATUS_INPUT, why.offset, "%s: %s: %s", image_path(image),
                                    SECTION_NAME, why.text);
            faults->fault(faults->self, &why);
            return STATUS_OK;
        }
        table.first_function = functions;
        functions += table.function_count;
        section->tables.items[section->tables.count++] = table;
        uint64_t end = u64_max(table.end, sframe_entry_offset(&table, table.function_count));
        at = (end + 7) & ~UINT64_C(7);
    }
    return STATUS_OK;
}

struct extent {
    uint64_t start, end;
};

ORDER_BY(compare_extents, struct extent, start)

// How little the starts of a table look like those of functions: how many functions extend into the
// next one, then how far starts are from multiples of 16.
struct doubt {
    size_t overlaps, misalignment;
};

static struct doubt doubt_starts(const struct sframe_table *table, struct extent *extents)
{
    struct doubt doubt = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < table->function_count; i++) {
        struct sframe_function function;
        if (sframe_function_read(table, i, &function, NULL) != STATUS_OK)
            continue;
        extents[count++] =
            (struct extent){function.address, function.address + function.size_bytes};
        for (unsigned bit = 1; bit < 16 && !(function.address & bit); bit <<= 1)
            doubt.misalignment--;
        doubt.misalignment += 4;
    }
    if (count)
        qsort(extents, count, sizeof *extents, compare_extents);
    for (size_t i = 1; i < count; i++)
        doubt.overlaps += extents[i].start < extents[i - 1].end;
    return doubt;
}

// A table without the flag for relative starts that is not sorted may come from an object: a linker
// that does not know the format copied it unchanged, and starts are relative to their fields. If in
// doubt, this is assumed, because older assemblers wrote such objects. Version 3 is unambiguous.
static bool judge_pasted(struct sframe_table *table)
{
    if (table->flags & (SFRAME_SORTED | SFRAME_PC_RELATIVE) || table->function_count == 0)
        return true;
    struct extent *extents = calloc(table->function_count, sizeof *extents);
    if (!extents)
        return false;
    struct doubt plain = doubt_starts(table, extents);
    table->is_unlinked = true;
    struct doubt pasted = doubt_starts(table, extents);
    free(extents);
    if (pasted.overlaps != plain.overlaps)
        table->is_unlinked = pasted.overlaps < plain.overlaps;
    else if (pasted.misalignment != plain.misalignment)
        table->is_unlinked = pasted.misalignment < plain.misalignment;
    else
        table->is_unlinked = table->version < 3;
    return true;
}

// --- Objects -------------------------------------------------------------------------------------

// What relocations of an object need.
struct relocating {
    struct sframe_section *section;
    Elf_Data *symbols, *extended_indexes;
};

// Which function of which table has its start field at `offset`: its number among all, and its
// table; NULL when there is none.
static struct sframe_table *field_owner(struct sframe_section *section, uint64_t offset,
                                        uint64_t *number)
{
    size_t low;
    PARTITION_POINT(low, section->tables.count, section->tables.items[middle].offset <= offset);
    struct sframe_table *table = low > 0 ? &section->tables.items[low - 1] : NULL;
    if (!table || offset < table->functions)
        return NULL;
    uint64_t index = (offset - table->functions) / sframe_entry_bytes(table);
    if (index >= table->function_count || sframe_entry_offset(table, (uint32_t)index) != offset)
        return NULL;
    *number = table->first_function + index;
    return table;
}

// Makes the field relative to itself, pointing to the symbol's place in its section. Relocations
// that do not hit a start field are ignored: old linkers leave such ones.
static void relocate(struct relocating *with, const GElf_Rela *relocation)
{
    uint64_t number;
    GElf_Sym symbol;
    Elf32_Word extended = 0;
    struct sframe_table *table = field_owner(with->section, relocation->r_offset, &number);
    if (!table || GELF_R_TYPE(relocation->r_info) == 0 ||
        !gelf_getsymshndx(with->symbols, with->extended_indexes,
                          (int)GELF_R_SYM(relocation->r_info), &symbol, &extended))
        return;
    uint64_t target = symbol.st_value + (uint64_t)relocation->r_addend;
    uint64_t value = target - (relocation->r_offset - table->offset);
    uint8_t *field = (uint8_t *)(uintptr_t)table->bytes + relocation->r_offset;
    unsigned size_bytes = table->version == 3 ? 8 : 4;
    for (unsigned i = 0; i < size_bytes; i++)
        field[table->is_big_endian ? size_bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
    with->section->code_sections[number] =
        symbol.st_shndx == SHN_XINDEX ? extended : symbol.st_shndx;
}

// The data of a section that is within the file, else NULL.
static Elf_Data *checked_data(const struct image *image, Elf_Scn *section)
{
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
        !image_holds(image, header.sh_offset, header.sh_size))
        return NULL;
    return elf_getdata(section, NULL);
}

// False: no memory.
static bool apply_relocations(struct relocating *with, const struct image *image, Elf_Scn *section,
                              const GElf_Shdr *header)
{
    Elf *elf = image_elf(image);
    Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
    image_ask();
    Elf_Data *data = checked_data(image, section);
    int extended = symbols ? elf_scnshndx(symbols) : 0;
    with->symbols = checked_data(image, symbols);
    with->extended_indexes =
        extended > 0 ? checked_data(image, elf_getscn(elf, (size_t)extended)) : NULL;
    if (image_lacks_memory())
        return false;
    if (!data || !with->symbols || header->sh_entsize == 0)
        return true;
    uint64_t count = header->sh_size / header->sh_entsize;
    for (uint64_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Rela relocation;
        if (!gelf_getrela(data, (int)i, &relocation))
            break;
        relocate(with, &relocation);
    }
    return true;
}

static bool relocate_object(struct sframe_section *section, const struct image *image,
                            size_t section_number)
{
    struct relocating with = {.section = section};
    for (size_t i = 0; i < section->tables.count; i++)
        section->tables.items[i].is_unlinked = true;
    section->code_sections =
        calloc(sframe_function_total(section) + 1, sizeof *section->code_sections);
    if (!section->code_sections)
        return false;
    Elf_Scn *at = NULL;
    while ((at = elf_nextscn(image_elf(image), at)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(at, &header) && header.sh_type == SHT_RELA &&
            header.sh_info == section_number && !apply_relocations(&with, image, at, &header))
            return false;
    }
    return true;
}

// --- The whole -----------------------------------------------------------------------------------

static enum status read_all(struct sframe_section *section, const struct image *image,
                            const struct section_extent *place, const struct sframe_faults *faults,
                            struct error *err)
{
    GElf_Ehdr header;
    if (!gelf_getehdr(image_elf(image), &header))
        return error_set(err, STATUS_INPUT, "%s: %s", image_path(image), elf_errmsg(-1));
    section->is_object = header.e_type == ET_REL && place->number != 0;
    section->address = section->is_object ? 0 : place->address;
    enum status status = copy_bytes(section, image, place, err);
    if (status == STATUS_OK)
        status = read_tables(section, image, faults, err);
    if (status != STATUS_OK)
        return status;
    status = read_code(section, image, err);
    if (status != STATUS_OK)
        return status;
    if (section->is_object && !relocate_object(section, image, place->number))
        return no_memory(image, err);
    for (size_t i = 0; !section->is_object && i < section->tables.count; i++)
        if (!judge_pasted(&section->tables.items[i]))
            return no_memory(image, err);
    return STATUS_OK;
}

enum status sframe_section_read(struct sframe_section *section, const struct image *image,
                                const struct sframe_faults *faults, struct error *err)
{
    struct section_extent place;
    *section = (struct sframe_section){0};
    if (!find_section(image, true, &place) && !find_section(image, false, &place) &&
        !find_segment(image, &place))
        return error_set(err, STATUS_NOT_FOUND, "%s: has no SFrame section", image_path(image));
    enum status status = read_all(section, image, &place, faults, err);
    if (status != STATUS_OK)
        sframe_section_free(section);
    return status;
}

void sframe_section_free(struct sframe_section *section)
{
    for (size_t i = 0; i < section->code.count; i++)
        free(section->code.items[i].name);
    free(section->bytes);
    free(section->name);
    free(section->tables.items);
    free(section->code.items);
    free(section->ranges.items);
    free(section->code_sections);
    *section = (struct sframe_section){0};
}
