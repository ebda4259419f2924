#include "idx/index_sections.h"

#define COPY_BYTES (UINT64_C(1) << 20)

#include <stdlib.h>

// Removes the sections that will be written again from the table. *end: the end of what stays in
// the file. False: something that stays is after one of them.
static bool take_out(const struct trawl_index *index, const struct index_new_section *wanted,
                     size_t wanted_count, struct index_section_entry *sections, size_t *count,
                     uint64_t *end)
{
    // What lists the last sections follows them.
    const uint64_t all_bytes = index->size_bytes - index->further.size_bytes;
    uint64_t taken_bytes = 0, first = all_bytes;
    *count = 0;
    for (size_t i = 0; i < index->section_count; i++) {
        const struct index_section_entry *section = &index->sections[i];
        bool is_wanted = false;
        for (size_t k = 0; k < wanted_count; k++)
            is_wanted |= (uint32_t)wanted[k].number == section->number;
        if (!is_wanted) {
            sections[(*count)++] = *section;
            continue;
        }
        taken_bytes += section->size_bytes;
        first = u64_min(first, section->offset);
    }
    *end = first;
    for (size_t i = 0; i < *count; i++) {
        if (sections[i].offset + sections[i].size_bytes > first)
            return false;
    }
    return first + taken_bytes == all_bytes;
}

static enum status write_out(struct trawl_index *index, const struct file_writer_target *target,
                             enum file_writer_io io, bool sync, uint64_t end,
                             const struct index_section_entry *sections, size_t count,
                             const struct bytes *added, struct error *err)
{
    struct file_writer *file;
    uint8_t header[INDEX_HEADER_BYTES], further[INDEX_FURTHER_ROOM_BYTES];
    const uint64_t further_bytes = index_further_bytes(count);
    enum status status = file_writer_open(&file, target, io, err);
    if (status != STATUS_OK)
        return status;
    index_header_make(header, INDEX_MAGIC, sections, count, end + added->count + further_bytes);
    file_writer_append(file, header, sizeof header);
    // In pieces, because the writer has no room for everything at once.
    for (uint64_t at = INDEX_HEADER_BYTES; at < end; at += COPY_BYTES)
        file_writer_append(file, index->bytes + at, (size_t)u64_min(end - at, COPY_BYTES));
    file_writer_append(file, added->items, added->count);
    if (further_bytes)
        index_further_make(further, sections, count);
    file_writer_append(file, further, (size_t)further_bytes);
    if (!index_is_intact(index)) {
        file_writer_abandon(file);
        return error_set(err, STATUS_INPUT, "%s: was changed while it was read", index->path);
    }
    return file_writer_publish(file, sync, err);
}

enum status index_replace_sections(struct trawl_index *index, const char *path,
                                   const struct index_new_section *wanted, size_t wanted_count,
                                   enum file_writer_io io, bool sync, struct error *err)
{
    struct index_section_entry sections[INDEX_SECTIONS_MAX + INDEX_NEW_SECTIONS];
    struct bytes added = {0};
    uint64_t end;
    size_t count;
    ASSERT(wanted_count <= INDEX_NEW_SECTIONS);
    if (!take_out(index, wanted, wanted_count, sections, &count, &end) ||
        count + wanted_count > INDEX_SECTIONS_MAX || end < INDEX_HEADER_BYTES)
        return error_set(err, STATUS_INPUT, "%s: has no room for more names", path);
    bool is_done = true;
    for (size_t i = 0; i < wanted_count && is_done; i++) {
        size_t before = added.count;
        is_done = parts_finish(wanted[i].parts, &added);
        sections[count++] = (struct index_section_entry){(uint32_t)wanted[i].number, 0,
                                                         end + before, added.count - before};
    }
    enum status status = is_done ? write_out(index, FILE_WRITER_TARGET(path), io, sync, end,
                                             sections, count, &added, err)
                                 : error_set(err, STATUS_MEMORY, "%s: no memory", path);
    free(added.items);
    return status;
}
