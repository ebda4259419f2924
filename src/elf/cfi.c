#include "elf/cfi.h"

#include "base/fragile.h"
#include "base/limits.h"
#include "base/vec.h"
#include "elf/cfi_program.h"
#include "elf/image_extents.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>

enum {
    ROWS_KEPT = 256, // a power of two
};

struct cfi_function {
    uint64_t start, end;
    uint64_t offset; // of its entry
    uint32_t section, common;
};

struct cfi_section {
    const char *name;
    Elf_Data *data;
    uint64_t address;
    bool is_eh;
};

struct kept_row {
    uint64_t pc;
    bool is_kept, is_there;
    struct frame_row row;
};

struct cfi {
    const struct image *image;
    unsigned char ident[EI_NIDENT];
    struct cfi_section sections[2];
    uint32_t section_count;
    VEC(, struct cfi_common) commons;
    VEC(, struct cfi_function) functions;
    struct image_extents code;
    uint64_t damaged_count;
    struct kept_row *kept; // ROWS_KEPT of them, by PC
};

// --- Sections ------------------------------------------------------------------------------------

// Unpacks a compressed section.
static enum status unpack(const struct cfi *cfi, Elf_Scn *section, const GElf_Shdr *header,
                          const char *name, struct error *err)
{
    GElf_Chdr packed;
    if (!(header->sh_flags & SHF_COMPRESSED))
        return STATUS_OK;
    image_ask();
    if (!gelf_getchdr(section, &packed))
        return image_fault(cfi->image, name, err);
    if (packed.ch_size / LIMIT_UNPACKED_FACTOR > header->sh_size)
        return error_set(err, STATUS_INPUT, "%s: %s: claims to unpack to %" PRIu64 " bytes",
                         image_path(cfi->image), name, (uint64_t)packed.ch_size);
    image_ask();
    return elf_compress(section, 0, 0) < 0 ? image_fault(cfi->image, name, err) : STATUS_OK;
}

static enum status add_section(struct cfi *cfi, Elf_Scn *section, const GElf_Shdr *header,
                               const char *name, bool is_eh, struct error *err)
{
    if (!image_holds(cfi->image, header->sh_offset, header->sh_size))
        return error_set_at(err, STATUS_INPUT, header->sh_offset,
                            "%s: %s lies beyond the end of the file", image_path(cfi->image), name);
    enum status status = unpack(cfi, section, header, name, err);
    if (status != STATUS_OK)
        return status;
    image_ask();
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data)
        return image_fault(cfi->image, name, err);
    if (data->d_size)
        cfi->sections[cfi->section_count++] =
            (struct cfi_section){name, data, header->sh_addr, is_eh};
    return STATUS_OK;
}

