// Files that compilers move debugging information to (split DWARF): .dwo, of one unit, and .dwp,
// packages of many.
#ifndef TRAWL_ELF_SPLIT_FILE_H
#define TRAWL_ELF_SPLIT_FILE_H

#include "elf/image.h"

struct split_file;

enum split_section {
    SPLIT_INFO,
    SPLIT_ABBREV,
    SPLIT_STRINGS,
    SPLIT_STRING_OFFSETS,
    SPLIT_RANGES,
    SPLIT_SECTIONS,
};

// What a unit has of each section; nothing: NULL and 0.
struct split_pieces {
    struct {
        const uint8_t *bytes;
        uint64_t size_bytes;
    } of[SPLIT_SECTIONS];
};

// Opens a file for the units of `image`. What is not there, cannot be read or is for another
// machine is no error: *out is NULL then. STATUS_MEMORY.
enum status split_file_open(struct split_file **out, const char *path, const struct image *image,
                            struct error *err);

// The pieces of the unit with this id; of a file that is no package all that it has. They live as
// long as the file. False: it does not have that unit.
bool split_file_find(const struct split_file *file, uint64_t id, struct split_pieces *pieces);

// Bytes of its sections.
uint64_t split_file_bytes(const struct split_file *file);

// NULL is allowed.
void split_file_close(struct split_file *file);

#endif
