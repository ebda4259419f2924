// A small ELF image in memory with given symbols, for tests that need names.
#ifndef TRAWL_TESTS_UNIT_SYMBOLS_ELF_H
#define TRAWL_TESTS_UNIT_SYMBOLS_ELF_H

#include "base/base.h"

#define SYMBOLS_ELF_PATH_BYTES 40

struct named_range {
    const char *name;
    uint64_t address, size_bytes;
};

// Writes an image with a function for each range, and returns the path to open it. The result is a
// descriptor to be closed afterwards, or -1.
int symbols_elf_make(const struct named_range *ranges, size_t count,
                     char path[SYMBOLS_ELF_PATH_BYTES]);

#endif