static enum status find_sections(struct cfi *cfi, struct error *err)
{
    Elf_Scn *section = NULL;
    bool has_eh = false, has_debug = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (section = elf_nextscn(image_elf(cfi->image), section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
            continue;
        const char *name = image_section_name(cfi->image, &header);
        bool is_eh = strcmp(name, ".eh_frame") == 0, is_debug = strcmp(name, ".debug_frame") == 0;
        if ((is_eh && !has_eh) || (is_debug && !has_debug))
            status = add_section(cfi, section, &header, is_eh ? ".eh_frame" : ".debug_frame", is_eh,
                                 err);
        has_eh |= is_eh;
        has_debug |= is_debug;
    }
    return status;
}

// --- Entries -------------------------------------------------------------------------------------

static unsigned address_bytes(const struct cfi *cfi)
{
    return image_class_bits(cfi->image) / 8;
}

static struct cfi_bytes bytes_of(const struct cfi *cfi, const uint8_t *at, const uint8_t *end)
{
    return (struct cfi_bytes){at, end, image_is_big_endian(cfi->image), false};
}

// Reads the letters of an augmentation. False: one is unknown, so its data cannot be read.
static bool read_augmentation(const struct cfi *cfi, const Dwarf_CIE *entry,
                              struct cfi_common *common)
{
    const char *letters = entry->augmentation;
    uint64_t personality;
    common->has_data = *letters == 'z';
    if (!common->has_data)
        return *letters == '\0';
    if (!entry->augmentation_data)
        return letters[1] == '\0';
    struct cfi_bytes data = bytes_of(cfi, entry->augmentation_data,
                                     entry->augmentation_data + entry->augmentation_data_size);
    while (*++letters) {
        uint8_t encoding = strchr("LPR", *letters) ? (uint8_t)cfi_read_uint(&data, 1) : 0;
        if (*letters == 'R')
            common->pointer_encoding = encoding;
        else if (*letters == 'P') // which may be indirect or relative to anything
            cfi_read_pointer(&data, encoding & 0x0f, address_bytes(cfi), 0, &personality);
        else if (*letters == 'S')
            common->is_signal = true;
        else if (!strchr("LBG", *letters)) // B: a key, G: tags of memory
            return false;
    }
    return !data.is_damaged;
}

static bool add_common(struct cfi *cfi, uint64_t offset, const Dwarf_CIE *entry)
{
    struct cfi_common common = {
        .offset = offset,
        .instructions = entry->initial_instructions,
        .instructions_end = entry->initial_instructions_end,
        .code_factor = entry->code_alignment_factor,
        .data_factor = entry->data_alignment_factor,
        .ra = (uint32_t)entry->return_address_register,
    };
    if (entry->return_address_register >= FRAME_REGISTERS ||
        !read_augmentation(cfi, entry, &common)) {
        cfi->damaged_count++;
        return true;
    }
    if (!VEC_ROOM(&cfi->commons, 1))
        return false;
    cfi->commons.items[cfi->commons.count++] = common;
    return true;
}

// Common entries from `first` on are those of this section, in the order of their offsets.
static const struct cfi_common *find_common(const struct cfi *cfi, size_t first, uint64_t offset)
{
    const struct cfi_common *commons = cfi->commons.items + first;
    size_t count = cfi->commons.count - first, low;
    PARTITION_POINT(low, count, commons[middle].offset < offset);
    return low < count && commons[low].offset == offset ? &commons[low] : NULL;
}

// The address of bytes of a section.
static uint64_t place_of(const struct cfi_section *section, const uint8_t *at)
{
    return section->address + (uint64_t)(at - (const uint8_t *)section->data->d_buf);
}

// Reads the extent of a function. Entries of code that was discarded at link time, which have no
// size or are outside of the code, are skipped.
static bool add_function(struct cfi *cfi, uint32_t number, size_t first_common, uint64_t offset,
                         const Dwarf_FDE *entry)
{
    const struct cfi_section *section = &cfi->sections[number];
    const struct cfi_common *common = find_common(cfi, first_common, entry->CIE_pointer);
    struct cfi_bytes bytes = bytes_of(cfi, entry->start, entry->end);
    struct cfi_function function = {.offset = offset, .section = number};
    uint64_t size;
    if (!common ||
        !cfi_read_pointer(&bytes, common->pointer_encoding, address_bytes(cfi),
                          place_of(section, bytes.at), &function.start) ||
        !cfi_read_pointer(&bytes, common->pointer_encoding & 0x0f, address_bytes(cfi), 0, &size) ||
        bytes.is_damaged) {
        cfi->damaged_count++;
        return true;
    }
    if (size == 0 || !image_extents_have(&cfi->code, function.start))
        return true;
    function.end = function.start + size < size ? UINT64_MAX : function.start + size;
    function.common = (uint32_t)(common - cfi->commons.items);
    if (!VEC_ROOM(&cfi->functions, 1))
        return false;
    cfi->functions.items[cfi->functions.count++] = function;
    return true;
}

// Goes over all entries of a section, once for common entries and once for functions.
static bool read_entries(struct cfi *cfi, uint32_t number, size_t first_common, bool is_common)
{
    const struct cfi_section *section = &cfi->sections[number];
    Dwarf_Off offset = 0, next = 0;
    Dwarf_CFI_Entry entry;
    bool has_room = true;
    for (; has_room && offset < section->data->d_size; offset = next) {
        int found =
            dwarf_next_cfi(cfi->ident, section->data, section->is_eh, offset, &next, &entry);
        if (found > 0)
            break;
        if (found < 0)
            cfi->damaged_count += is_common;
        else if (dwarf_cfi_cie_p(&entry) && is_common)
            has_room = add_common(cfi, offset, &entry.cie);
        else if (!dwarf_cfi_cie_p(&entry) && !is_common)
            has_room = add_function(cfi, number, first_common, offset, &entry.fde);
        if (next <= offset)
            break;
    }
    return has_room;
}

// Of functions with the same start, the first one of the first section comes last, because that one
// counts.
static int compare_functions(const void *a_item, const void *b_item)
{
    const struct cfi_function *a = a_item, *b = b_item;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->section != b->section)
        return a->section > b->section ? -1 : 1;
    return (a->offset < b->offset) - (a->offset > b->offset);
}

static bool read_sections(struct cfi *cfi)
{
    bool has_room = true;
    for (uint32_t i = 0; has_room && i < cfi->section_count; i++) {
        size_t first_common = cfi->commons.count;
        has_room =
            read_entries(cfi, i, first_common, true) && read_entries(cfi, i, first_common, false);
    }
    if (cfi->functions.count)
        qsort(cfi->functions.items, cfi->functions.count, sizeof *cfi->functions.items,
              compare_functions);
    return has_room;
}

// --- Opening -------------------------------------------------------------------------------------

static enum status open_cfi(struct cfi *cfi, struct error *err)
{
    GElf_Ehdr header;
    if (!gelf_getehdr(image_elf(cfi->image), &header) || header.e_type == ET_REL)
        return STATUS_OK;
    memcpy(cfi->ident, header.e_ident, EI_NIDENT);
    enum status status = find_sections(cfi, err);
    if (status != STATUS_OK || cfi->section_count == 0)
        return status;
    status = image_extents_find(&cfi->code, cfi->image, EXTENTS_CODE, err);
    if (status != STATUS_OK)
        return status;
    cfi->kept = calloc(ROWS_KEPT, sizeof *cfi->kept);
    return cfi->kept && read_sections(cfi)
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "%s: no memory for call frame information",
                           image_path(cfi->image));
}

