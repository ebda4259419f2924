// Files to which compilers move debugging information (split DWARF): .dwo with one unit, and .dwp,
// packages of many.
#ifndef TRAWL_DWARF_SPLIT_FILE_H
#define TRAWL_DWARF_SPLIT_FILE_H

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

// The part of each section that belongs to a unit; nothing: NULL and 0.
struct split_pieces {
    struct {
        const uint8_t *bytes;
        uint64_t size_bytes;
    } of[SPLIT_SECTIONS];
};

// Opens a file for the units of `image`. A file that is missing, unreadable or for another machine
// is not an error: *out is NULL. STATUS_MEMORY.
enum status split_file_open(struct split_file **out, const char *path, const struct image *image,
                            struct error *err);

// The pieces of the unit with this id; for a file that is not a package, all of the file. They live
// as long as the file. False: it does not have that unit.
bool split_file_find(const struct split_file *file, uint64_t id, struct split_pieces *pieces);

// The size of its sections.
uint64_t split_file_bytes(const struct split_file *file);

// NULL is allowed.
void split_file_close(struct split_file *file);

#endif
