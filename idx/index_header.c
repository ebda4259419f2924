#include "idx/index_header.h"

#include "idx/column_head.h"

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

void index_header_make(uint8_t header[INDEX_HEADER_BYTES], const char *magic,
                       const struct index_section_entry *sections, size_t count,
                       uint64_t size_bytes)
{
    memset(header, 0, INDEX_HEADER_BYTES);
    memcpy(header, magic, MAGIC_BYTES);
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
    if (listed > INDEX_SECTIONS_MAX)
        return HEADER_TOO_MANY_SECTIONS;
    for (size_t i = 0; i < listed; i++) {
        const uint8_t *at = file + INDEX_SECTIONS_AT + i * INDEX_SECTION_BYTES;
        sections[i] = (struct index_section_entry){.number = (uint32_t)get(at, 4),
                                                   .flags = (uint32_t)get(at + 4, 4),
                                                   .offset = get(at + 8, 8),
                                                   .size_bytes = get(at + 16, 8)};
    }
    *count = listed;
    return HEADER_SOUND;
}