enum status cfi_open(struct cfi **out, const struct image *image, struct error *err)
{
    FRAGILE_BLOCK;
    struct cfi *cfi = calloc(1, sizeof *cfi);
    *out = NULL;
    if (!cfi)
        return error_set(err, STATUS_MEMORY, "%s: no memory", image_path(image));
    cfi->image = image;
    enum status status = open_cfi(cfi, err);
    if (status == STATUS_OK && (cfi->functions.count || cfi->damaged_count))
        *out = cfi;
    else
        cfi_close(cfi);
    return status;
}

void cfi_close(struct cfi *cfi)
{
    FRAGILE_BLOCK;
    if (!cfi)
        return;
    free(cfi->commons.items);
    free(cfi->functions.items);
    image_extents_free(&cfi->code);
    free(cfi->kept);
    free(cfi);
}

size_t cfi_function_count(const struct cfi *cfi)
{
    return cfi->functions.count;
}

uint64_t cfi_damaged_count(const struct cfi *cfi)
{
    return cfi->damaged_count;
}

void cfi_function_at(const struct cfi *cfi, size_t number, uint64_t *start, uint64_t *end)
{
    *start = cfi->functions.items[number].start;
    *end = cfi->functions.items[number].end;
}

const char *cfi_function_section(const struct cfi *cfi, size_t number)
{
    return cfi->sections[cfi->functions.items[number].section].name;
}

// --- Look-ups ------------------------------------------------------------------------------------

// The instructions of a function.
static bool read_program(const struct cfi *cfi, const struct cfi_function *function,
                         struct cfi_program *program)
{
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;
    uint64_t skipped;
    const struct cfi_section *section = &cfi->sections[function->section];
    const struct cfi_common *common = &cfi->commons.items[function->common];
    if (dwarf_next_cfi(cfi->ident, section->data, section->is_eh, function->offset, &next, &entry))
        return false;
    struct cfi_bytes bytes = bytes_of(cfi, entry.fde.start, entry.fde.end);
    cfi_read_pointer(&bytes, common->pointer_encoding, address_bytes(cfi), 0, &skipped);
    cfi_read_pointer(&bytes, common->pointer_encoding & 0x0f, address_bytes(cfi), 0, &skipped);
    uint64_t data_bytes = common->has_data ? cfi_read_uleb(&bytes) : 0;
    if (bytes.is_damaged || data_bytes > (uint64_t)(bytes.end - bytes.at))
        return false;
    bytes.at += data_bytes;
    *program = (struct cfi_program){.common = common,
                                    .instructions = bytes,
                                    .expressions = section->data->d_buf,
                                    .start = function->start,
                                    .end = function->end,
                                    .place = place_of(section, bytes.at),
                                    .address_bytes = address_bytes(cfi),
                                    .is_aarch64 = image_machine(cfi->image) == EM_AARCH64};
    return true;
}

// The common entry describes how functions begin when called. A CFA that is an expression was
// written in assembly.
bool cfi_has_frame_at_start(const struct cfi *cfi, size_t number)
{
    const struct cfi_function *function = &cfi->functions.items[number];
    struct frame_row row, called;
    struct cfi_program program;
    if (!read_program(cfi, function, &program) || !cfi_program_run(&program, function->start, &row))
        return false;
    program.instructions.at = program.instructions.end;
    return cfi_program_run(&program, function->start, &called) && !row.is_signal &&
           row.cfa.kind == FRAME_REGISTER && called.cfa.kind == FRAME_REGISTER &&
           (row.cfa.base != called.cfa.base || row.cfa.offset != called.cfa.offset);
}

bool cfi_function_rows(const struct cfi *cfi, size_t number, uint64_t *bytes_left,
                       void (*take)(void *self, const struct frame_row *row), void *self)
{
    FRAGILE_BLOCK;
    struct cfi_program program;
    if (!read_program(cfi, &cfi->functions.items[number], &program))
        return false;
    uint64_t bytes = (uint64_t)(program.instructions.end - program.instructions.at) +
                     (uint64_t)(program.common->instructions_end - program.common->instructions);
    if (bytes > *bytes_left)
        return false;
    *bytes_left -= bytes;
    return cfi_program_rows(&program, take, self);
}

const struct frame_row *cfi_find(struct cfi *cfi, uint64_t pc)
{
    FRAGILE_BLOCK;
    struct kept_row *kept = &cfi->kept[(pc >> 1 ^ pc >> 9) & (ROWS_KEPT - 1)];
    if (!kept->is_kept || kept->pc != pc) {
        // The last function that starts at or before the PC, if it extends to the PC.
        size_t low;
        struct cfi_program program;
        PARTITION_POINT(low, cfi->functions.count, cfi->functions.items[middle].start <= pc);
        const struct cfi_function *function = low ? &cfi->functions.items[low - 1] : NULL;
        kept->is_there = function && pc < function->end && read_program(cfi, function, &program) &&
                         cfi_program_run(&program, pc, &kept->row);
        kept->is_kept = true;
        kept->pc = pc;
    }
    return kept->is_there ? &kept->row : NULL;
}
