#include "idx/index_sections.h"

#include "idx/column_head.h"

#include <stdlib.h>

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

void index_header_make(uint8_t header[INDEX_HEADER_BYTES],
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes)
{
    memset(header, 0, INDEX_HEADER_BYTES);
    memcpy(header, INDEX_MAGIC, 8);
    put(header + 8, INDEX_MAJOR, 2);
    put(header + 10, INDEX_MINOR, 2);
    put(header + 16, size_bytes, 8);
    put(header + 24, count, 4);
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = header + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES;
        put(at, sections[i].number, 4);
        put(at + 4, sections[i].flags, 4);
        put(at + 8, sections[i].offset, 8);
        put(at + 16, sections[i].size_bytes, 8);
    }
    put(header + 12, column_check(header, INDEX_HEADER_BYTES), 4);
}

// Takes the section out of the table. *end: of what stays in the file. False: something that stays
// stands after it.
static bool take_out(const struct trawl_index *index, enum index_section number,
                     struct index_section_entry *sections, size_t *count, uint64_t *end)
{
    *count = 0;
    *end = index->size_bytes;
    for (size_t i = 0; i < index->section_count; i++) {
        const struct index_section_entry *section = &index->sections[i];
        if (section->number != (uint32_t)number)
            sections[(*count)++] = *section;
        else if (section->offset + section->size_bytes == index->size_bytes)
            *end = section->offset;
        else
            return false;
    }
    return true;
}

// In pieces, as the writer has no room for all.
static void copy(struct file_writer *file, const uint8_t *bytes, uint64_t size_bytes)
{
    const uint64_t piece_bytes = UINT64_C(1) << 20;
    for (uint64_t done = 0; done < size_bytes; done += piece_bytes)
        file_writer_append(file, bytes + done, (size_t)u64_min(size_bytes - done, piece_bytes));
}

static enum status write_out(struct trawl_index *index, const struct file_writer_target *target,
                             enum file_writer_io io, bool sync, uint64_t end,
                             const struct index_section_entry *sections, size_t count,
                             const struct bytes *added, struct error *err)
{
    struct file_writer *file;
    uint8_t header[INDEX_HEADER_BYTES];
    enum status status = file_writer_open(&file, target, io, err);
    if (status != STATUS_OK)
        return status;
    index_header_make(header, sections, count, end + added->count);
    file_writer_append(file, header, sizeof header);
    copy(file, index->bytes + INDEX_HEADER_BYTES, end - INDEX_HEADER_BYTES);
    file_writer_append(file, added->items, added->count);
    if (!index_is_intact(index)) {
        file_writer_abandon(file);
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read", index->path);
    }
    return file_writer_publish(file, sync, err);
}

enum status index_replace_section(struct trawl_index *index, const char *path,
                                  enum index_section number, const struct parts_writer *parts,
                                  enum file_writer_io io, bool sync, struct error *err)
{
    struct index_section_entry sections[INDEX_SECTIONS_MAX + 1];
    struct bytes added = {0};
    uint64_t end;
    size_t count;
    if (!take_out(index, number, sections, &count, &end) || count == INDEX_SECTIONS_MAX ||
        end < INDEX_HEADER_BYTES)
        return error_set(err, STATUS_INPUT, "%s: has no room for other names", path);
    if (!parts_finish(parts, &added)) {
        free(added.items);
        return error_set(err, STATUS_MEMORY, "%s: no memory", path);
    }
    sections[count++] = (struct index_section_entry){(uint32_t)number, 0, end, added.count};
    enum status status =
        write_out(index, FILE_WRITER_TARGET(path), io, sync, end, sections, count, &added, err);
    free(added.items);
    return status;
}
