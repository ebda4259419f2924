#include "idx/index_header.h"

#include "idx/column.h"

#include <string.h>

#define MAGIC_BYTES 8

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

#define CHECK_BYTES 4

static void put_entry(uint8_t *at, const struct index_section_entry *section)
{
    put(at, section->number, 4);
    put(at + 4, section->flags, 4);
    put(at + 8, section->offset, 8);
    put(at + 16, section->size_bytes, 8);
}

static struct index_section_entry get_entry(const uint8_t *at)
{
    return (struct index_section_entry){.number = (uint32_t)get(at, 4),
                                        .flags = (uint32_t)get(at + 4, 4),
                                        .offset = get(at + 8, 8),
                                        .size_bytes = get(at + 16, 8)};
}

// Of `count` sections, those that the header lists itself.
static size_t listed_first(size_t count)
{
    return count > INDEX_HEADER_SECTIONS ? INDEX_HEADER_SECTIONS - 1 : count;
}

uint64_t index_further_bytes(size_t count)
{
    const size_t more = count - listed_first(count);
    return more ? CHECK_BYTES + more * INDEX_SECTION_BYTES : 0;
}

void index_further_make(uint8_t *bytes, const struct index_section_entry *sections, size_t count)
{
    uint8_t *at = bytes + CHECK_BYTES;
    for (size_t i = listed_first(count); i < count; i++, at += INDEX_SECTION_BYTES)
        put_entry(at, &sections[i]);
    put(bytes, column_check(bytes + CHECK_BYTES, (size_t)(at - bytes) - CHECK_BYTES), CHECK_BYTES);
}

void index_header_make(uint8_t header[INDEX_HEADER_BYTES], const char *magic,
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes)
{
    const size_t first = listed_first(count);
    const uint64_t further_bytes = index_further_bytes(count);
    memset(header, 0, INDEX_HEADER_BYTES);
    memcpy(header, magic, MAGIC_BYTES);
    put(header + 8, INDEX_MAJOR, 2);
    put(header + 10, INDEX_MINOR, 2);
    put(header + 16, size_bytes, 8);
    put(header + 24, first + (further_bytes > 0), 4);
    for (size_t i = 0; i < first; i++)
        put_entry(header + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES, &sections[i]);
    if (further_bytes)
        put_entry(header + INDEX_SECTIONS_AT + first * INDEX_SECTION_BYTES,
                  &(struct index_section_entry){SECTION_FURTHER, SECTION_IS_REQUIRED,
                                                size_bytes - further_bytes, further_bytes});
    put(header + 12, column_check(header, INDEX_HEADER_BYTES), 4);
}

unsigned index_header_major(const uint8_t *file)
{
    return (unsigned)get(file + 8, 2);
}

enum header_fault index_header_read(const uint8_t *file, uint64_t size_bytes, const char *magic,
                                    struct index_section_entry *sections, size_t *count)
{
    if (size_bytes < INDEX_HEADER_BYTES || memcmp(file, magic, MAGIC_BYTES) != 0)
        return HEADER_STRANGE;
    if (index_header_major(file) != INDEX_MAJOR)
        return HEADER_OTHER_VERSION;
    uint8_t copy[INDEX_HEADER_BYTES]; // with zeros in place of its checksum
    memcpy(copy, file, sizeof copy);
    memset(copy + 12, 0, 4);
    if (!column_check_fits(file + 12, copy, sizeof copy))
        return HEADER_DAMAGED;
    if (get(file + 16, 8) != size_bytes)
        return HEADER_CUT;
    size_t listed = (size_t)get(file + 24, 4);
    if (listed > INDEX_HEADER_SECTIONS)
        return HEADER_TOO_MANY_SECTIONS;
    for (size_t i = 0; i < listed; i++)
        sections[i] = get_entry(file + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES);
    *count = listed;
    return HEADER_SOUND;
}

enum header_fault index_further_read(const uint8_t *file, uint64_t size_bytes,
                                     struct index_section_entry *sections, size_t *count,
                                     struct index_section_entry *further)
{
    *further = (struct index_section_entry){0};
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (sections[i].number == SECTION_FURTHER)
            *further = sections[i];
        else
            sections[kept++] = sections[i];
    }
    *count = kept;
    if (!further->number)
        return HEADER_SOUND;
    if (further->size_bytes < CHECK_BYTES || further->size_bytes > size_bytes ||
        further->offset > size_bytes - further->size_bytes)
        return HEADER_DAMAGED;
    const uint8_t *bytes = file + further->offset;
    const size_t listed_bytes = (size_t)further->size_bytes - CHECK_BYTES;
    if (!column_check_fits(bytes, bytes + CHECK_BYTES, listed_bytes) ||
        listed_bytes % INDEX_SECTION_BYTES != 0)
        return HEADER_DAMAGED;
    if (listed_bytes / INDEX_SECTION_BYTES > INDEX_SECTIONS_MAX - kept)
        return HEADER_TOO_MANY_SECTIONS;
    for (size_t at = 0; at < listed_bytes; at += INDEX_SECTION_BYTES)
        sections[(*count)++] = get_entry(bytes + CHECK_BYTES + at);
    return HEADER_SOUND;
}
