// Values: bytes of a type, each of which is known, unknown, or not kept by the compiler. Location
// expressions of DWARF, which are run in bounded steps, say where they are. For the files of this
// layer.
#ifndef TRAWL_DWARF_DEBUG_VALUE_H
#define TRAWL_DWARF_DEBUG_VALUE_H

#include "base/arena.h"
#include "dwarf/debug_info.h"
#include "elf/cfi.h"
#include "elf/image.h"
#include "elf/lines.h"
#include "report/out.h"

#include <elfutils/libdw.h>

// --- split_units.c -------------------------------------------------------------------------------

// The split units of an image: found and opened when they are first needed. A package next to the
// image (IMAGE.dwp) comes first; then the file that the skeleton names, relative to the directory
// of the compilation, and next to the image. The id of a unit must match its skeleton.

struct split_unit;
struct split_units;

// For the image of the lines; both must outlive it. NULL: no memory.
struct split_units *split_units_new(const struct lines *lines, const struct image *image);

// NULL is allowed.
void split_units_free(struct split_units *units);

// The split unit of unit `number` of the lines. NULL: not split, or not found.
const struct split_unit *split_units_at(struct split_units *units, size_t number);

// Whether one was not found for lack of memory.
bool split_units_lacked_memory(const struct split_units *units);

// Its entry.
Dwarf_Die split_unit_die(const struct split_unit *unit);

// Whether code of one of its entries is at `pc`, as linked. Bytes read are charged to *work.
bool split_unit_has_pc(const struct split_unit *unit, Dwarf_Die *die, uint64_t pc, uint64_t *work);

// --- split_file.c --------------------------------------------------------------------------------

// Files to which compilers move debugging information (split DWARF): .dwo with one unit, and .dwp,
// packages of many.

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
struct split_contributions {
    struct {
        const uint8_t *bytes;
        uint64_t size_bytes;
    } of[SPLIT_SECTIONS];
};

// Opens a file for the units of `image`. A file that is missing, unreadable or for another machine
// is not an error: *out is NULL. STATUS_MEMORY.
enum status split_file_open(struct split_file **out, const char *path, const struct image *image,
                            struct error *err);

// The contributions of the unit with this id; for a file that is not a package, all of the file.
// They live as long as the file. False: it does not have that unit.
bool split_file_find(const struct split_file *file, uint64_t id,
                     struct split_contributions *contributions);

// The size of its sections.
uint64_t split_file_bytes(const struct split_file *file);

// NULL is allowed.
void split_file_close(struct split_file *file);

// --- debug_type.c --------------------------------------------------------------------------------

// Types in the DWARF of a program, without qualifiers and typedefs, and types made by expressions:
// pointers to objects, arrays of consecutive values, C's own integers.
//
// For the files of this layer. Following types uses up a budget of the question, so that circular
// types end.

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
    DEBUG_MEMBER_POINTER, // of C++
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
    struct debug_info *info; // for the namespaces of types
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

// The namespaces and structures around a type that has a name, as "a::b"; "": none.
const char *debug_type_space(struct debug_types *types, Dwarf_Die *die);

// --- debug_frame.c -------------------------------------------------------------------------------

// A question about a stopped program (dwarf/debug_values.h) and what all of its parts share: the
// scopes around the PC, names, and memory. For the files of this layer.

struct debug_frame {
    struct debug_info *info;
    const struct debug_point *point;
    struct debug_types types;
    uint64_t pc; // as linked
    bool has_unit;
    Dwarf_Die unit;
    const struct split_unit *split; // the unit of the scopes; NULL: they are in the image itself
    // From the outermost function to the innermost block; `inlined` is the index of the last one
    // that is a function, 0 if none is inlined.
    Dwarf_Die scopes[LIMIT_DEBUG_SCOPES];
    size_t scope_count, inlined;
};

// Begins a question; `point` may be NULL for one that only asks about `pc`, as linked. Ended by
// debug_frame_end in any case.
void debug_frame_begin(struct debug_frame *frame, struct debug_info *info,
                       const struct debug_point *point, uint64_t pc);
void debug_frame_end(struct debug_frame *frame);

// Finds a name at the point: the innermost variable, then those of the unit, then of all units.
// Scopes of other functions are not searched. False: not found.
bool debug_frame_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The same only among the variables of the function, or only among all others: in the unit at the
// PC, then among those that other units can see, then among all. `file` restricts it to units of
// that source file (NULL: any). `is_ambiguous`: several units have one, and none is preferred.
bool debug_frame_local(struct debug_frame *frame, const char *name, Dwarf_Die *found);
bool debug_frame_global(struct debug_frame *frame, const char *name, const char *file,
                        Dwarf_Die *found, bool *is_ambiguous);

// The same in a namespace, as "a::b"; "": outside of all.
bool debug_frame_in_space(struct debug_frame *frame, const char *space, const char *name,
                          bool is_type, Dwarf_Die *found);

// The image of a question, and its lines.
const struct image *debug_info_image(const struct debug_info *info);
struct lines *debug_info_lines(const struct debug_info *info);

