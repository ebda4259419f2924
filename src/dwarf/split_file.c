#include "dwarf/debug_value.h"

#include "base/fragile.h"
#include "elf/image.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/stat.h>

// The index of a package, which says where units are, comes after the sections of units.
enum { SPLIT_INDEX = SPLIT_SECTIONS, SECTION_COUNT };

static const char *const section_names[SECTION_COUNT] = {
    ".debug_info.dwo",        ".debug_abbrev.dwo",   ".debug_str.dwo",
    ".debug_str_offsets.dwo", ".debug_rnglists.dwo", ".debug_cu_index",
};

struct split_file {
    struct image *image;
    bool is_big_endian;
    struct {
        const uint8_t *bytes;
        uint64_t size_bytes;
    } sections[SECTION_COUNT];
};

void split_file_close(struct split_file *file)
{
    if (!file)
        return;
    image_close(file->image);
    free(file);
}

uint64_t split_file_bytes(const struct split_file *file)
{
    uint64_t total = 0;
    for (size_t i = 0; i < SECTION_COUNT; i++)
        total += file->sections[i].size_bytes; // each a small multiple of the file: no overflow
    return total;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status open_image(struct image **out, const char *path, const struct image *image,
                              struct error *err)
{
    struct stat about;
    struct error reason;
    *out = NULL;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return STATUS_OK;
    enum status status = image_open(out, path, &reason);
    if (status == STATUS_MEMORY) {
        *err = reason;
        return status;
    }
    if (*out && (image_machine(*out) != image_machine(image) ||
                 image_class_bits(*out) != image_class_bits(image) ||
                 image_is_big_endian(*out) != image_is_big_endian(image))) {
        image_close(*out);
        *out = NULL;
    }
    return STATUS_OK;
}

enum status split_file_open(struct split_file **out, const char *path, const struct image *image,
                            struct error *err)
{
    FRAGILE_BLOCK;
    struct image *found;
    *out = NULL;
    enum status status = open_image(&found, path, image, err);
    if (!found)
        return status;
    struct split_file *file = calloc(1, sizeof *file);
    image_ask();
    if (file) {
        file->image = found;
        file->is_big_endian = image_is_big_endian(found);
        // Reads the known sections; damaged ones are left out.
        Elf_Scn *section = NULL;
        while ((section = elf_nextscn(image_elf(file->image), section))) {
            GElf_Shdr header;
            uint64_t size_bytes;
            if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
                continue;
            const char *name = image_section_name(file->image, &header);
            size_t number = 0;
            while (number < SECTION_COUNT && strcmp(name, section_names[number]) != 0)
                number++;
            if (number == SECTION_COUNT || file->sections[number].bytes ||
                !image_unpacked_size(file->image, section, &header, &size_bytes) ||
                (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0))
                continue;
            Elf_Data *data = elf_rawdata(section, NULL);
            if (!data || !data->d_buf)
                continue;
            file->sections[number].bytes = data->d_buf;
            file->sections[number].size_bytes = data->d_size;
        }
    } else {
        image_close(found);
    }
    if (!file || image_lacks_memory()) {
        split_file_close(file);
        return error_set(err, STATUS_MEMORY, "%s: no memory for split debugging information", path);
    }
    *out = file;
    return STATUS_OK;
}

// --- Packages ------------------------------------------------------------------------------------

// Numbers of columns, by the version of the index.
#define VERSION_GNU 2
static const uint32_t columns_gnu[SPLIT_SECTIONS] = {
    [SPLIT_INFO] = 1, [SPLIT_ABBREV] = 3, [SPLIT_STRING_OFFSETS] = 6};
static const uint32_t columns_dwarf5[SPLIT_SECTIONS] = {
    [SPLIT_INFO] = 1, [SPLIT_ABBREV] = 3, [SPLIT_STRING_OFFSETS] = 6, [SPLIT_RANGES] = 8};

#define HEADER_BYTES 16

// An index whose parts are within its section.
struct package_index {
    const uint8_t *signatures, *rows, *columns, *offsets, *sizes;
    uint32_t column_count, row_count, slot_count;
    const uint32_t *meanings;
    bool is_big_endian;
};

static uint32_t word_at(const struct package_index *index, const uint8_t *words, uint64_t at)
{
    return (uint32_t)load_uint(words + 4 * at, 4, index->is_big_endian);
}

static bool read_index(const struct split_file *file, struct package_index *index)
{
    const uint8_t *bytes = file->sections[SPLIT_INDEX].bytes;
    uint64_t left = file->sections[SPLIT_INDEX].size_bytes;
    *index = (struct package_index){.is_big_endian = file->is_big_endian};
    if (left < HEADER_BYTES)
        return false;
    bool is_gnu = word_at(index, bytes, 0) == VERSION_GNU;
    if (!is_gnu && load_uint(bytes, 2, file->is_big_endian) != 5)
        return false;
    index->meanings = is_gnu ? columns_gnu : columns_dwarf5;
    index->column_count = word_at(index, bytes, 1);
    index->row_count = word_at(index, bytes, 2);
    index->slot_count = word_at(index, bytes, 3);
    left -= HEADER_BYTES;
    if (!index->slot_count || index->slot_count & (index->slot_count - 1) ||
        index->slot_count > left / 12)
        return false;
    left -= UINT64_C(12) * index->slot_count;
    uint64_t rows = UINT64_C(2) * index->row_count + 1;
    if (index->column_count > left / 4 ||
        (index->column_count && rows > left / 4 / index->column_count))
        return false;
    index->signatures = bytes + HEADER_BYTES;
    index->rows = index->signatures + UINT64_C(8) * index->slot_count;
    index->columns = index->rows + UINT64_C(4) * index->slot_count;
    index->offsets = index->columns + UINT64_C(4) * index->column_count;
    index->sizes = index->offsets + UINT64_C(4) * index->column_count * index->row_count;
    return true;
}

// The row of a unit, from 0. False: there is none.
static bool find_row(const struct package_index *index, uint64_t id, uint32_t *row)
{
    uint64_t mask = index->slot_count - 1, at = id & mask, step = (id >> 32 & mask) | 1;
    for (uint32_t i = 0; i < index->slot_count; i++, at = (at + step) & mask) {
        uint32_t number = word_at(index, index->rows, at);
        if (!number)
            return false;
        if (load_uint(index->signatures + 8 * at, 8, index->is_big_endian) == id) {
            *row = number - 1;
            return *row < index->row_count;
        }
    }
    return false;
}

// The part of a section that belongs to a row. False: it is outside of the section.
static bool take_contribution(const struct split_file *file, const struct package_index *index,
                              uint32_t row, enum split_section section,
                              struct split_contributions *contributions)
{
    for (uint32_t column = 0; column < index->column_count; column++) {
        uint64_t at = (uint64_t)row * index->column_count + column;
        uint64_t size = file->sections[section].size_bytes;
        if (!index->meanings[section] ||
            word_at(index, index->columns, column) != index->meanings[section])
            continue;
        uint64_t offset = word_at(index, index->offsets, at);
        uint64_t length = word_at(index, index->sizes, at);
        if (offset > size || length > size - offset)
            return false;
        contributions->of[section].bytes = file->sections[section].bytes + offset;
        contributions->of[section].size_bytes = length;
    }
    return true;
}

bool split_file_find(const struct split_file *file, uint64_t id,
                     struct split_contributions *contributions)
{
    struct package_index index;
    uint32_t row;
    bool is_package = file->sections[SPLIT_INDEX].bytes != NULL, is_sound = true;
    *contributions = (struct split_contributions){0};
    if (is_package && (!read_index(file, &index) || !find_row(&index, id, &row)))
        return false;
    for (size_t i = 0; i < SPLIT_SECTIONS && is_sound; i++) {
        enum split_section section = (enum split_section)i;
        if (is_package && section != SPLIT_STRINGS) {
            is_sound = take_contribution(file, &index, row, section, contributions);
        } else { // strings are shared by all units
            contributions->of[section].bytes = file->sections[section].bytes;
            contributions->of[section].size_bytes = file->sections[section].size_bytes;
        }
    }
    return is_sound && contributions->of[SPLIT_INFO].size_bytes &&
           contributions->of[SPLIT_ABBREV].size_bytes;
}
