// Types in the DWARF of a program, without qualifiers and typedefs, and types made by expressions:
// pointers to objects, arrays of consecutive values, C's own integers.
//
// For the files of this layer. Following types uses up a budget of the question, so that circular
// types end.
#ifndef TRAWL_DWARF_DEBUG_TYPE_H
#define TRAWL_DWARF_DEBUG_TYPE_H

#include "base/arena.h"
#include "report/out.h"

#include <elfutils/libdw.h>

enum debug_kind {
    DEBUG_UNKNOWN, // a value cannot be shown
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
    const char *name;                // of a type that need not be in DWARF
    const struct debug_type *target; // of a type made by an expression
    uint64_t size_bytes;
    uint64_t count;     // of elements; unknown without has_count
    unsigned dimension; // of an array, from 0
};

// Where types are allocated, and the remaining budget.
struct debug_types {
    struct arena arena;
    uint64_t work;
    unsigned address_bytes;
    unsigned depth; // of nesting
    bool is_x86;    // long double has 80 bits
    bool lacks_memory;
};

// Uses up one unit of the budget. False: it is exhausted.
bool debug_types_draw(struct debug_types *types);

// The type that an entry has (DW_AT_type), or is. Never NULL: of kind DEBUG_UNKNOWN if it cannot be
// read.
const struct debug_type *debug_type_of(struct debug_types *types, Dwarf_Die *entry);
const struct debug_type *debug_type_at(struct debug_types *types, Dwarf_Die *die);

// The target of a pointer or reference, the result of a function, the element of an array.
const struct debug_type *debug_type_target(struct debug_types *types,
                                           const struct debug_type *type);

const struct debug_type *debug_type_pointer(struct debug_types *types,
                                            const struct debug_type *target);
const struct debug_type *debug_type_array(struct debug_types *types,
                                          const struct debug_type *target, uint64_t count);

// C's integers by name, and void. NULL: none with that name.
const struct debug_type *debug_type_basic(struct debug_types *types, const char *name);

// Integers of one byte, and those named wchar_t, char16_t or char32_t, are shown as text: *prefix
// is the prefix of such text, "" or "L". False: it is not text.
bool debug_type_is_text(const struct debug_type *type, const char **prefix);

// A declaration in C, as GDB writes it: "const struct node *", "int (*)[4]". `inner` is the
// declared name, or "".
void debug_type_name(struct debug_types *types, const struct debug_type *type, const char *inner,
                     struct out *out);

// A number of an entry. False: it has none.
bool debug_number(Dwarf_Die *die, unsigned attribute, int64_t *value);

// The name of an entry, or of its origin; NULL: none.
const char *debug_name(Dwarf_Die *die);

#endif