// The definition of a static member, which its structure only declares. False: not found.
bool debug_frame_definition(struct debug_frame *frame, Dwarf_Die *member, Dwarf_Die *found);

// The type of a name, as "struct node" or "small".
bool debug_frame_type_name(struct debug_frame *frame, const char *name, Dwarf_Die *found);

// The same if only one structure has the name. `is_ambiguous`: there are several.
bool debug_frame_structure(struct debug_frame *frame, const char *name, Dwarf_Die *found,
                           bool *is_ambiguous);

// The file with a number from an entry of the unit at the PC, as a place without a line. False:
// none.
bool debug_frame_file(const struct debug_frame *frame, uint64_t number,
                      struct source_location *out);

// Memory as it was collected, otherwise from read-only sections of the image.
void debug_frame_memory(struct debug_frame *frame, uint64_t address, size_t size_bytes,
                        uint8_t *bytes, uint8_t *known);

// The canonical frame address of the function at the point. False: unknown.
bool debug_frame_cfa(struct debug_frame *frame, uint64_t *cfa);

// A number of up to 8 bytes in the byte order of the target.
uint64_t debug_load(const struct debug_frame *frame, const uint8_t *bytes, size_t size_bytes);
void debug_store(const struct debug_frame *frame, uint64_t value, uint8_t *bytes,
                 size_t size_bytes);

// --- debug_float.c -------------------------------------------------------------------------------

// Writes a floating-point number of 16 bytes: IEEE 754's, or a pair of doubles where PowerPC has
// these. False: it is the 80 bits of an x87.
bool debug_put_long_double(struct debug_frame *frame, const struct debug_type *type,
                           const uint8_t *bytes, struct out *out);

// --- debug_value.c -------------------------------------------------------------------------------

enum debug_state {
    DEBUG_KNOWN,
    DEBUG_UNAVAILABLE, // not collected
    DEBUG_OPTIMIZED,   // nowhere
};

// Bytes and states are those of the frame's arena.
struct debug_value {
    const struct debug_type *type;
    uint8_t *bytes, *states; // type->size_bytes of them
    uint64_t address;
    bool has_address;
    uint32_t bit_offset, bit_size; // bit_size is 0 where it is no bit-field; from bit 0 of bytes
    bool has_register;             // it is in one register alone, which has this number
    uint64_t register_number;
    const char *fault; // why there is no value, NULL otherwise
};

// A value of the size of its type, whose bytes are all in one state.
struct debug_value debug_value_new(struct debug_frame *frame, const struct debug_type *type,
                                   enum debug_state state);

// The value at an address.
struct debug_value debug_value_at(struct debug_frame *frame, const struct debug_type *type,
                                  uint64_t address);

// A number as a value of a type.
struct debug_value debug_value_number(struct debug_frame *frame, const struct debug_type *type,
                                      uint64_t number);

// An integer, address or enumerator as a signed number. False: not all of it is known.
bool debug_value_integer(const struct debug_frame *frame, const struct debug_value *value,
                         int64_t *number);

// Replaces *value by a member of the structure. False: there is none with that name.
bool debug_value_member(struct debug_frame *frame, struct debug_value *value, const char *name);

// Where a member is in its structure, also that of an anonymous member.
struct debug_member {
    const struct debug_type *type;
    uint64_t offset; // of what contains the bits of a bit-field
    uint64_t bit;    // the first bit, from `offset` on; its number of bits, 0: no bit-field
    unsigned bits;
};

bool debug_type_member(struct debug_frame *frame, const struct debug_type *type, const char *name,
                       struct debug_member *member);

// Whether a part of a structure is a static member, and its value.
bool debug_is_static_member(Dwarf_Die *part);
struct debug_value debug_static_member(struct debug_frame *frame, Dwarf_Die *member);

// The value of a static member of a structure or of a base class. False: none has that name.
bool debug_type_static_member(struct debug_frame *frame, const struct debug_type *type,
                              const char *name, struct debug_value *value);

// Replaces *value by the member that an entry describes.
void debug_value_enter(struct debug_frame *frame, struct debug_value *value, Dwarf_Die *member);

// The value of a variable, a parameter, a function or a constant.
struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry);

// A parameter at the entry of its function that only the prologue will store, by the rules for
// calls. False: it is none, or the rules do not tell.
bool debug_call_parameter(struct debug_frame *frame, Dwarf_Die *entry, struct debug_value *value);

// Whether the point is before what an entry describes is stored: code without optimization keeps a
// variable in one place of the stack all the time, but has not stored a parameter there before the
// second line of the line table. GDB skips that prologue, too.
bool debug_is_early(struct debug_frame *frame, Dwarf_Die *entry);

// The value of an expression of C (dwarf/debug_values.h lists what is supported). STATUS_NOT_FOUND
// or STATUS_INPUT: it has no value, for the reason in `err`.
enum status debug_expression(struct debug_frame *frame, const char *text, struct debug_value *value,
                             struct error *err);

// Writes a value. `is_whole`: it is the requested value itself, so a pointer is printed with its
// type.
void debug_print(struct debug_frame *frame, const struct debug_value *value, bool is_whole,
                 struct out *out);

#endif
