#include "elf/image_pieces.h"

#include "base/limits.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

static bool add_piece(struct image_pieces *pieces, uint64_t first, uint64_t size,
                      uint64_t file_offset, uint64_t file_bytes)
{
    if (size == 0 || pieces->items.count == LIMIT_IMAGE_PIECES)
        return true;
    if (!VEC_ROOM(&pieces->items, 1))
        return false;
    uint64_t end = first + size < first ? UINT64_MAX : first + size;
    pieces->items.items[pieces->items.count++] =
        (struct image_piece){first, end, file_offset, u64_min(file_bytes, end - first)};
    return true;
}

static bool is_code(enum image_pieces_wanted wanted)
{
    return wanted == PIECES_CODE || wanted == PIECES_INSTRUCTIONS;
}

static bool add_segments(struct image_pieces *pieces, enum image_pieces_wanted wanted)
{
    Elf *elf = image_elf(pieces->image);
    size_t count = 0;
    bool has_room = true;
    if (elf_getphdrnum(elf, &count) != 0)
        return true;
    for (size_t i = 0; has_room && i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            (!is_code(wanted) || segment.p_flags & PF_X) &&
            (wanted != PIECES_READ_ONLY || !(segment.p_flags & PF_W)))
            has_room = add_piece(pieces, segment.p_vaddr, segment.p_memsz, segment.p_offset,
                                 segment.p_filesz);
    }
    return has_room;
}

static bool add_sections(struct image_pieces *pieces, enum image_pieces_wanted wanted)
{
    const uint64_t flags = SHF_ALLOC | (is_code(wanted) ? SHF_EXECINSTR : 0);
    const uint64_t mask = flags | (wanted == PIECES_READ_ONLY ? SHF_WRITE : 0);
    Elf_Scn *section = NULL;
    bool has_room = true;
    while (has_room && (section = elf_nextscn(image_elf(pieces->image), section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_flags & mask) == flags)
            has_room = add_piece(pieces, header.sh_addr, header.sh_size, header.sh_offset,
                                 header.sh_type == SHT_NOBITS ? 0 : header.sh_size);
    }
    return has_room;
}

enum status image_pieces_find(struct image_pieces *pieces, const struct image *image,
                              enum image_pieces_wanted wanted, struct error *err)
{
    bool by_sections = wanted == PIECES_READ_ONLY || wanted == PIECES_INSTRUCTIONS;
    *pieces = (struct image_pieces){.image = image};
    bool has_room = by_sections ? add_sections(pieces, wanted) : add_segments(pieces, wanted);
    if (has_room && pieces->items.count == 0)
        has_room = by_sections ? add_segments(pieces, wanted) : add_sections(pieces, wanted);
    if (!has_room)
        return error_set(err, STATUS_MEMORY, "%s: no memory for where its segments are",
                         image_path(image));
    return STATUS_OK;
}

void image_pieces_free(struct image_pieces *pieces)
{
    free(pieces->items.items);
    *pieces = (struct image_pieces){0};
}

bool image_pieces_have(const struct image_pieces *pieces, uint64_t address)
{
    for (size_t i = 0; i < pieces->items.count; i++) {
        const struct image_piece *piece = &pieces->items.items[i];
        if (address >= piece->first && address < piece->end)
            return true;
    }
    return false;
}

bool image_pieces_read(const struct image_pieces *pieces, uint64_t address, uint8_t *bytes,
                       size_t size_bytes)
{
    for (size_t i = 0; i < pieces->items.count; i++) {
        const struct image_piece *piece = &pieces->items.items[i];
        uint64_t at = address - piece->first;
        if (address < piece->first || at >= piece->file_bytes ||
            piece->file_bytes - at < size_bytes)
            continue;
        return image_read(pieces->image, piece->file_offset + at, bytes, size_bytes, NULL) ==
               STATUS_OK;
    }
    return false;
}
