// Units of which a compiler left only a skeleton in the image, read by libdw, and where they are
// looked for.
//
// libdw 0.188 would itself open the files that skeletons name, unchecked, and does not support
// packages. So what a unit needs is copied from checked files (dwarf/debug_value.h) into an ELF
// file in memory, which is all that libdw reads; the connection to the image, where code is, is
// read here.
#include "dwarf/debug_value.h"

#include "base/limits.h"
#include "elf/image.h"
#include "idx/varint.h"

#include <dwarf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// The contents of the skeleton.
struct split_skeleton {
    uint64_t id;
    uint64_t base;         // of lists of ranges
    uint64_t address_base; // in .debug_addr
    uint64_t ranges_base;  // in .debug_ranges, before DWARF 5
};

struct span {
    const uint8_t *at, *end;
};

struct split_unit {
    struct split_skeleton skeleton;
    struct span ranges;    // .debug_rnglists.dwo of the unit, or .debug_ranges of the image
    struct span addresses; // .debug_addr of the image
    bool is_big_endian;
    uint8_t address_bytes;
    uint16_t version;
    unsigned offset_bytes;
    uint8_t *file; // an ELF file in memory
    const uint8_t *file_end;
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_Die die;
};

static bool draw(uint64_t *work, uint64_t amount)
{
    bool has_it = amount <= *work;
    *work = has_it ? *work - amount : 0;
    return has_it;
}

// --- The file in memory --------------------------------------------------------------------------

// In the order of the file; the names of sections come last.
enum { PART_INFO, PART_ABBREV, PART_STRINGS, PART_STRING_OFFSETS, PART_NAMES, PARTS };

static const char part_names[] = "\0.debug_info.dwo\0.debug_abbrev.dwo\0.debug_str.dwo"
                                 "\0.debug_str_offsets.dwo\0.shstrtab";
static const uint8_t name_offsets[PARTS] = {1, 17, 35, 50, 73};

struct making {
    const struct split_contributions *contributions;
    const struct image *image;
    uint64_t sizes[PARTS];
    uint8_t *file;
    uint64_t at;           // written so far
    unsigned string_bytes; // of an offset of a string
    uint64_t string_head;  // bytes before the first of them
};

