// Fields of ELF structures in a file, for either class and byte order.
#ifndef TRAWL_ELF_FIELDS_H
#define TRAWL_ELF_FIELDS_H

#include "base/base.h"

#include <elf.h>

static inline uint64_t elf_load_uint(const unsigned char *bytes, size_t size_bytes,
                                     bool is_big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[is_big_endian ? i : size_bytes - 1 - i];
    return value;
}

// A field of a structure that exists in both classes; `bytes` is the start of that structure.
#define ELF_FIELD(is_64, is_big_endian, bytes, structure, field)                                   \
    ((is_64) ? elf_load_uint((bytes) + offsetof(Elf64_##structure, field),                         \
                             sizeof((Elf64_##structure){0}.field), (is_big_endian))                \
             : elf_load_uint((bytes) + offsetof(Elf32_##structure, field),                         \
                             sizeof((Elf32_##structure){0}.field), (is_big_endian)))

#define ELF_SIZE(is_64, structure) ((is_64) ? sizeof(Elf64_##structure) : sizeof(Elf32_##structure))

#endif
