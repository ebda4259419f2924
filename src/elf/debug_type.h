// Types of a program as its DWARF has them, seen through qualifiers and typedefs, and those that
// expressions make: pointers to objects, arrays of what lies side by side, C's own integers.
//
// For the files of this floor. Whoever follows types draws on the work of the question, so that
// types that go round in circles end.
#ifndef TRAWL_ELF_DEBUG_TYPE_H
#define TRAWL_ELF_DEBUG_TYPE_H

#include "base/arena.h"
#include "report/out.h"

#include <elfutils/libdw.h>

enum debug_kind {
    DEBUG_UNKNOWN, // nothing that a value could be shown as
    DEBUG_VOID,
    DEBUG_INTEGER,
    DEBUG_BOOL,
    DEBUG_FLOAT,
    DEBUG_COMPLEX,
    DEBUG_ENUM,
    DEBUG_POINTER,
    DEBUG_REFERENCE,
    DEBUG_ARRAY,
    DEBUG_STRUCT, // unions and classes, too
    DEBUG_FUNCTION,
};

struct debug_type {
    enum debug_kind kind;
    bool has_die, is_signed, has_count;
    Dwarf_Die named;                 // with its qualifiers and typedefs
    Dwarf_Die die;                   // without
    const char *name;                // of one that DWARF need not have
    const struct debug_type *target; // of one that an expression made
    uint64_t size_bytes;
    uint64_t count;     // of elements; without has_count it is not told
    unsigned dimension; // of an array, from 0
};

// What types are made in, and how much more of them may be looked at.
struct debug_types {
    struct arena arena;
    uint64_t work;
    unsigned address_bytes;
    unsigned depth; // of what is looked at within each other
    bool is_x86;    // long double has 80 bits
    bool lacks_memory;
};

// Draws one unit of work; false: there was enough of it.
bool debug_types_draw(struct debug_types *types);

// The type that an entry has (DW_AT_type), or is. Never NULL: of kind DEBUG_UNKNOWN where it cannot
// be read.
const struct debug_type *debug_type_of(struct debug_types *types, Dwarf_Die *entry);
const struct debug_type *debug_type_at(struct debug_types *types, Dwarf_Die *die);

// What a pointer, reference or function leads to; the elements of an array.
const struct debug_type *debug_type_target(struct debug_types *types,
                                           const struct debug_type *type);

const struct debug_type *debug_type_pointer(struct debug_types *types,
                                            const struct debug_type *target);
const struct debug_type *debug_type_array(struct debug_types *types,
                                          const struct debug_type *target, uint64_t count);

// C's integers by their names, and void. NULL: none of that name.
const struct debug_type *debug_type_basic(struct debug_types *types, const char *name);

// Integers of one byte, and those that are called wchar_t, char16_t or char32_t, are shown as text:
// *prefix is that of such text, "" or "L". False: this one is not.
bool debug_type_is_text(const struct debug_type *type, const char **prefix);

// As C declares it, the way GDB writes it: "const struct node *", "int (*)[4]". `inner` is what is
// declared, "" for nothing.
void debug_type_name(struct debug_types *types, const struct debug_type *type, const char *inner,
                     struct out *out);

// A number of an entry; false if it has none.
bool debug_number(Dwarf_Die *die, unsigned attribute, int64_t *value);

// The name of an entry, or of what it is made of; NULL without.
const char *debug_name(Dwarf_Die *die);

#endif