static void put(const struct making *making, uint8_t *at, uint64_t value, size_t size_bytes)
{
    bool is_big_endian = image_is_big_endian(making->image);
    for (size_t i = 0; i < size_bytes; i++)
        at[is_big_endian ? size_bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const struct making *making, const uint8_t *at, size_t size_bytes)
{
    return load_uint(at, size_bytes, image_is_big_endian(making->image));
}

// Sets a field of a structure that exists in both classes.
#define PUT_FIELD(making, bytes, structure, field, value)                                          \
    (image_class_bits((making)->image) == 64                                                       \
         ? put((making), (bytes) + offsetof(Elf64_##structure, field), (value),                    \
               sizeof((Elf64_##structure){0}.field))                                               \
         : put((making), (bytes) + offsetof(Elf32_##structure, field), (value),                    \
               sizeof((Elf32_##structure){0}.field)))

static uint64_t string_count(const struct making *making)
{
    uint64_t size = making->contributions->of[SPLIT_STRING_OFFSETS].size_bytes;
    return size < making->string_head ? 0 : (size - making->string_head) / making->string_bytes;
}

// String number `i`, with its NUL. An empty one if it is outside.
static const uint8_t *string_at(const struct making *making, uint64_t i, uint64_t *size_bytes)
{
    const uint8_t *strings = making->contributions->of[SPLIT_STRINGS].bytes;
    uint64_t size = making->contributions->of[SPLIT_STRINGS].size_bytes;
    uint64_t offset = get(making,
                          making->contributions->of[SPLIT_STRING_OFFSETS].bytes +
                              making->string_head + i * making->string_bytes,
                          making->string_bytes);
    const uint8_t *end = offset < size ? memchr(strings + offset, 0, size - offset) : NULL;
    *size_bytes = end ? (uint64_t)(end - strings) - offset + 1 : 1;
    return end ? strings + offset : (const uint8_t *)"";
}

// Measures the strings: only those of this unit are copied. False: too much.
static bool measure(struct making *making, uint64_t *work, uint64_t *total)
{
    uint64_t size_bytes, count;
    // Determines how offsets of strings are stored: in DWARF 5 after a header.
    const uint8_t *bytes = making->contributions->of[SPLIT_STRING_OFFSETS].bytes;
    const uint8_t *info = making->contributions->of[SPLIT_INFO].bytes;
    uint64_t size = making->contributions->of[SPLIT_STRING_OFFSETS].size_bytes;
    uint64_t info_bytes = making->contributions->of[SPLIT_INFO].size_bytes;
    bool is_long = info_bytes >= 4 && get(making, info, 4) == UINT32_MAX;
    size_t length_bytes = is_long ? 12 : 4;
    bool is_new = info_bytes >= length_bytes + 2 && get(making, info + length_bytes, 2) >= 5;
    uint64_t head = is_long ? 16 : 8;
    making->string_bytes = is_long ? 8 : 4;
    bool has_head = is_new && size >= head && get(making, bytes + head - 4, 2) == 5 &&
                    (!is_long || get(making, bytes, 4) == UINT32_MAX);
    making->string_head = has_head ? head : 0;
    count = string_count(making);
    making->sizes[PART_INFO] = making->contributions->of[SPLIT_INFO].size_bytes;
    making->sizes[PART_ABBREV] = making->contributions->of[SPLIT_ABBREV].size_bytes;
    making->sizes[PART_STRING_OFFSETS] = making->contributions->of[SPLIT_STRING_OFFSETS].size_bytes;
    making->sizes[PART_NAMES] = sizeof part_names;
    making->sizes[PART_STRINGS] = 1;
    bool is_within = draw(work, making->sizes[PART_INFO]) &&
                     draw(work, making->sizes[PART_ABBREV]) &&
                     draw(work, making->sizes[PART_STRING_OFFSETS]);
    for (uint64_t i = 0; i < count && is_within; i++) {
        string_at(making, i, &size_bytes);
        is_within = draw(work, size_bytes);
        making->sizes[PART_STRINGS] += size_bytes;
    }
    bool is_64 = image_class_bits(making->image) == 64;
    *total = ELF_SIZE(is_64, Ehdr) + (PARTS + 1) * ELF_SIZE(is_64, Shdr);
    for (size_t i = 0; i < PARTS; i++)
        *total += (making->sizes[i] + 7) & ~UINT64_C(7);
    return is_within && making->sizes[PART_STRINGS] <= UINT32_MAX && *total <= SIZE_MAX;
}

// Writes the headers of sections, and returns where the sections go.
static void put_sections(const struct making *making, uint8_t *places[PARTS])
{
    bool is_64 = image_class_bits(making->image) == 64;
    uint64_t at = ELF_SIZE(is_64, Ehdr) + (PARTS + 1) * ELF_SIZE(is_64, Shdr);
    for (size_t i = 0; i < PARTS; i++) {
        uint8_t *header = making->file + ELF_SIZE(is_64, Ehdr) + (i + 1) * ELF_SIZE(is_64, Shdr);
        PUT_FIELD(making, header, Shdr, sh_name, name_offsets[i]);
        PUT_FIELD(making, header, Shdr, sh_type, i == PART_NAMES ? SHT_STRTAB : SHT_PROGBITS);
        PUT_FIELD(making, header, Shdr, sh_offset, at);
        PUT_FIELD(making, header, Shdr, sh_size, making->sizes[i]);
        PUT_FIELD(making, header, Shdr, sh_addralign, 1);
        places[i] = making->file + at;
        at += (making->sizes[i] + 7) & ~UINT64_C(7);
    }
}

static bool make_file(struct making *making, struct split_unit *unit, uint64_t total)
{
    uint8_t *places[PARTS];
    unit->file = making->file = calloc(1, (size_t)total);
    if (!unit->file)
        return false;
    uint8_t *header = making->file;
    bool is_64 = image_class_bits(making->image) == 64;
    memcpy(header, ELFMAG, SELFMAG);
    header[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
    header[EI_DATA] = image_is_big_endian(making->image) ? ELFDATA2MSB : ELFDATA2LSB;
    header[EI_VERSION] = EV_CURRENT;
    PUT_FIELD(making, header, Ehdr, e_type, ET_EXEC);
    PUT_FIELD(making, header, Ehdr, e_machine, image_machine(making->image));
    PUT_FIELD(making, header, Ehdr, e_version, EV_CURRENT);
    PUT_FIELD(making, header, Ehdr, e_shoff, ELF_SIZE(is_64, Ehdr));
    PUT_FIELD(making, header, Ehdr, e_ehsize, ELF_SIZE(is_64, Ehdr));
    PUT_FIELD(making, header, Ehdr, e_shentsize, ELF_SIZE(is_64, Shdr));
    PUT_FIELD(making, header, Ehdr, e_shnum, PARTS + 1);
    PUT_FIELD(making, header, Ehdr, e_shstrndx, PARTS);
    put_sections(making, places);
    memcpy(places[PART_INFO], making->contributions->of[SPLIT_INFO].bytes,
           making->sizes[PART_INFO]);
    memcpy(places[PART_ABBREV], making->contributions->of[SPLIT_ABBREV].bytes,
           making->sizes[PART_ABBREV]);
    memcpy(places[PART_NAMES], part_names, sizeof part_names);
    if (making->sizes[PART_STRING_OFFSETS]) {
        // The new place of each string.
        uint8_t *strings = places[PART_STRINGS];
        uint8_t *offsets = places[PART_STRING_OFFSETS];
        uint64_t at = 1, count = string_count(making), size_bytes;
        memcpy(offsets, making->contributions->of[SPLIT_STRING_OFFSETS].bytes,
               making->sizes[PART_STRING_OFFSETS]);
        for (uint64_t i = 0; i < count; i++) {
            const uint8_t *string = string_at(making, i, &size_bytes);
            memcpy(strings + at, string, size_bytes);
            put(making, offsets + making->string_head + i * making->string_bytes, at,
                making->string_bytes);
            at += size_bytes;
        }
    }
    unit->elf = elf_memory((char *)unit->file, (size_t)total);
    return unit->elf != NULL;
}

// --- The unit ------------------------------------------------------------------------------------

// Finds the unit of the skeleton among those of the file.
static bool find_unit(struct split_unit *unit, uint64_t abbreviation_bytes, uint64_t *work)
{
    Dwarf_CU *at = NULL;
    Dwarf_Half version;
    uint8_t type, address_bytes, offset_bytes;
    uint64_t id;
    while (draw(work, abbreviation_bytes) &&
           dwarf_get_units(unit->dwarf, at, &at, &version, &type, &unit->die, NULL) == 0) {
        if (type != DW_UT_split_compile ||
            dwarf_cu_info(at, NULL, NULL, NULL, NULL, &id, &address_bytes, &offset_bytes) != 0 ||
            id != unit->skeleton.id)
            continue;
        unit->version = version;
        unit->address_bytes = address_bytes;
        unit->offset_bytes = offset_bytes;
        return address_bytes == 4 || address_bytes == 8;
    }
    return false;
}

static void split_unit_close(struct split_unit *unit)
{
    if (!unit)
        return;
    dwarf_end(unit->dwarf);
    elf_end(unit->elf);
    free(unit->file);
    free(unit);
}

// Reads a unit from its contributions, which must outlive it, as must the lines. Copied bytes are
// charged to *work. *out is NULL if it is damaged or another unit; STATUS_MEMORY.
static enum status split_unit_open(struct split_unit **out,
                                   const struct split_contributions *contributions,
                                   const struct split_skeleton *skeleton, const struct image *image,
                                   const struct lines *lines, uint64_t *work, struct error *err)
{
    struct making making = {.contributions = contributions, .image = image};
    struct split_unit *unit = calloc(1, sizeof *unit);
    uint64_t total;
    *out = NULL;
    image_ask();
    bool is_found = unit && measure(&making, work, &total) && make_file(&making, unit, total) &&
                    (unit->dwarf = dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL));
    if (is_found) {
        unit->skeleton = *skeleton;
        unit->is_big_endian = image_is_big_endian(image);
        dwarf_setalt(unit->dwarf, unit->dwarf); // it has no shared file
        is_found = find_unit(unit, making.sizes[PART_ABBREV], work);
    }
    if (!unit || image_lacks_memory()) {
        split_unit_close(unit);
        return error_set(err, STATUS_MEMORY, "%s: no memory for split debugging information",
                         image_path(image));
    }
    if (!is_found) {
        split_unit_close(unit);
        return STATUS_OK;
    }
    unit->file_end = unit->file + total;
    uint64_t size_bytes;
    const uint8_t *bytes = lines_addresses(lines, &size_bytes);
    unit->addresses = (struct span){bytes, bytes + size_bytes};
    if (unit->version >= 5) {
        bytes = contributions->of[SPLIT_RANGES].bytes;
        size_bytes = contributions->of[SPLIT_RANGES].size_bytes;
    } else {
        bytes = lines_ranges(lines, &size_bytes);
    }
    unit->ranges = (struct span){bytes, bytes + size_bytes};
    *out = unit;
    return STATUS_OK;
}

Dwarf_Die split_unit_die(const struct split_unit *unit)
{
    return unit->die;
}

// --- Addresses -----------------------------------------------------------------------------------

// Removes a number from the front of a span.
static bool take(const struct split_unit *unit, struct span *span, size_t size_bytes,
                 uint64_t *value)
{
    if ((uint64_t)(span->end - span->at) < size_bytes)
        return false;
    *value = load_uint(span->at, size_bytes, unit->is_big_endian);
    span->at += size_bytes;
    return true;
}

static bool take_varint(struct span *span, uint64_t *value)
{
    return varint_read(&span->at, span->end, value);
}

// The part of a span from `offset` on.
static bool skip(const struct span *span, uint64_t offset, struct span *rest)
{
    *rest = *span;
    if (!span->at || offset > (uint64_t)(span->end - span->at))
        return false;
    rest->at += offset;
    return true;
}

static bool address_of(const struct split_unit *unit, uint64_t number, uint64_t *address)
{
    struct span table, rest;
    return skip(&unit->addresses, unit->skeleton.address_base, &table) &&
           number <= (uint64_t)(table.end - table.at) / unit->address_bytes &&
           skip(&table, number * unit->address_bytes, &rest) &&
           take(unit, &rest, unit->address_bytes, address);
}

static bool take_address(const struct split_unit *unit, struct span *span, uint64_t *address)
{
    return take(unit, span, unit->address_bytes, address);
}

static bool take_indexed(const struct split_unit *unit, struct span *span, uint64_t *address)
{
    uint64_t number;
    return take_varint(span, &number) && address_of(unit, number, address);
}

// The value of an attribute that is an address. False: it is not.
static bool attribute_address(const struct split_unit *unit, const Dwarf_Attribute *attribute,
                              uint64_t *address)
{
    struct span value = {attribute->valp, unit->file_end};
    uint64_t number;
    switch (attribute->form) {
    case DW_FORM_addr:
        return take_address(unit, &value, address);
    case DW_FORM_addrx:
    case DW_FORM_GNU_addr_index:
        return take_indexed(unit, &value, address);
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
        return take(unit, &value, attribute->form - DW_FORM_addrx1 + 1, &number) &&
               address_of(unit, number, address);
    default:
        return false;
    }
}

// --- Ranges --------------------------------------------------------------------------------------

// The value of an attribute that is an offset in a section that libdw does not have here.
static bool attribute_offset(const struct split_unit *unit, const Dwarf_Attribute *attribute,
                             uint64_t *offset)
{
    struct span value = {attribute->valp, unit->file_end};
    switch (attribute->form) {
    case DW_FORM_sec_offset:
        return take(unit, &value, unit->offset_bytes, offset);
    case DW_FORM_data4:
        return take(unit, &value, 4, offset);
    case DW_FORM_data8:
        return take(unit, &value, 8, offset);
    default:
        return false;
    }
}

// Where the list of an attribute begins.
static bool find_list(const struct split_unit *unit, const Dwarf_Attribute *attribute,
                      struct span *list)
{
    struct span value = {attribute->valp, unit->file_end}, table, entry;
    uint64_t number, offset, base = unit->version < 5 ? unit->skeleton.ranges_base : 0;
    if (attribute->form != DW_FORM_rnglistx)
        return attribute_offset(unit, attribute, &offset) && offset <= UINT64_MAX - base &&
               skip(&unit->ranges, offset + base, list);
    // Offsets are relative to the table of offsets after the header.
    uint64_t head_bytes = unit->offset_bytes == 8 ? 20 : 12;
    return take_varint(&value, &number) && skip(&unit->ranges, head_bytes, &table) &&
           number <= (uint64_t)(table.end - table.at) / unit->offset_bytes &&
           skip(&table, number * unit->offset_bytes, &entry) &&
           take(unit, &entry, unit->offset_bytes, &offset) && skip(&table, offset, list);
}

// Takes the next entry of a list; *has_range: it is a range. False: it was the last, or is damaged.
static bool take_range(const struct split_unit *unit, struct span *list, uint64_t *base,
                       uint64_t *start, uint64_t *end, bool *has_range)
{
    uint64_t kind;
    *has_range = true;
    if (!take(unit, list, 1, &kind))
        return false;
    switch (kind) {
    case DW_RLE_base_addressx:
        *has_range = false;
        return take_indexed(unit, list, base);
    case DW_RLE_base_address:
        *has_range = false;
        return take_address(unit, list, base);
    case DW_RLE_startx_endx:
        return take_indexed(unit, list, start) && take_indexed(unit, list, end);
    case DW_RLE_start_end:
        return take_address(unit, list, start) && take_address(unit, list, end);
    case DW_RLE_offset_pair:
        if (!take_varint(list, start) || !take_varint(list, end))
            return false;
        *start += *base;
        *end += *base;
        return true;
    case DW_RLE_startx_length:
    case DW_RLE_start_length:
        if (!(kind == DW_RLE_start_length ? take_address : take_indexed)(unit, list, start) ||
            !take_varint(list, end))
            return false;
        *end += *start;
        return true;
    default: // the end, or unknown
        return false;
    }
}

// The same before DWARF 5.
static bool take_pair(const struct split_unit *unit, struct span *list, uint64_t *base,
                      uint64_t *start, uint64_t *end, bool *has_range)
{
    uint64_t most = unit->address_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    if (!take_address(unit, list, start) || !take_address(unit, list, end) || (!*start && !*end))
        return false;
    *has_range = *start != most;
    if (!*has_range)
        *base = *end;
    *start += *base;
    *end += *base;
    return true;
}

static bool list_has_pc(const struct split_unit *unit, struct span *list, uint64_t pc,
                        uint64_t *work)
{
    uint64_t base = unit->skeleton.base, start, end;
    bool has_range;
    while (draw(work, 1) && (unit->version < 5 ? take_pair : take_range)(unit, list, &base, &start,
                                                                         &end, &has_range)) {
        if (has_range && pc >= start && pc < end)
            return true;
    }
    return false;
}

bool split_unit_has_pc(const struct split_unit *unit, Dwarf_Die *die, uint64_t pc, uint64_t *work)
{
    Dwarf_Attribute low, high, ranges;
    uint64_t start, end;
    struct span list;
    if (dwarf_attr(die, DW_AT_low_pc, &low) && dwarf_attr(die, DW_AT_high_pc, &high) &&
        attribute_address(unit, &low, &start)) {
        if (attribute_address(unit, &high, &end))
            return pc >= start && pc < end;
        return dwarf_formudata(&high, &end) == 0 && pc >= start && pc - start < end;
    }
    return dwarf_attr(die, DW_AT_ranges, &ranges) && find_list(unit, &ranges, &list) &&
           list_has_pc(unit, &list, pc, work);
}

// --- The units of an image -----------------------------------------------------------------------

struct member {
    struct split_file *file; // its own; NULL: in the package, or not found
    struct split_unit *unit; // NULL: not found
    bool is_tried;
};

struct split_units {
    const struct lines *lines;
    const struct image *image;
    struct split_file *package;
    bool has_tried_package, lacked_memory;
    uint64_t work;            // left for units of the package
    char directory[PATH_MAX]; // of the image, with a slash; "": unknown
    struct member members[];
};

struct split_units *split_units_new(const struct lines *lines, const struct image *image)
{
    size_t count = lines_unit_count(lines);
    struct split_units *units = calloc(1, sizeof *units + count * sizeof units->members[0]);
    if (!units)
        return NULL;
    units->lines = lines;
    units->image = image;
    char *whole = realpath(image_path(units->image), NULL);
    char *slash = whole ? strrchr(whole, '/') : NULL;
    size_t length = slash ? (size_t)(slash - whole) + 1 : 0;
    if (length < sizeof units->directory)
        memcpy(units->directory, whole ? whole : "", length);
    free(whole);
    return units;
}

void split_units_free(struct split_units *units)
{
    if (!units)
        return;
    for (size_t i = 0; i < lines_unit_count(units->lines); i++) {
        split_unit_close(units->members[i].unit);
        split_file_close(units->members[i].file);
    }
    split_file_close(units->package);
    free(units);
}

bool split_units_lacked_memory(const struct split_units *units)
{
    return units->lacked_memory;
}

static struct split_file *open_file(struct split_units *units, const char *path, int length)
{
    struct split_file *file = NULL;
    struct error err;
    if (length > 0 && length < PATH_MAX)
        units->lacked_memory |= split_file_open(&file, path, units->image, &err) == STATUS_MEMORY;
    return file;
}

// --- Skeletons -----------------------------------------------------------------------------------

static bool number_of(Dwarf_Die *die, unsigned which, unsigned older, uint64_t *number)
{
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    bool has_it = dwarf_formudata(dwarf_attr(die, which, &found), &value) == 0 ||
                  dwarf_formudata(dwarf_attr(die, older, &found), &value) == 0;
    *number = value;
    return has_it;
}

static const char *text_of(Dwarf_Die *die, unsigned which)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr(die, which, &found));
}

// --- Where units are looked for ------------------------------------------------------------------

static struct split_unit *open_unit(struct split_units *units, const struct split_file *file,
                                    const struct split_skeleton *skeleton, uint64_t *work)
{
    struct split_contributions contributions;
    struct split_unit *unit = NULL;
    struct error err;
    if (file && split_file_find(file, skeleton->id, &contributions))
        units->lacked_memory |= split_unit_open(&unit, &contributions, skeleton, units->image,
                                                units->lines, work, &err) == STATUS_MEMORY;
    return unit;
}

static bool try_file(struct split_units *units, struct member *member,
                     const struct split_skeleton *skeleton, const char *directory, const char *name)
{
    char path[PATH_MAX];
    size_t end = strlen(directory);
    const char *slash = end && directory[end - 1] != '/' ? "/" : "";
    int length = snprintf(path, sizeof path, "%s%s%s", directory, slash, name);
    struct split_file *file = open_file(units, path, length);
    uint64_t work = file ? LIMIT_DWARF_WORK(split_file_bytes(file)) : 0;
    member->unit = open_unit(units, file, skeleton, &work);
    if (member->unit)
        member->file = file;
    else
        split_file_close(file);
    return member->unit != NULL;
}

static void look_for_unit(struct split_units *units, size_t number)
{
    struct member *member = &units->members[number];
    struct split_skeleton skeleton;
    const char *name;
    Dwarf_Die die;
    if (!dwarf_offdie(lines_dwarf(units->lines), lines_unit_offset(units->lines, number), &die))
        return;
    Dwarf_Addr base = 0;
    uint8_t type = 0;
    skeleton = (struct split_skeleton){0};
    name = text_of(&die, DW_AT_dwo_name);
    if (!name)
        name = text_of(&die, DW_AT_GNU_dwo_name);
    if (!name || !die.cu ||
        dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, &skeleton.id, NULL, NULL) != 0 ||
        type != DW_UT_skeleton)
        return;
    number_of(&die, DW_AT_addr_base, DW_AT_GNU_addr_base, &skeleton.address_base);
    number_of(&die, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base, &skeleton.ranges_base);
    if (dwarf_lowpc(&die, &base) == 0)
        skeleton.base = base;
    if (!units->has_tried_package) {
        // Opens the package of an image, or of its debug file.
        char path[PATH_MAX];
        const char *debug = lines_debug_path(units->lines);
        units->has_tried_package = true;
        int length = snprintf(path, sizeof path, "%s.dwp", image_path(units->image));
        units->package = open_file(units, path, length);
        if (!units->package && debug) {
            length = snprintf(path, sizeof path, "%s.dwp", debug);
            units->package = open_file(units, path, length);
        }
        if (units->package)
            units->work = LIMIT_DWARF_WORK(split_file_bytes(units->package));
    }
    member->unit = open_unit(units, units->package, &skeleton, &units->work);
    const char *directory = text_of(&die, DW_AT_comp_dir);
    if (member->unit || (name[0] == '/' && try_file(units, member, &skeleton, "", name)) ||
        (name[0] != '/' && directory && try_file(units, member, &skeleton, directory, name)) ||
        !units->directory[0])
        return;
    const char *slash = strrchr(name, '/');
    if (name[0] == '/' || !try_file(units, member, &skeleton, units->directory, name))
        try_file(units, member, &skeleton, units->directory, slash ? slash + 1 : name);
}

const struct split_unit *split_units_at(struct split_units *units, size_t number)
{
    struct member *member = &units->members[number];
    if (!member->is_tried)
        look_for_unit(units, number);
    member->is_tried = true;
    return member->unit;
}
