// Names and types of C in the DWARF of several images, for a compiler of expressions
// (query/expression.h): what a name means, where a member is, how far a pointer moves by one.
//
// A question is as long as one expression is compiled, and has one budget for each image
// (LIMIT_DEBUG_WORK) and one arena, so that types that contain themselves end. What it finds is
// copied into the program, except for variables of functions: where these are depends on the pc, on
// registers and on the stack, so they are looked up again at each point (c_local_read).
#ifndef TRAWL_DWARF_C_NAMES_H
#define TRAWL_DWARF_C_NAMES_H

#include "dwarf/debug_info.h"
#include "dwarf/image_lines.h"

enum c_kind {
    C_NONE, // a number without a type
    C_NUMBER,
    C_POINTER,
    C_ARRAY,
    C_STRUCT,
    C_FLOAT,
    C_FUNCTION,
    C_VOID,
    C_OTHER, // what expressions cannot use
};

struct c_frame;
struct debug_type;

// A type, as far as expressions need to know it. All zero is C_NONE.
struct c_type {
    enum c_kind kind;
    bool is_signed, has_count;
    uint64_t size_bytes; // 0: unknown
    uint64_t count;      // of the elements of an array
    const struct debug_type *of;
    struct c_frame *frame; // the question's
};

enum c_variable_kind {
    C_STATIC,   // at an address
    C_CONSTANT, // an enumerator, or what the compiler knew
    C_LOCAL,    // of a function; known where that runs
};

struct c_variable {
    enum c_variable_kind kind;
    struct c_type type;
    uint64_t value;     // the run-time address, or the constant
    bool has_address;   // of C_STATIC; otherwise that is the symbol's
    uint64_t low, high; // of C_LOCAL: run-time addresses of its function; `high` is behind it
};

// A member of a structure or union.
struct c_member {
    uint64_t offset;
    struct c_type type;
    // Of a bit-field: the number to load, from `offset` on, and its bits there. 0: it is none.
    unsigned load_bytes, shift, bits;
};

struct c_names;

// Begins a question. NULL: no memory. `lines` may be NULL: then only C's own types are known.
struct c_names *c_names_begin(struct image_lines *lines, unsigned address_bytes);
void c_names_end(struct c_names *names); // NULL is allowed

enum c_found { C_NOT_FOUND, C_FOUND, C_AMBIGUOUS };

// Where to look for a name first.
struct c_scope {
    bool has_pc;        // in the function at `pc`, at run time
    bool is_point;      // only in the blocks that contain the pc
    bool is_only;       // and nowhere else
    uint64_t pc;        //
    const char *file;   // NULL: any; the name of a source file, otherwise
    size_t file_length; //
};

// Finds a variable, an enumerator or a function. C_AMBIGUOUS: several files have a static one.
enum c_found c_names_find(struct c_names *names, const struct c_scope *scope, const char *name,
                          size_t length, struct c_variable *found);

// Finds the type of "unsigned char", "struct job" or "job_t". `pointers`: how many * follow.
bool c_names_type(struct c_names *names, const char *name, size_t length, unsigned pointers,
                  struct c_type *type);

// The target of a pointer, the element of an array.
struct c_type c_type_target(const struct c_type *type);
struct c_type c_type_pointer(struct c_names *names, const struct c_type *target);

// A member by its name, also of anonymous members. False: there is none.
bool c_type_member(const struct c_type *type, const char *name, size_t length,
                   struct c_member *member);

// Why nothing was found, if it was for lack of memory.
bool c_names_lack_memory(const struct c_names *names);

// --- Variables of functions ----------------------------------------------------------------------

// What was found out about one when the expression was compiled.
struct c_local {
    enum c_kind kind;
    bool is_signed;
    uint64_t size_bytes;
    uint64_t low, high; // only there, at run time
    bool wants_address;
};

// Reads the variable with this name that the innermost block at the point has, or its address.
// Only point->pc and the functions that read need to be set. False: it is unknown there, or another
// variable has that name.
bool c_local_read(struct image_lines *lines, const struct debug_point *point,
                  const struct c_local *local, const char *name, size_t length, uint64_t *value);

// The register, by its DWARF number, that alone has the variable at the point. False: none.
bool c_local_register(struct image_lines *lines, const struct debug_point *point, const char *name,
                      size_t length, uint64_t *number);

#endif
