#include "elf/image_extents.h"

#include "base/limits.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

static bool add_extent(struct image_extents *extents, uint64_t first, uint64_t size,
                       uint64_t file_offset, uint64_t file_bytes)
{
    if (size == 0 || extents->items.count == LIMIT_IMAGE_EXTENTS)
        return true;
    if (!VEC_ROOM(&extents->items, 1))
        return false;
    uint64_t end = first + size < first ? UINT64_MAX : first + size;
    extents->items.items[extents->items.count++] =
        (struct image_extent){first, end, file_offset, u64_min(file_bytes, end - first)};
    return true;
}

static bool is_code(enum image_extents_wanted wanted)
{
    return wanted == EXTENTS_CODE || wanted == EXTENTS_INSTRUCTIONS;
}

static bool add_segments(struct image_extents *extents, enum image_extents_wanted wanted)
{
    Elf *elf = image_elf(extents->image);
    size_t count = 0;
    bool has_room = true;
    if (elf_getphdrnum(elf, &count) != 0)
        return true;
    for (size_t i = 0; has_room && i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            (!is_code(wanted) || segment.p_flags & PF_X) &&
            (wanted != EXTENTS_READ_ONLY || !(segment.p_flags & PF_W)))
            has_room = add_extent(extents, segment.p_vaddr, segment.p_memsz, segment.p_offset,
                                  segment.p_filesz);
    }
    return has_room;
}

static bool add_sections(struct image_extents *extents, enum image_extents_wanted wanted)
{
    const uint64_t flags = SHF_ALLOC | (is_code(wanted) ? SHF_EXECINSTR : 0);
    const uint64_t mask = flags | (wanted == EXTENTS_READ_ONLY ? SHF_WRITE : 0);
    Elf_Scn *section = NULL;
    bool has_room = true;
    while (has_room && (section = elf_nextscn(image_elf(extents->image), section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_flags & mask) == flags)
            has_room = add_extent(extents, header.sh_addr, header.sh_size, header.sh_offset,
                                  header.sh_type == SHT_NOBITS ? 0 : header.sh_size);
    }
    return has_room;
}

enum status image_extents_find(struct image_extents *extents, const struct image *image,
                               enum image_extents_wanted wanted, struct error *err)
{
    bool by_sections = wanted == EXTENTS_READ_ONLY || wanted == EXTENTS_INSTRUCTIONS;
    *extents = (struct image_extents){.image = image};
    bool has_room = by_sections ? add_sections(extents, wanted) : add_segments(extents, wanted);
    if (has_room && extents->items.count == 0)
        has_room = by_sections ? add_segments(extents, wanted) : add_sections(extents, wanted);
    if (!has_room)
        return error_set(err, STATUS_MEMORY, "%s: no memory for where its segments are",
                         image_path(image));
    return STATUS_OK;
}

void image_extents_free(struct image_extents *extents)
{
    free(extents->items.items);
    *extents = (struct image_extents){0};
}

bool image_extents_have(const struct image_extents *extents, uint64_t address)
{
    for (size_t i = 0; i < extents->items.count; i++) {
        const struct image_extent *extent = &extents->items.items[i];
        if (address >= extent->first && address < extent->end)
            return true;
    }
    return false;
}

bool image_extents_read(const struct image_extents *extents, uint64_t address, uint8_t *bytes,
                        size_t size_bytes)
{
    for (size_t i = 0; i < extents->items.count; i++) {
        const struct image_extent *extent = &extents->items.items[i];
        uint64_t at = address - extent->first;
        if (address < extent->first || at >= extent->file_bytes ||
            extent->file_bytes - at < size_bytes)
            continue;
        return image_read(extents->image, extent->file_offset + at, bytes, size_bytes, NULL) ==
               STATUS_OK;
    }
    return false;
}
