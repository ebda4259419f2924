// Fields of ELF structures in a file, for either class and byte order.
#ifndef TRAWL_ELF_FIELDS_H
#define TRAWL_ELF_FIELDS_H

#include "base/base.h"

#include <elf.h>

// A field of a structure that exists in both classes; `bytes` is the start of that structure.
#define ELF_FIELD(is_64, is_big_endian, bytes, structure, field)                                   \
    ((is_64) ? load_uint((bytes) + offsetof(Elf64_##structure, field),                             \
                         sizeof((Elf64_##structure){0}.field), (is_big_endian))                    \
             : load_uint((bytes) + offsetof(Elf32_##structure, field),                             \
                         sizeof((Elf32_##structure){0}.field), (is_big_endian)))

#define ELF_SIZE(is_64, structure) ((is_64) ? sizeof(Elf64_##structure) : sizeof(Elf32_##structure))

#endif
