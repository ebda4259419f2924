// The functions, types and variables in the DWARF of an image, and the known state of a stopped
// program. dwarf/debug_values.h evaluates them.
#ifndef TRAWL_DWARF_DEBUG_INFO_H
#define TRAWL_DWARF_DEBUG_INFO_H

#include "base/limits.h"
#include "dwarf/call_rules.h"
#include "elf/image.h"
#include "elf/lines.h"

struct debug_info;

// Reads where functions and variables are. Without DWARF, *out is NULL and the status STATUS_OK.
// Errors as for lines_open (elf/lines.h). The image must outlive it.
enum status debug_info_open(struct debug_info **out, const struct image *image, struct error *err);

// The same with lines of the image that are already open; they must outlive it.
enum status debug_info_over(struct debug_info **out, struct lines *lines, const struct image *image,
                            struct error *err);
void debug_info_close(struct debug_info *info); // NULL is allowed

// The kind of a register that is requested by name.
enum debug_register_kind {
    DEBUG_REGISTER_NONE,    // there is none with that name
    DEBUG_REGISTER_UNKNOWN, // its value is unknown
    DEBUG_REGISTER_INTEGER,
    DEBUG_REGISTER_CODE, // an address
    DEBUG_REGISTER_DATA, // likewise
    DEBUG_REGISTER_FLOAT,
};

// A stopped program. Registers are bytes in the byte order of the target.
struct debug_point {
    void *self;
    uint64_t pc;     // at run time
    uint64_t offset; // added to the image's addresses when it was loaded
    uint64_t address_mask;
    bool is_big_endian;
    const struct call_rules *calls; // of the core; NULL: not known
    // Fills in known memory; known[i] is 0 for unknown bytes.
    void (*read_memory)(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes,
                        uint8_t *known);
    // A register by its DWARF number. Returns its size; 0: unknown.
    size_t (*read_register)(void *self, uint64_t number, uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES]);
    // A register by its name, without $.
    enum debug_register_kind (*find_register)(void *self, const char *name, size_t length,
                                              uint8_t bytes[LIMIT_DEBUG_REGISTER_BYTES],
                                              size_t *size_bytes);
    // The symbol that contains an address, and the offset in it; NULL: none.
    const char *(*find_symbol)(void *self, uint64_t address, uint64_t *offset);
};

// A function at an address, and the place where it was inlined into the next one. Texts live as
// long as the debugging information.
struct debug_inline {
    const char *name; // NULL: none
    const char *file; // of the call, without directories; NULL: unknown, or it was not inlined
    uint32_t line;    // likewise; 0: unknown
    uint64_t entry;   // identifies this inlining
    struct source_location call; // the same place, with its directories, without a line
};

// The functions at a PC (as linked), the innermost first; the last was not inlined. Returns how
// many were written, at most `capacity`; 0: no DWARF describes a function there.
size_t debug_inlines(struct debug_info *info, uint64_t pc, struct debug_inline *chain,
                     size_t capacity);

#endif
