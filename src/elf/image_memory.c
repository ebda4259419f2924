#include "elf/image_memory.h"

#include <stdlib.h>

enum status image_memory_find(struct image_memory *memory, const struct image_set *images,
                              struct error *err)
{
    *memory = (struct image_memory){.images = images};
    for (size_t i = 0; i < images->members.count; i++) {
        const struct image_member *member = &images->members.items[i];
        if (member->is_doubtful)
            continue;
        if (!VEC_ROOM(&memory->parts, 1))
            return error_set(err, STATUS_MEMORY, "no memory for the contents of images");
        struct image_memory_part *part = &memory->parts.items[memory->parts.count++];
        *part = (struct image_memory_part){
            .offset = member->offset, .address_mask = member->address_mask, .member = i};
        enum status status =
            image_extents_find(&part->extents, member->image, EXTENTS_READ_ONLY, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

void image_memory_free(struct image_memory *memory)
{
    for (size_t i = 0; i < memory->parts.count; i++)
        image_extents_free(&memory->parts.items[i].extents);
    free(memory->parts.items);
    *memory = (struct image_memory){0};
}

// The bytes from an address on that no extent begins or ends within, up to `most`; whether the
// image has them.
static bool next_run(const struct image_memory_part *part, uint64_t linked, size_t *most)
{
    bool has = false;
    for (size_t i = 0; i < part->extents.items.count; i++) {
        const struct image_extent *extent = &part->extents.items.items[i];
        uint64_t end = extent->first + extent->file_bytes;
        if (linked < extent->first)
            *most = (size_t)u64_min(*most, extent->first - linked);
        else if (linked < end) {
            *most = (size_t)u64_min(*most, end - linked);
            has = true;
        }
    }
    return has;
}

static bool fill_run(const struct image_memory_part *part, uint64_t linked, size_t size_bytes,
                     uint8_t *values, uint8_t *known)
{
    uint8_t bytes[256];
    bool is_any = false;
    for (size_t done = 0; done < size_bytes;) {
        size_t here = (size_t)u64_min(size_bytes - done, sizeof bytes);
        if (!image_extents_read(&part->extents, linked + done, bytes, here))
            return is_any;
        for (size_t i = 0; i < here; i++, done++) {
            if (known[done])
                continue;
            values[done] = bytes[i];
            known[done] = IMAGE_MEMORY_KNOWN;
            is_any = true;
        }
    }
    return is_any;
}

bool image_memory_fill(const struct image_memory *memory, uint64_t address, size_t size_bytes,
                       uint8_t *values, uint8_t *known)
{
    bool is_any = false;
    for (size_t i = 0; i < memory->parts.count; i++) {
        const struct image_memory_part *part = &memory->parts.items[i];
        for (size_t done = 0; done < size_bytes;) {
            uint64_t at = address + done, linked = (at - part->offset) & part->address_mask;
            size_t here = size_bytes - done, member;
            bool has = next_run(part, linked, &here);
            bool is_own =
                has && image_set_member_at(memory->images, at, &member) && member == part->member;
            if (is_own)
                is_any |= fill_run(part, linked, here, values + done, known + done);
            done += here;
        }
    }
    return is_any;
}
