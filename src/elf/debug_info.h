// The functions, types and variables of an image by its DWARF, and the state of a stopped program
// as far as it is known. elf/debug_values.h evaluates them.
#ifndef TRAWL_ELF_DEBUG_INFO_H
#define TRAWL_ELF_DEBUG_INFO_H

#include "base/limits.h"
#include "elf/image.h"

struct debug_info;
struct lines;

// Reads where functions and variables are. Without DWARF *out is NULL and all is well. Errors as of
// lines_open (elf/lines.h). The image must outlive it.
enum status debug_info_open(struct debug_info **out, const struct image *image, struct error *err);

// The same over lines of the image that are open already; they must outlive it.
enum status debug_info_over(struct debug_info **out, struct lines *lines, const struct image *image,
                            struct error *err);
void debug_info_close(struct debug_info *info); // NULL is allowed

// How a register that is asked for by its name is meant.
enum debug_register_kind {
    DEBUG_REGISTER_NONE,    // there is none of that name
    DEBUG_REGISTER_UNKNOWN, // its value is unknown
    DEBUG_REGISTER_INTEGER,
    DEBUG_REGISTER_CODE, // an address
    DEBUG_REGISTER_DATA, // likewise
    DEBUG_REGISTER_FLOAT,
};

// A stopped program. Registers are bytes in the order of the target.
struct debug_point {
    void *self;
    uint64_t pc;     // as it ran
    uint64_t offset; // what was added to the image's addresses
    uint64_t address_mask;
    bool is_big_endian;
    // Fills in what is known of memory; known[i] is 0 where it is not.
    void (*read_memory)(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                        uint8_t *known);
    // A register by its number in DWARF. Returns its size; 0: it is unknown.
    size_t (*read_register)(void *self, uint64_t number, uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES]);
    // One by its name, without $.
    enum debug_register_kind (*find_register)(void *self, const char *name, size_t length,
                                              uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES],
                                              size_t *size_bytes);
    // The symbol that an address is in, and how far; NULL: none.
    const char *(*find_symbol)(void *self, uint64_t address, uint64_t *offset);
};

#endif
